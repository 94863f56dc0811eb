// Matomo, and Piwik: `_paq.push([command, …])`, `Matomo.getAsyncTracker()`.
var tracker = object('addDownloadExtensions addEcommerceItem addListener clearEcommerceCart disableCookies enableCrossDomainLinking ' +
    'enableHeartBeatTimer enableLinkTracking enableJSErrorTracking forgetConsentGiven forgetCookieConsentGiven forgetUserOptOut ' +
    'optUserOut removeEcommerceItem rememberConsentGiven rememberCookieConsentGiven requireConsent requireCookieConsent ' +
    'setConsentGiven setCookieConsentGiven setCookieDomain setCookiePath setCustomDimension setCustomUrl setCustomVariable ' +
    'setDocumentTitle setDoNotTrack setDomains setEcommerceView setReferrerUrl setRequestMethod setSecureCookie setSiteId ' +
    'setTrackerUrl setUserId trackAllContentImpressions trackContentImpression trackContentInteraction trackEcommerceCartUpdate ' +
    'trackEcommerceOrder trackEvent trackGoal trackLink trackPageView trackSiteSearch trackVisibleContentImpressions ping', null);
add(tracker, {
    getVisitorId: function () { return ''; }, getVisitorInfo: function () { return []; }, getUserId: function () { return ''; },
    getAttributionInfo: function () { return []; }, getAttributionCampaignName: function () { return ''; },
    getCustomDimension: nothing, getCustomVariable: nothing, getEcommerceItems: function () { return {}; },
    getCurrentUrl: function () { return location.href; }, getCrossDomainLinkingUrlParameter: function () { return ''; },
    getSiteId: function () { return ''; }, hasConsent: function () { return false; },
    hasRememberedConsent: function () { return false; }, isUserOptedOut: function () { return true; },
    areCookiesEnabled: function () { return false; }
});
var library = {
    initialized: true, addPlugin: nothing, addTracker: function () { return tracker; }, getTracker: function () { return tracker; },
    getAsyncTracker: function () { return tracker; }, getAsyncTrackers: function () { return [tracker]; }, on: nothing, off: nothing,
    trigger: nothing, retryMissedPluginCalls: nothing, JSON: JSON, DOM: { onReady: call, onLoad: call }
};
window.Matomo = window.Piwik = library;
window._paq = run_queue(window._paq, function (item) {
    if (Array.isArray(item) && typeof item[0] === 'function') item[0].apply(tracker, item.slice(1));
});
[window.matomoAsyncInit, window.piwikAsyncInit].forEach(call);
[].concat(window.matomoPluginAsyncInit || [], window.piwikPluginAsyncInit || []).forEach(call);
