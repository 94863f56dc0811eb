// Meta's pixel: `fbq('track', …)`.
var queued = window.fbq;
function fbq() {}
add(fbq, { callMethod: nothing, loaded: true, version: '2.0', queue: [], push: nothing, disablePushState: false, getState: function () { return { pixels: [] }; } });
if (queued && queued.queue) queued.queue.length = 0;
window.fbq = window._fbq = fbq;
