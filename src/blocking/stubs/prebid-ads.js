// What pages look for to see whether advertisements can come.
window.canRunAds = true;
window.isAdBlockActive = false;
