// Google's analytics.js: `ga(command, …, { hitCallback })`, `ga(function (tracker) {})`, trackers.
var name = window.GoogleAnalyticsObject || 'ga', queued = window[name];
var tracker = {
    get: nothing, set: nothing, send: function () { call_back(arguments); },
    requireSync: nothing
};
function call_back(items) {
    for (var at = 0; at < items.length; at += 1) {
        if (items[at] && typeof items[at].hitCallback === 'function') later(items[at].hitCallback);
    }
}
function ga(first) {
    if (typeof first === 'function') return later(first, tracker);
    call_back(arguments);
}
ga.create = function () { return tracker; };
ga.getByName = function () { return tracker; };
ga.getAll = function () { return [tracker]; };
ga.remove = nothing;
ga.loaded = true;
window[name] = ga;
((queued && queued.q) || []).forEach(function (items) { ga.apply(null, items); });
show_page();
