// Segment's analytics.js: every call is done at once; `ready`, `track(…, callback)`, and promises.
var queued = window.analytics, user = { id: function () { return null; }, anonymousId: function () { return ''; }, traits: function () { return {}; }, reset: nothing };
function done() {
    var last = arguments[arguments.length - 1];
    later(last);
    return typeof Promise === 'function' ? Promise.resolve() : undefined;
}
var made = {
    initialized: true, initialize: function () { return made; }, VERSION: '', Integrations: {}, plugins: {},
    user: function () { return user; }, group: function () { done.apply(null, arguments); return user; },
    timeout: nothing, debug: nothing, on: function () { return made; }, once: function () { return made; },
    off: function () { return made; }, emit: nothing, reset: nothing, setAnonymousId: nothing, load: done,
    addSourceMiddleware: done, addDestinationMiddleware: done, addIntegrationMiddleware: done, register: done, deregister: done
};
'alias identify page ready screen track pageview'.split(' ').forEach(function (name) {
    made[name] = done;
});
// What is attached to links and forms would hold them back; it is not.
['trackSubmit', 'trackClick', 'trackLink', 'trackForm'].forEach(function (name) { made[name] = nothing; });
if (Array.isArray(queued)) {
    queued.forEach(function (item) {
        if (Array.isArray(item) && typeof made[item[0]] === 'function') made[item[0]].apply(made, item.slice(1));
    });
}
window.analytics = made;
