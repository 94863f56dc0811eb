//! Nothing of a page runs when its scripts are gone: every spelling that runs in Chromium calls home, and none may be heard
//! from a rewritten page, in either look, with the policy of the response and without it.

use std::fmt::Write as _;

use http::header::HOST;

use crate::{
    browser::Browser,
    harness::{Origin, TestProxy, get, origin::html},
};

const TEXT: &str = "<p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice. Visitors set their watches by the bakery.</p>";

/// Markup that runs scripts in a browser. `@` and a number call home under that number.
const RUNS: &[&str] = &[
    "<script>@1</script>",
    "<img src=x: onerror=\"@2\">",
    "<svg onload=\"@3\"></svg>",
    "<svg><script>@4</script></svg>",
    "<iframe srcdoc=\"<script>@5</script>\"></iframe>",
    "<iframe src=\"data:text/html,<script>@6</script>\"></iframe>",
    "<iframe src=\"javascript:@7\"></iframe>",
    "<object data=\"data:text/html,<script>@8</script>\"></object>",
    "<embed src=\"data:text/html,<script>@9</script>\">",
    "<svg><animate onbegin=\"@10\" attributeName=x dur=1s /></svg>",
    "<details open ontoggle=\"@11\">x</details>",
    "<video><source onerror=\"@12\"></video>",
    "<iframe src=\" \tDa\nTa:text/html,<script>@13</script>\"></iframe>",
    "<iframe src=\"java\nscript&colon;@14\"></iframe>",
    "<iframe sandbox=allow-scripts srcdoc=\"<img src=x: onerror=@15>\"></iframe>",
    "<IMG SRC=x: ONERROR=\"@16\">",
    "<img/src=x:/onerror=\"@17\">",
    "<input autofocus onfocus=\"@18\">",
    "<style onload=\"@19\">p{margin:0}</style>",
    "<div><template shadowrootmode=open><img src=x: onerror=\"@20\"></template></div>",
    "<iframe src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>@21</script></svg>\"></iframe>",
];

/// Markup that runs only when a page that was parsed is written and parsed again.
const MUTATES: &[&str] = &[
    "<form><math><mtext></form><form><mglyph><style></math><img src=x: onerror=\"@31\"></style></form>",
    "<form><math><mtext></form><form><mglyph><xmp></math><img src=x: onerror=\"@32\"></xmp></form>",
    "<form><math><mtext></form><form><mglyph><noembed></math><img src=x: onerror=\"@33\"></noembed></form>",
    "<form><math><mtext></form><form><mglyph><noframes></math><img src=x: onerror=\"@34\"></noframes></form>",
    "<form><math><mtext></form><form><mglyph><iframe></math><img src=x: onerror=\"@35\"></iframe></form>",
    "<noscript><p title=\"</noscript><img src=x: onerror=@36>\"></p></noscript>",
    "<svg></p><style><a id=\"</style><img src=x: onerror=@37>\"></a></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=x: onerror=@38&gt;\">",
];

/// The page as it is served at this host.
fn page(host: &str, parts: &[&str]) -> String {
    let mut html = format!("<!doctype html><html lang=en><title>The clock</title><h1>The clock</h1>{TEXT}");
    for part in parts {
        html.push_str(&call_home(host, part));
        html.push_str(TEXT);
    }
    html
}

fn call_home(host: &str, part: &str) -> String {
    let mut pieces = part.split('@');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.chars().take_while(char::is_ascii_digit).count();
        let (number, rest) = piece.split_at(digits);
        let _ = write!(out, "new(Image)().src='http://{host}/ran/{number}'{rest}");
    }
    out
}

async fn origin_of(parts: Vec<&'static str>) -> Origin {
    Origin::http(move |seen| {
        let host = seen.headers.get(HOST).map_or("", |host| host.to_str().unwrap());
        html(page(host, &parts))
    })
    .await
}

/// The numbers that called home, each once.
fn ran(origin: &Origin) -> Vec<String> {
    let mut ran: Vec<String> =
        origin.requests().iter().filter_map(|seen| seen.uri.path().strip_prefix("/ran/").map(str::to_owned)).collect();
    ran.sort();
    ran.dedup();
    ran
}

#[tokio::test]
async fn nothing_runs_in_a_rewritten_page() {
    let Some(browser) = Browser::find() else {
        return;
    };
    // That it would be heard.
    let origin = origin_of(RUNS.to_vec()).await;
    let untouched = TestProxy::start("rewrite: { enabled: false }").await;
    let dom = browser.dom(&untouched, origin.url("/page")).await;
    let heard = ran(&origin);
    assert!(heard.len() >= 15, "only {heard:?} of {}: {dom}", RUNS.len());

    let all: Vec<&str> = RUNS.iter().chain(MUTATES).copied().collect();
    for yaml in [
        "filters: { output: { style: reader } }",
        "filters: { output: { style: original } }",
        "filters: { order: [ignore], ignore: { embed: false }, output: { style: reader } }",
        "filters: { order: [ignore], ignore: { embed: false, comments: false }, output: { style: original } }",
    ] {
        let proxy = TestProxy::start(yaml).await;
        let origin = origin_of(all.clone()).await;
        let dom = browser.dom(&proxy, origin.url("/page")).await;
        assert!(dom.contains("single hand"), "{yaml}: {dom}");
        assert_eq!(ran(&origin), Vec::<String>::new(), "{yaml}: {dom}");

        // The same bytes without the policy that the response carries.
        let answer = get(&proxy, &origin.url("/page"), &[]).await;
        assert!(answer.header("gleaner").starts_with("rewritten"), "{yaml}");
        let written = answer.text().to_owned();
        let copy = Origin::http(move |_| html(written.clone())).await;
        let dom = browser.dom(&untouched, copy.url("/page")).await;
        assert!(dom.contains("single hand"), "{yaml}: {dom}");
        assert_eq!(ran(&origin), Vec::<String>::new(), "{yaml}: {dom}");
        proxy.stop().await;
    }
    untouched.stop().await;
}
