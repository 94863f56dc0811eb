// Amazon's header bidding: `apstag.fetchBids(request, callback)` finds no bids.
var queued = (window.apstag && window.apstag._Q) || [];
var apstag = window.apstag = {
    _Q: { push: run }, punt: nothing, cmp: {}, customPlacements: { addStyle: function () { return ''; } }, debug: nothing,
    init: function (settings, done) { later(done); },
    fetchBids: function (request, done) { later(done, []); },
    dpa: nothing, rpa: nothing, upa: nothing, addToDefaultSettings: nothing, renderImp: nothing, setDisplayBids: nothing,
    targetingKeys: function () { return []; }, nativeContent: nothing
};
function run(item) {
    if (item && item[0] === 'i') apstag.init.apply(null, item[1]);
    if (item && item[0] === 'f') apstag.fetchBids.apply(null, item[1]);
}
queued.forEach(run);
