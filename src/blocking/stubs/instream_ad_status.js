// What a video page looks for to see whether advertisements can come.
window.google_ad_status = 1;
