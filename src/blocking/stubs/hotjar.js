// Hotjar: `hj(command, …)`.
window.hj = function (command, value) { if (command === 'ready') later(value); };
window.hj.q = [];
window.hj.hostname = '';
