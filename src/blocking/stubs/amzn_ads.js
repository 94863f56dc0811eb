// Amazon's older bidding: `amznads.getAdsCallback(id, callback)`.
function keys() { return []; }
function first(id, done) { [id, done].forEach(function (item) { later(item); }); }
window.amznads = {
    getAds: nothing, getAdsAsync: nothing, getAdsCallback: first, getDisplayAds: nothing, getDisplayAdsAsync: nothing,
    getDisplayAdsCallback: first, getVideoAds: nothing, getVideoAdsCallback: first, getKeys: keys, getReferrerURL: nothing,
    getScriptSource: nothing, getTargeting: function () { return {}; }, getTokens: keys, getValidMilliseconds: nothing,
    appendTargetingToAdServerUrl: function (url) { return url; }, appendTargetingToQueryString: function (query) { return query; },
    clearTargetingFromGPTAsync: nothing, displayAmazonAd: nothing, doAllTasks: nothing, doGetAdsAsync: nothing, doTask: nothing,
    detectIframeAndGetURL: nothing, getIndexSlotParams: nothing, hasAds: function () { return false; }, isValidTargeting: nothing,
    renderAd: nothing, saveAds: nothing, setTargeting: nothing, setTargetingForGPTAsync: nothing, setTargetingForGPTSync: nothing,
    tryGetAdsAsync: nothing, updateAds: nothing
};
window.amzn_ads = window.amzn_ads || nothing;
window.aax_write = window.aax_write || nothing;
window.aax_render_ad = window.aax_render_ad || nothing;
