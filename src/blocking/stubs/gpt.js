// Google Publisher Tag: `googletag.cmd`. Every slot stays empty, and the events of an empty slot come.
var tag = window.googletag = window.googletag || {}, listeners = {}, slots = [];
function tell(name, slot) {
    (listeners[name] || []).forEach(function (listener) {
        later(listener, { slot: slot, serviceName: 'publisher_ads', isEmpty: true, size: null, isBackfill: false });
    });
}
function show(slot) {
    ['slotRequested', 'slotResponseReceived', 'slotRenderEnded'].forEach(function (name) { tell(name, slot); });
}
// Settings by their names: `set`, `get`, `clear`, and what changes nothing.
function settings(more) {
    var all = {};
    var made = object('addService defineSizeMapping disableInitialLoad enableAsyncRendering enableLazyLoad ' +
        'enableSingleRequest enableSyncRendering enableVideoAds collapseEmptyDivs setCategoryExclusion clearCategoryExclusions ' +
        'setCentering setClickUrl setCollapseEmptyDiv setConfig setCookieOptions setForceSafeFrame setLocation setPrivacySettings ' +
        'setPublisherProvidedId setRequestNonPersonalizedAds setSafeFrameConfig setTagForChildDirectedTreatment ' +
        'setTagForUnderAgeOfConsent setVideoContent updateCorrelator setSizes setImaContent updateTargetingFromMap defineOutOfPagePassback definePassback');
    return add(add(made, {
        set: function (key, value) { all[key] = value; return made; },
        get: function (key) { return all[key] === undefined ? null : all[key]; },
        getAttributeKeys: function () { return Object.keys(all); },
        setTargeting: function (key, value) { all['t.' + key] = [].concat(value); return made; },
        getTargeting: function (key) { return all['t.' + key] || []; },
        getTargetingKeys: function () {
            return Object.keys(all).filter(function (key) { return key.indexOf('t.') === 0; })
                .map(function (key) { return key.slice(2); });
        },
        clearTargeting: function (key) {
            Object.keys(all).forEach(function (known) {
                if (known.indexOf('t.') === 0 && (!key || known === 't.' + key)) delete all[known];
            });
            return made;
        },
        getConfig: function () { return {}; }, getHtml: function () { return ''; }, getContentUrl: function () { return ''; }
    }), more || {});
}
function define(path, sizes, id) {
    var slot = settings({
        getAdUnitPath: function () { return path; }, getSlotElementId: function () { return id || ''; },
        getSizes: function () { return []; }, getResponseInformation: function () { return null; },
        getServices: function () { return [service]; }, getOutOfPage: function () { return false; },
        getCategoryExclusions: function () { return []; }, getEscapedQemQueryId: function () { return ''; },
        getSlotId: function () { return { getId: function () { return path; }, getDomId: function () { return id || ''; } }; }
    });
    slots.push(slot);
    return slot;
}
var service = settings({
    addEventListener: function (name, listener) { (listeners[name] = listeners[name] || []).push(listener); return service; },
    removeEventListener: function (name, listener) {
        var at = (listeners[name] || []).indexOf(listener);
        if (at >= 0) listeners[name].splice(at, 1);
        return at >= 0;
    },
    getName: function () { return 'publisher_ads'; }, getSlots: function () { return slots.slice(); },
    getSlotIdMap: function () { return {}; }, isInitialLoadDisabled: function () { return false; },
    getVersion: function () { return ''; }, getImaContent: function () { return {}; }, getCorrelator: function () { return ''; },
    display: nothing, clear: function () { return true; },
    refresh: function (these) { (these || slots).forEach(show); }
});
function get_service() { return service; }
var queued = tag.cmd;
add(tag, {
    apiReady: true, pubadsReady: true, secureSignalProviders: { push: nothing, clearAllCache: nothing },
    pubads: get_service, companionAds: get_service, content: get_service,
    defineSlot: define,
    defineOutOfPageSlot: function (path, id) { return define(path, [], id); },
    defineUnit: define,
    destroySlots: function () { slots.length = 0; return true; },
    disablePublisherConsole: nothing, openConsole: nothing, enableServices: nothing, setAdIframeTitle: nothing, setConfig: nothing,
    getConfig: function () { return {}; }, getVersion: function () { return ''; },
    display: function (slot) {
        var id = typeof slot === 'string' ? slot : slot && (slot.id || (slot.getSlotElementId && slot.getSlotElementId()));
        slots.filter(function (known) { return known.getSlotElementId() === id; }).forEach(show);
    },
    sizeMapping: function () {
        var made = { addSize: function () { return made; }, build: function () { return []; } };
        return made;
    },
    enums: {
        OutOfPageFormat: { REWARDED: 4, INTERSTITIAL: 5, BOTTOM_ANCHOR: 3, TOP_ANCHOR: 2, GAME_MANUAL_INTERSTITIAL: 7 },
        TrafficSource: { ORGANIC: 2, PURCHASED: 1 }
    }
});
tag.cmd = run_queue(queued, call);
