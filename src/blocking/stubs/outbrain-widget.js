// Outbrain's widgets stay empty.
var extern = object('callClick callLoadMore callRecs callUserZapping callWhatIs cancelRecs closeCard closeModal closeTbx ' +
    'errorInjectionHandler getCountOfRecs getStat imageError manualVideoClicked onOdbReturn onVideoClick pagerLoad ' +
    'recClicked refreshSpecificWidget refreshWidget reloadWidget renderSpaWidgets researchWidget returnedError returnedHtmlData ' +
    'returnedIrdData returnedJsonData scrollLoad showDescription showRecInIframe userZappingMessage zappsForm', null);
window.OBR = window.OBR || { extern: extern };
