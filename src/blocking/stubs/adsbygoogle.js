// Google's AdSense: every place stays unfilled; a game's break for an advertisement is over at once.
function unfilled() {
    [].slice.call(document.querySelectorAll('ins.adsbygoogle:not([data-adsbygoogle-status])')).forEach(function (place) {
        place.setAttribute('data-adsbygoogle-status', 'done');
        place.setAttribute('data-ad-status', 'unfilled');
    });
}
window.adsbygoogle = run_queue(window.adsbygoogle, function (item) {
    unfilled();
    if (!item || typeof item !== 'object') return;
    later(item.onReady);
    later(item.adBreakDone, {
        breakType: item.type, breakName: item.name, breakFormat: item.type === 'reward' ? 'reward' : 'interstitial',
        breakStatus: 'notReady'
    });
});
window.adsbygoogle.loaded = true;
