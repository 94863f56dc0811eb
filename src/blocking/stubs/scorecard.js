// Comscore's tag: `COMSCORE.beacon(…)`, `_comscore.push(…)`.
window.COMSCORE = { purge: function () { window._comscore = []; }, beacon: nothing, exists: function () { return true; } };
window._comscore = run_queue(window._comscore, nothing);
