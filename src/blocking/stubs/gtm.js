// Google Tag Manager, gtag.js and Optimize: `dataLayer.push({ event, eventCallback })`, `gtag('event', name, { event_callback })`,
// `gtag('get', id, field, callback)`. They answer at once, not when `eventTimeout` is over.
var here = document.currentScript, layer = /[?&]l=([\w$]+)/.exec((here && here.src) || '');
layer = (layer && layer[1]) || 'dataLayer';
function call_back(item) {
    if (!item || typeof item !== 'object') return;
    if (typeof item.eventCallback === 'function') later(item.eventCallback, '');
    if (typeof item.event_callback === 'function') later(item.event_callback, '');
    // What gtag() pushes are its arguments.
    if (item[0] === 'get') later(item[3]);
    if (item[0] === 'event' && item[1] === 'optimize.callback' && item[2]) later(item[2].callback, '0', '');
    for (var at = 0; at < (item.length || 0); at += 1) {
        if (item[at] && typeof item[at].event_callback === 'function') later(item[at].event_callback, '');
    }
}
var pushed = window[layer] = window[layer] || [];
if (!pushed.gleaner) {
    var push = pushed.push;
    pushed.push = function () {
        [].slice.call(arguments).forEach(call_back);
        return push.apply(pushed, arguments);
    };
    Object.defineProperty(pushed, 'gleaner', { value: true });
    [].slice.call(pushed).forEach(call_back);
}
window.google_tag_manager = window.google_tag_manager || {};
if (pushed.hide && typeof pushed.hide.end === 'function') pushed.hide.end();
window.google_optimize = window.google_optimize || { get: nothing };
