// Prebid: `pbjs.que.push(…)`, `pbjs.requestBids({ bidsBackHandler })` with no bids.
var bids = window.pbjs = window.pbjs || {}, units = [];
var settings = {};
add(bids, object('addCallback adServers aliasBidder bidderSettings clearAllAuctions deleteBid disableAnalytics enableAnalytics ' +
    'markWinningBidAsUsed mergeConfig offEvent onEvent registerAnalyticsAdapter registerBidAdapter registerSignalSources ' +
    'removeCallback renderAd renderNativeAd setBidderConfig setBidderSequence setPAAPIConfigForGPT setTargetingForAst ' +
    'setTargetingForGPTAsync triggerBilling triggerUserSyncs onSetTargeting', null));
add(bids, {
    adUnits: units, libLoaded: true, installedModules: [], version: 'v0',
    addAdUnits: function (more) { units.push.apply(units, [].concat(more)); },
    removeAdUnit: function (code) {
        for (var at = units.length - 1; at >= 0; at -= 1) {
            if (!code || [].concat(code).indexOf(units[at].code) >= 0) units.splice(at, 1);
        }
    },
    getAdserverTargeting: function () { return {}; }, getAdserverTargetingForAdUnitCode: function () { return {}; },
    getAdserverTargetingForAdUnitCodeStr: function () { return ''; }, getAllPrebidWinningBids: function () { return []; },
    getAllWinningBids: function () { return []; }, getBidResponses: function () { return {}; },
    getBidResponsesForAdUnitCode: function () { return { bids: [] }; }, getConfig: function (name) { return name ? settings[name] : settings; },
    getConsentMetadata: function () { return {}; }, getEvents: function () { return []; }, getHighestCpmBids: function () { return []; },
    getHighestUnusedBidResponseForAdUnitCode: function () { return {}; }, getNoBids: function () { return {}; },
    getUserIds: function () { return {}; }, getUserIdsAsEids: function () { return []; },
    getUserIdsAsync: function () { return Promise.resolve({}); }, refreshUserIds: function () { return Promise.resolve({}); },
    setConfig: function (more) { add(settings, more || {}); },
    requestBids: function (request) {
        var done = request && request.bidsBackHandler;
        later(done, {}, false, '');
        if (typeof Promise === 'function') return Promise.resolve({ bids: {}, timedOut: false, auctionId: '' });
    }
});
bids.que = run_queue(bids.que, call);
bids.cmd = run_queue(bids.cmd, call);
