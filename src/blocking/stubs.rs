//! What comes in the place of a forbidden request: empty resources that rules name (`$redirect`), and stand-ins for scripts.
//!
//! Pages call the best-known libraries of advertising and measuring and wait for their answers. Each script in `stubs/` has the
//! public interface of one, as its maker documents it, and does nothing but call back: at once, with no advertisement, no
//! experiment and nothing stored. They are written for browsers of ECMAScript 5.

use adblock::resources::{MimeType, PermissionMask, Resource, ResourceType};
use base64::{Engine as _, prelude::BASE64_STANDARD};

/// A transparent picture of one pixel (`GIF89a`).
const PIXEL: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// MPEG-1 audio, layer III: four frames of silence.
const SILENCE: &[u8] = include_bytes!("stubs/silence-0.1s.mp3");

/// One black picture of 16 by 16 pixels, shown for a second.
const BLACK: &[u8] = include_bytes!("stubs/black-1s.mp4");

/// Resources by their names in lists.
const EMPTY: [(&[&str], MimeType, &[u8]); 12] = [
    (
        &["noop.js", "noopjs", "blank-js", "hd-main.js", "nobab.js", "bab-defuser.js", "nobab2.js"],
        MimeType::ApplicationJavascript,
        b"",
    ),
    (&["noop.css", "noopcss", "blank-css"], MimeType::TextCss, b""),
    (&["noop.html", "noopframe", "blank-html"], MimeType::TextHtml, b""),
    (&["noop.txt", "nooptext", "blank-text"], MimeType::TextPlain, b""),
    (&["noop.json", "noopjson"], MimeType::ApplicationJson, b"{}"),
    (
        &[
            "1x1.gif",
            "1x1-transparent.gif",
            "1x1-transparent-gif",
            "32x32.png",
            "32x32-transparent.png",
            "2x2.png",
            "2x2-transparent.png",
            "3x2.png",
            "3x2-transparent.png",
        ],
        MimeType::ImageGif,
        PIXEL,
    ),
    (&["empty"], MimeType::TextPlain, b""),
    (
        &["noop-vast3.xml", "noopvast-2.0", "noop-vast2.xml", "noopvast-3.0"],
        MimeType::TextXml,
        b"<VAST version=\"3.0\"></VAST>",
    ),
    (&["noop-vast4.xml", "noopvast-4.0"], MimeType::TextXml, b"<VAST version=\"4.0\"></VAST>"),
    (
        &["noop-vmap1.xml", "noop-vmap1.0.xml", "noopvmap-1.0"],
        MimeType::TextXml,
        b"<vmap:VMAP xmlns:vmap=\"http://www.iab.net/videosuite/vmap\" version=\"1.0\"></vmap:VMAP>",
    ),
    (&["noop-0.1s.mp3", "noopmp3-0.1s", "blank-mp3", "noop-0.5s.mp3"], MimeType::AudioMp3, SILENCE),
    (&["noop-1s.mp4", "noopmp4-1s", "blank-mp4"], MimeType::VideoMp4, BLACK),
];

/// A script within what stands before all of them, so that their names are not the page's.
macro_rules! script {
    ($file:literal) => {
        concat!("(function () {\n", include_str!("stubs/prelude.js"), include_str!(concat!("stubs/", $file)), "})();\n")
    };
}

/// Stand-ins for scripts, by their names in lists; the first is also that in [`LIBRARIES`].
const SCRIPTS: [(&[&str], &str); 24] = [
    (&["google-ima.js", "google-ima3"], script!("ima.js")),
    (
        &["googletagservices_gpt.js", "googletagservices.com/gpt.js", "googletagservices-gpt", "google-gpt"],
        script!("gpt.js"),
    ),
    (
        &["googletagmanager_gtm.js", "googletagmanager.com/gtm.js", "googletagmanager-gtm", "google-tag-manager"],
        script!("gtm.js"),
    ),
    (
        &["google-analytics_analytics.js", "google-analytics.com/analytics.js", "google-analytics"],
        script!("google-analytics.js"),
    ),
    (&["google-analytics_ga.js", "google-analytics.com/ga.js", "google-analytics-ga"], script!("ga.js")),
    (
        &["google-analytics_cx_api.js", "google-analytics.com/cx/api.js", "google-analytics-cx-api"],
        script!("cx-api.js"),
    ),
    (
        &["googlesyndication_adsbygoogle.js", "googlesyndication.com/adsbygoogle.js", "googlesyndication-adsbygoogle"],
        script!("adsbygoogle.js"),
    ),
    (&["doubleclick_instream_ad_status.js", "doubleclick.net/instream/ad_status.js"], script!("instream_ad_status.js")),
    (&["amazon_apstag.js", "amazon-apstag"], script!("apstag.js")),
    (&["amazon_ads.js", "amazon-adsystem.com/aax2/amzn_ads.js"], script!("amzn_ads.js")),
    (&["chartbeat.js", "static.chartbeat.com/chartbeat.js"], script!("chartbeat.js")),
    (&["scorecardresearch_beacon.js", "scorecardresearch.com/beacon.js"], script!("scorecard.js")),
    (&["outbrain-widget.js", "widgets.outbrain.com/outbrain.js"], script!("outbrain-widget.js")),
    (&["fingerprint2.js", "fingerprintjs2"], script!("fingerprint2.js")),
    (&["fingerprint3.js", "fingerprintjs3"], script!("fingerprint3.js")),
    // A module has names of its own.
    (
        &["fingerprint-module.js"],
        concat!(
            "var window = {};\n",
            include_str!("stubs/fingerprint3.js"),
            "export default window.FingerprintJS;\nexport var load = window.FingerprintJS.load;\n"
        ),
    ),
    (&["fuckadblock.js-3.2.0", "nofab.js", "prevent-fab-3.2.0"], script!("fuckadblock.js")),
    (&["popads.net.js", "popads.js", "prevent-popads-net"], script!("popads.js")),
    (&["prebid-ads.js"], script!("prebid-ads.js")),
    (&["prebid.js"], script!("prebid.js")),
    (&["matomo.js", "piwik.js"], script!("matomo.js")),
    (&["fbevents.js"], script!("fbevents.js")),
    (&["hotjar.js"], script!("hotjar.js")),
    (&["segment.js"], script!("segment.js")),
];

/// Scripts for which something stands in wherever a rule forbids them, also where no rule of a list says so. An exception of a list
/// (`@@…$redirect-rule`) holds for these rules as for its own. By the path of `gtag/js` or `v4` nobody knows over plain HTTP that it is a script.
pub(super) const LIBRARIES: &str = "\
||imasdk.googleapis.com/js/sdkloader/ima3.js$script,redirect-rule=google-ima.js
||googletagmanager.com/gtm.js$script,redirect-rule=googletagmanager_gtm.js
||googletagmanager.com/gtag/js$script,xhr,other,redirect-rule=googletagmanager_gtm.js
||googleoptimize.com/optimize.js$script,redirect-rule=googletagmanager_gtm.js
||google-analytics.com/gtm/js$script,redirect-rule=googletagmanager_gtm.js
||google-analytics.com/analytics.js$script,redirect-rule=google-analytics_analytics.js
||google-analytics.com/ga.js$script,redirect-rule=google-analytics_ga.js
||stats.g.doubleclick.net/dc.js$script,redirect-rule=google-analytics_ga.js
||google-analytics.com/cx/api.js$script,redirect-rule=google-analytics_cx_api.js
||googletagservices.com/tag/js/gpt.js$script,redirect-rule=googletagservices_gpt.js
||securepubads.g.doubleclick.net/tag/js/gpt.js$script,redirect-rule=googletagservices_gpt.js
||pagead2.googlesyndication.com/tag/js/gpt.js$script,redirect-rule=googletagservices_gpt.js
||pagead2.googlesyndication.com/pagead/js/adsbygoogle.js$script,redirect-rule=googlesyndication_adsbygoogle.js
||static.doubleclick.net/instream/ad_status.js$script,redirect-rule=doubleclick_instream_ad_status.js
||amazon-adsystem.com/aax2/apstag.js$script,redirect-rule=amazon_apstag.js
||amazon-adsystem.com/aax2/amzn_ads.js$script,redirect-rule=amazon_ads.js
||static.chartbeat.com/js/chartbeat$script,redirect-rule=chartbeat.js
||scorecardresearch.com/beacon.js$script,redirect-rule=scorecardresearch_beacon.js
||scorecardresearch.com/cs/$script,redirect-rule=scorecardresearch_beacon.js
||widgets.outbrain.com/outbrain.js$script,redirect-rule=outbrain-widget.js
||connect.facebook.net/*/fbevents.js$script,redirect-rule=fbevents.js
||static.hotjar.com/c/hotjar-$script,redirect-rule=hotjar.js
||cdn.segment.com/analytics.js/$script,redirect-rule=segment.js
||openfpcdn.io/fingerprintjs/*/iife.$script,redirect-rule=fingerprint3.js
/^https?:\\/\\/openfpcdn\\.io\\/fingerprintjs\\/v[.\\d]+(\\/esm\\b.*)?$/$script,xhr,other,redirect-rule=fingerprint-module.js
/matomo.js$script,redirect-rule=matomo.js
/piwik.js$script,redirect-rule=matomo.js
/prebid.js$script,redirect-rule=prebid.js
";

/// All of them, as the crate keeps them.
pub(super) fn resources() -> impl Iterator<Item = Resource> {
    let scripts = SCRIPTS.into_iter().map(|(names, text)| (names, MimeType::ApplicationJavascript, text.as_bytes()));
    EMPTY.into_iter().chain(scripts).map(|(names, kind, content)| Resource {
        name: names[0].to_owned(),
        aliases: names[1..].iter().map(|&alias| alias.to_owned()).collect(),
        kind: ResourceType::Mime(kind),
        content: BASE64_STANDARD.encode(content),
        dependencies: Vec::new(),
        permission: PermissionMask::default(),
    })
}
