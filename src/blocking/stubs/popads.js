// PopAds: its own names are there, so that it does not load again.
window.PopAds = window.popns = 1;
