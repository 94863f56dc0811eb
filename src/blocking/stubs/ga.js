// Google's old ga.js: `_gaq.push([command, …])`, `_gat._getTracker()`; its links go where they lead.
function go(url) { if (typeof url === 'string') location.assign(url); }
var tracker = object('_addIgnoredOrganic _addIgnoredRef _addItem _addOrganic _addTrans _clearIgnoredOrganic ' +
    '_clearIgnoredRef _clearOrganic _cookiePathCopy _deleteCustomVar _initData _set _setAccount _setAllowAnchor ' +
    '_setAllowHash _setAllowLinker _setCampContentKey _setCampMediumKey _setCampNameKey _setCampNOKey _setCampSourceKey ' +
    '_setCampTermKey _setCampaignCookieTimeout _setCampaignTrack _setClientInfo _setCookiePath _setCookiePersistence ' +
    '_setCookieTimeout _setCustomVar _setDetectFlash _setDetectTitle _setDomainName _setLocalGifPath _setLocalRemoteServerMode ' +
    '_setLocalServerMode _setReferrerOverride _setRemoteServerMode _setSampleRate _setSessionCookieTimeout ' +
    '_setSessionTimeout _setSiteSpeedSampleRate _setTrans _setTransactionDelim _setVar _setVisitorCookieTimeout ' +
    '_trackEvent _trackPageLoadTime _trackPageview _trackSocial _trackTiming _trackTrans _visitCode _require', null);
add(tracker, {
    _get: nothing, _getAccount: nothing, _getName: nothing, _getVersion: nothing, _getVisitorCustomVar: nothing,
    _link: go, _linkByPost: nothing,
    _getLinkerUrl: function (url) { return url; }
});
function get_tracker() { return tracker; }
window._gat = {
    _anonymizeIP: nothing, _createTracker: get_tracker, _forceSSL: nothing, _getPlugin: nothing, _getTracker: get_tracker,
    _getTrackerByName: get_tracker, _getTrackers: function () { return [tracker]; }
};
var queued = window._gaq;
window._gaq = run_queue(queued, function (item) {
    if (typeof item === 'function') return item();
    // A name of a tracker may stand before the command.
    var command = Array.isArray(item) ? String(item[0]).split('.').pop() : '';
    if (command === '_link') go(item[1]);
});
window._gaq._createAsyncTracker = get_tracker;
window._gaq._getAsyncTracker = get_tracker;
show_page();
