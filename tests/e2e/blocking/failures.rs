//! How a blocked request fails in browsers: as one that the browser's own blocker forbids. And what stands in for libraries.

use std::time::Duration;

use super::{at_localhost, from_page, with_list};
use crate::harness::{
    Origin, TestProxy,
    browsers::{Browser, Firefox},
    get,
    origin::{html, response},
};

/// By the page's clock, so that what scripts wait for has arrived.
const LATER: Duration = Duration::from_secs(10);

/// Asks for something of each kind, and tells the server what became of it.
fn asking(base: &str) -> String {
    format!(
        "<!doctype html><meta charset=utf-8><body><script>\
         const told = {{}}, base = '{base}'; let left = 10;\
         function tell(kind, what) {{ told[kind] = what; left -= 1; if (left === 0) {{ \
           const text = Object.keys(told).sort().map(kind => kind + '=' + told[kind]).join(' ');\
           document.body.append('[' + text + ']'); fetch('/told?' + text.replaceAll(' ', '&')); }} }}\
         const hold = new Image(); let held = 0; document.body.append(hold);\
         hold.onload = () => {{ held += 1; if (left > 0 && held < 200) hold.src = '/hold?' + held; }}; hold.src = '/hold';\
         for (const [kind, attribute] of [['script', 'src'], ['img', 'src'], ['link', 'href'], ['video', 'src'], ['iframe', 'src']]) {{\
           const element = document.createElement(kind); if (kind === 'link') element.rel = 'stylesheet';\
           element.onload = () => tell(kind, 'load'); element.onerror = () => tell(kind, 'error');\
           element[attribute] = base + kind; document.body.append(element); }}\
         fetch(base + 'fetch').then(answer => tell('fetch', answer.status), () => tell('fetch', 'error'));\
         fetch(base + 'no-cors', {{ mode: 'no-cors' }}).then(answer => tell('no-cors', answer.type), () => tell('no-cors', 'error'));\
         fetch(base + 'credentials', {{ credentials: 'include' }}).then(() => tell('credentials', 'load'), () => tell('credentials', 'error'));\
         fetch(base + 'post', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: '{{}}' }})\
           .then(() => tell('post', 'load'), () => tell('post', 'error'));\
         const request = new XMLHttpRequest(); request.onload = () => tell('xhr', request.status); request.onerror = () => tell('xhr', 'error');\
         request.open('GET', base + 'xhr'); request.send();</script>"
    )
}

const FAILED: &str = "credentials=error fetch=error iframe=load img=error link=error no-cors=error post=error script=error video=error xhr=error";

#[tokio::test]
async fn a_blocked_request_fails_as_with_a_browsers_own_blocker() {
    let (_dir, settings) = with_list("/track/\n");
    let other = Origin::http(|_| response(&[("access-control-allow-origin", "*")], "from the origin")).await;
    let own = "/track/".to_owned();
    for base in [own, at_localhost(&other, "/track/")] {
        let page = asking(&base);
        // Firefox waits for pictures, and not for what scripts fetch.
        let news = Origin::http(move |seen| match seen.uri.path() {
            "/hold" => response(&[("content-type", "image/svg+xml")], "<svg xmlns='http://www.w3.org/2000/svg'/>"),
            _ => html(page.clone()),
        })
        .await;
        let proxy = TestProxy::start(&format!("{settings}rewrite: {{ enabled: false }}\n")).await;
        if let Some(browser) = Browser::find() {
            let dom = browser.dom_after(LATER, &proxy, news.url("/")).await;
            assert!(dom.contains(&format!("[{FAILED}]")), "Chromium, {base}: {dom}");
        }
        if let Some(firefox) = Firefox::find(&proxy) {
            firefox.open(news.url("/firefox")).await;
            let told = news
                .requests()
                .iter()
                .rev()
                .find_map(|seen| (seen.uri.path() == "/told").then(|| seen.uri.query().unwrap().replace('&', " ")));
            assert_eq!(told.as_deref(), Some(FAILED), "Firefox, {base}");
        }
        assert!(!news.requests().iter().any(|seen| seen.uri.path().starts_with("/track/")));
        proxy.stop().await;
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_beacon_and_a_navigation_of_a_service_worker_are_known() {
    let (_dir, settings) = with_list("||localhost^$ping\n||127.0.0.1^$document\n");
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy = TestProxy::start(&settings).await;
    let mut beacon = http::Request::post(at_localhost(&origin, "/x")).body(http_body_util::Full::default()).unwrap();
    for (name, value) in [("referer", "http://127.0.0.1/"), ("sec-fetch-dest", "empty"), ("sec-fetch-mode", "no-cors")]
    {
        beacon.headers_mut().insert(name, value.parse().unwrap());
    }
    assert_eq!(crate::harness::send(&proxy, beacon).await.status, 403);
    assert_eq!(from_page(&proxy, &at_localhost(&origin, "/x"), "empty").await.text(), "from the origin");
    let fields = |mode| [("sec-fetch-dest", "empty"), ("sec-fetch-mode", mode), ("sec-fetch-site", "same-origin")];
    let page = get(&proxy, &origin.url("/x"), &fields("navigate")).await;
    assert!(page.text().contains("This page is blocked"), "{}", page.text());
    assert_eq!(get(&proxy, &origin.url("/x"), &fields("cors")).await.text(), "from the origin");
    proxy.stop().await;
}

#[tokio::test]
async fn a_page_that_a_service_worker_passes_on_is_rewritten() {
    let origin = Origin::http(|_| {
        html("<!doctype html><title>News</title><main><p>The town clock has a single hand.<script src=/x.js></script></main>")
    })
    .await;
    let proxy = TestProxy::start("filters: { floor: { page_chars: 0, kept_chars: 0 } }\n").await;
    for (mode, is_rewritten) in [("navigate", true), ("cors", false)] {
        let fields = [("sec-fetch-dest", "empty"), ("sec-fetch-mode", mode), ("accept", "text/html")];
        let page = get(&proxy, &origin.url("/"), &fields).await;
        assert_eq!(!page.text().contains("<script src"), is_rewritten, "{mode}: {}", page.text());
    }
    proxy.stop().await;
}

/// A page that waits for libraries, in the ways of their documentation.
const WAITING: &str = "<!doctype html><meta charset=utf-8><body><style>.hide { opacity: 0 }</style><script>\
    const tell = what => document.body.append(`(${what})`);\
    document.documentElement.className = 'hide'; window.dataLayer = [{ event: 'early', eventCallback: () => tell('gtm early') }];\
    dataLayer.hide = { end() { document.documentElement.className = ''; tell('shown') } };\
    function gtag() { dataLayer.push(arguments) } gtag('event', 'x', { event_callback: () => tell('gtag early') });\
    window.googletag = { cmd: [() => { const slot = googletag.defineSlot('/1/x', [300, 250], 'slot').addService(googletag.pubads());\
      googletag.pubads().addEventListener('slotRenderEnded', event => tell('gpt ' + event.isEmpty + (event.slot === slot)));\
      googletag.enableServices(); googletag.display('slot') }] };\
    window.apstag = { _Q: [], init() { this._Q.push(['i', arguments]) }, fetchBids() { this._Q.push(['f', arguments]) } };\
    apstag.init({}); apstag.fetchBids({ slots: [] }, bids => tell('apstag ' + bids.length));\
    window.pbjs = { que: [() => pbjs.requestBids({ bidsBackHandler: () => tell('pbjs') })] };\
    window.analytics = [['track', 'x', () => tell('segment')]];\
    window.adsbygoogle = [{ adBreakDone: info => tell('h5 ' + info.breakStatus) }];\
    (function (name) { window[name] = window[name] || function () { (window[name].q = window[name].q || []).push(arguments) } })('ga');\
    ga('send', 'event', 'x', { hitCallback: () => tell('ga early') });\
    window._paq = [[function () { tell('matomo ' + typeof this.getVisitorId) }]];</script>SCRIPTS<script>\
    addEventListener('load', () => { gtag('event', 'y', { event_callback: () => tell('gtag late') });\
      dataLayer.push({ event: 'late', eventCallback: () => tell('gtm late'), eventTimeout: 2000 });\
      ga(tracker => tell('ga ' + typeof tracker.get));\
      const loader = new google.ima.AdsLoader(new google.ima.AdDisplayContainer(document.body));\
      loader.addEventListener(google.ima.AdErrorEvent.Type.AD_ERROR, event => tell('ima ' + event.getError().getErrorCode()));\
      loader.requestAds(new google.ima.AdsRequest());\
      fbq('track', 'x'); hj('event', 'x'); COMSCORE.beacon({}); pSUPERFLY.virtualPage('/'); _gaq.push(['_trackPageview']);\
      FingerprintJS.load().then(agent => agent.get()).then(found => tell('fp3 ' + typeof found.visitorId));\
      import('http://cdn.example/module.js').then(module => module.load()).then(agent => agent.get()).then(() => tell('fp4'));\
      new Fingerprint2().get(() => tell('fp2')); fuckAdBlock.onNotDetected(() => tell('fab'));\
      for (const source of ['/noop.mp3', '/noop.mp4']) { const media = document.createElement(source.endsWith('3') ? 'audio' : 'video');\
        media.muted = true; media.onloadedmetadata = () => tell(source + ' ' + media.duration.toFixed(1)); media.onerror = () => tell(source + ' error');\
        media.src = source; document.body.append(media) } })</script>";

#[tokio::test]
async fn what_waits_for_a_library_goes_on() {
    let Some(browser) = Browser::find() else { return };
    let libraries = [
        "imasdk.googleapis.com/js/sdkloader/ima3.js",
        "www.googletagmanager.com/gtm.js?id=GTM-1",
        "www.googletagmanager.com/gtag/js?id=G-1",
        "www.google-analytics.com/analytics.js",
        "ssl.google-analytics.com/ga.js",
        "securepubads.g.doubleclick.net/tag/js/gpt.js",
        "pagead2.googlesyndication.com/pagead/js/adsbygoogle.js",
        "c.amazon-adsystem.com/aax2/apstag.js",
        "static.chartbeat.com/js/chartbeat.js",
        "sb.scorecardresearch.com/beacon.js",
        "connect.facebook.net/en_US/fbevents.js",
        "static.hotjar.com/c/hotjar-1.js",
        "cdn.segment.com/analytics.js/v1/x/analytics.min.js",
        "openfpcdn.io/fingerprintjs/v4/iife.min.js",
        "stats.example/matomo.js",
        "cdn.example/prebid.js",
        "cdn.example/google-analytics_analytics.js",
        "cdn.example/google-analytics_ga.js",
        "cdn.example/fbevents.js",
        "cdn.example/fingerprint2.js",
        "cdn.example/fingerprint3.js",
        "cdn.example/fab.js",
    ];
    let hosts: std::collections::BTreeSet<_> =
        libraries.iter().filter_map(|address| address.split('/').next()).collect();
    let rules = hosts.into_iter().map(|host| format!("||{host}^\n")).collect::<Vec<_>>().concat();
    // Chromium goes to some hosts by https alone.
    let named = [
        "google-analytics_analytics.js",
        "google-analytics_ga.js",
        "fbevents.js",
        "fingerprint2.js",
        "fingerprint3.js",
    ]
    .iter()
    .map(|name| format!("||cdn.example/{name}$script,redirect={name}\n"))
    .collect::<Vec<_>>()
    .concat();
    let rules = format!(
        "{rules}{named}||cdn.example/module.js$script,redirect=fingerprint-module.js\n||cdn.example/fab.js$script,redirect=fuckadblock.js-3.2.0\n/noop.mp3$media,redirect=noopmp3-0.1s\n/noop.mp4$media,redirect=noop-1s.mp4\n"
    );
    let (_dir, settings) = with_list(&rules);
    let scripts = libraries.map(|address| format!("<script src='http://{address}'></script>")).concat();
    let page = WAITING.replace("SCRIPTS", &scripts);
    let news = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start(&format!("{settings}rewrite: {{ enabled: false }}\n")).await;
    for address in libraries {
        let script = from_page(&proxy, &format!("http://{address}"), "script").await;
        assert_eq!(
            (script.status.as_u16(), script.header("content-type")),
            (200, "application/javascript"),
            "{address}"
        );
        assert!(script.text().starts_with("(function"), "{address}");
    }
    // As browsers ask over plain HTTP.
    let fields = [("referer", "http://127.0.0.1/"), ("accept", "*/*")];
    let script = get(&proxy, "http://www.googletagmanager.com/gtag/js?id=G-1", &fields).await;
    assert!(script.text().starts_with("(function"), "{}", script.status);
    let module =
        get(&proxy, "http://openfpcdn.io/fingerprintjs/v4", &[("origin", "http://127.0.0.1"), ("accept", "*/*")]).await;
    assert!(module.text().contains("export default"), "{:?} {}", module.headers, module.text());
    let dom = browser.dom_after(LATER, &proxy, news.url("/")).await;
    for wanted in [
        "gtm early",
        "gtag early",
        "shown",
        "gpt truetrue",
        "apstag 0",
        "pbjs",
        "segment",
        "h5 notReady",
        "ga early",
        "matomo function",
        "gtag late",
        "gtm late",
        "ga function",
        "ima 303",
        "fp3 string",
        "fp4",
        "fp2",
        "fab",
        "/noop.mp3 0.1",
        "/noop.mp4 1.0",
    ] {
        assert!(dom.contains(&format!("({wanted})")), "{wanted} in {dom}");
    }
    assert!(dom.contains("<html class=\"\">"), "the page is shown: {dom}");
    proxy.stop().await;
}
