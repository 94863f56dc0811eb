// Chartbeat: `pSUPERFLY.virtualPage(…)`, and headline tests, which everybody sees in the original.
var video = object('addPlayer on stop start', null);
window.pSUPERFLY = { activity: nothing, virtualPage: nothing, onReferralDataReady: nothing, addEngagedTimeListener: nothing };
window.pSUPERFLY_mab = { on: nothing };
window._cbv = window._cbv || [];
window._cb_video = video;
[].slice.call(document.querySelectorAll('style[id*="chartbeat-flicker-control"]')).forEach(function (style) {
    style.parentNode.removeChild(style);
});
