//! Nothing of a page runs when its scripts are gone: every spelling that runs in Chromium calls home, and none may be heard
//! from a rewritten page, in either look, with the policy of the response and without it.

use std::{fmt::Write as _, sync::Arc, thread::sleep, time::Duration};

use http::{StatusCode, header::HOST};
use tokio::task::{JoinSet, block_in_place};

use crate::harness::{Origin, TestProxy, browsers::Browser, get, origin::html};

const TEXT: &str = "<p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice. Visitors set their watches by the bakery.</p>";

/// Markup that runs scripts in a browser. `@` and a number call home under that number.
pub(super) const RUNS: &[&str] = &[
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
pub(super) const MUTATES: &[&str] = &[
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
pub(super) fn page(host: &str, parts: &[&str]) -> String {
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
        // Without `void` a `javascript:` address makes a document of the text, and the picture may never be asked for.
        let _ = write!(out, "void(new(Image)().src='http://{host}/ran/{number}'){rest}");
    }
    out
}

pub(super) async fn origin_of(parts: Vec<&'static str>) -> Origin {
    Origin::http(move |seen| {
        let host = seen.headers.get(HOST).map_or("", |host| host.to_str().unwrap());
        html(page(host, &parts))
    })
    .await
}

/// The numbers that called home, each once.
pub(super) fn ran(origin: &Origin) -> Vec<String> {
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

/// Elements in which some parser reads text where another reads markup.
const TEXT_ELEMENTS: [&str; 9] =
    ["style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "template"];

/// What stands around them: beginnings after which the same tags mean something else.
const AROUND: [(&str, &str); 10] = [
    ("", ""),
    ("<math>", "</math>"),
    ("<svg>", "</svg>"),
    ("<math><mtext>", "</mtext></math>"),
    ("<svg><desc>", "</desc></svg>"),
    ("<select>", "</select>"),
    ("<table><tr><td><select>", "</select></table>"),
    ("<select><div><button>", "</button></div></select>"),
    ("<noscript>", "</noscript>"),
    ("<form><math><mtext></form><form><mglyph>", "</form>"),
];

/// Elements that become others, and addresses that they could take along. `@` calls home.
const MADE_REAL: [&str; 20] = [
    "<iframe data-src=\"javascript:@//a.png\"></iframe>",
    "<iframe data-src=\" java\nscript:@//a.png\"></iframe>",
    "<iframe data-lazy-src=\"javascript:@//a.png\"></iframe>",
    "<iframe data-url=\"JavaScript:@//a.png\"></iframe>",
    "<iframe nitro-lazy-src=\"javascript:@//a.png\"></iframe>",
    "<iframe data-src=\"data:text/html,<script>@</script>a.png\"></iframe>",
    "<iframe data-src=\" data:text/html,<script>@</script>/a.png\"></iframe>",
    "<iframe data-src=\"da\tta:text/html,<script>@</script>/a.png\"></iframe>",
    "<iframe data-src=/blank onload=\"@\"></iframe>",
    "<iframe data-srcdoc=\"<script>@</script>/a.png\"></iframe>",
    "<amp-iframe src=\"javascript:@//a.png\"></amp-iframe>",
    "<amp-iframe src=\"data:text/html,<script>@</script>\"></amp-iframe>",
    "<amp-iframe src=/blank srcdoc=\"<script>@</script>\"></amp-iframe>",
    "<amp-iframe src=/blank onload=\"@\"></amp-iframe>",
    "<amp-img src=x: onerror=\"@\"></amp-img>",
    "<amp-video src=x: onerror=\"@\"></amp-video>",
    "<img data-src=/none.png onerror=\"@\">",
    "<lite-youtube videoid=a srcdoc=\"<script>@</script>\"></lite-youtube>",
    "<div class=youtube data-id=a onload=\"@\" srcdoc=\"<script>@</script>\"></div>",
    "<base href=\"javascript:@//\"><iframe data-src=\"javascript:@//a.png\"></iframe>",
];

/// Some three hundred payloads, with numbers.
pub(super) fn payloads() -> Vec<String> {
    const RUN: &str = "<img src=x: onerror=\"@\">";
    let bare = RUN.replace('"', "");
    let escaped = RUN.replace('<', "&lt;").replace('>', "&gt;");
    let mut all: Vec<String> = RUNS.iter().chain(MUTATES).map(|payload| (*payload).to_owned()).collect();
    for (open, close) in AROUND {
        for element in TEXT_ELEMENTS {
            // As text, as markup that only another parser ends, and behind what only another parser leaves open.
            all.push(format!("{open}<{element}>{escaped}</{element}>{close}"));
            all.push(format!("{open}<{element}><a title=\"</{element}>{bare}\"></a></{element}>{close}"));
            all.push(format!("{open}<{element}>{close}{RUN}"));
        }
    }
    all.extend(MADE_REAL.map(str::to_owned));
    let numbered = |(number, payload): (usize, String)| {
        let mut pieces = payload.split('@');
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let _ = write!(out, "@{number}{}", piece.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        out
    };
    all.into_iter().enumerate().map(numbered).collect()
}

/// How long scripts have to start.
const SCRIPT_TIME: Duration = Duration::from_secs(2);

/// Each payload in a page of its own, all of them in frames of one. A page with an error's status passes as it is.
async fn origin_of_frames(
    pages: impl Fn(&str, usize) -> Option<String> + Send + Sync + 'static,
    count: usize,
) -> Origin {
    Origin::http(move |seen| {
        let host = seen.headers.get(HOST).map_or("", |host| host.to_str().unwrap());
        let number = seen.uri.path().strip_prefix("/p/").and_then(|number| number.parse().ok());
        if let Some(page) = number.and_then(|number| pages(host, number)) {
            return html(page);
        }
        if seen.uri.path() == "/late" {
            block_in_place(|| sleep(SCRIPT_TIME));
        }
        // The browser is done when all is loaded: some scripts of frames start after their frame's load.
        let mut frames = "<!doctype html><title>Frames</title><img src=/late>".to_owned();
        if seen.uri.path() == "/all" {
            for number in 0..count {
                let _ = write!(frames, "<iframe src=/p/{number}></iframe>");
            }
        }
        let mut response = html(frames);
        *response.status_mut() = StatusCode::FORBIDDEN;
        response
    })
    .await
}

/// What a parser and a serializer of ours make of a page may not run what the page itself would not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_runs_that_does_not_run_without_us() {
    const CLIENTS: usize = 8;
    let Some(browser) = Browser::find() else {
        return;
    };
    let payloads = Arc::new(payloads());
    let count = payloads.len();
    assert!(count > 300, "{count}");
    let (pages, of_origin) = (Arc::clone(&payloads), Arc::clone(&payloads));
    let serve = move |host: &str, number: usize| pages.get(number).map(|payload| page(host, &[payload]));
    let untouched = TestProxy::start("rewrite: { enabled: false }").await;
    let origin = origin_of_frames(serve, count).await;
    browser.dom(&untouched, origin.url("/all")).await;
    let by_itself = ran(&origin);
    assert!(by_itself.len() > 30, "{by_itself:?}");

    for yaml in [
        "filters: { output: { style: original } }",
        "filters: { ignore: { scripts: false }, output: { style: original } }",
        "filters: { ignore: { scripts: false, comments: false }, output: { style: reader } }",
    ] {
        let proxy = TestProxy::start(yaml).await;
        let pages = Arc::clone(&of_origin);
        let serve = move |host: &str, number: usize| pages.get(number).map(|payload| page(host, &[payload]));
        let origin = origin_of_frames(serve, count).await;
        // What was written is served again, without the policy that the response carries.
        let mut asking = JoinSet::new();
        let proxy = Arc::new(proxy);
        for start in 0..CLIENTS {
            let (proxy, address) = (Arc::clone(&proxy), origin.url("/p/"));
            asking.spawn(async move {
                let mut written = Vec::new();
                for number in (start..count).step_by(CLIENTS) {
                    let answer = get(&proxy, &format!("{address}{number}"), &[]).await;
                    if answer.header("gleaner").starts_with("rewritten") {
                        written.push(answer.text().to_owned());
                    }
                }
                written
            });
        }
        let written: Vec<_> = asking.join_all().await.into_iter().flatten().collect();
        assert!(written.len() > count / 2, "{yaml}: {} of {count} are rewritten", written.len());
        // Of the others nothing is left that could run.
        let left: Vec<String> = written.into_iter().filter(|page| page.contains("/ran/")).collect();
        let frames = left.len();
        let copy = origin_of_frames(move |_, at| left.get(at).cloned(), frames).await;
        browser.dom(&untouched, copy.url("/all")).await;
        let mut only_by_us: Vec<usize> = ran(&origin)
            .iter()
            .filter(|number| !by_itself.contains(*number))
            .map(|number| number.parse().unwrap())
            .collect();
        // Among hundreds of frames some scripts start too late to be seen, on a busy machine more than once.
        for _ in 0..5 {
            if only_by_us.is_empty() {
                break;
            }
            let (pages, numbers) = (Arc::clone(&of_origin), only_by_us.clone());
            let serve = move |host: &str, at: usize| numbers.get(at).map(|&number| page(host, &[&pages[number]]));
            let few = origin_of_frames(serve, only_by_us.len()).await;
            browser.dom(&untouched, few.url("/all")).await;
            let by_itself = ran(&few);
            only_by_us.retain(|number| !by_itself.contains(&number.to_string()));
        }
        let only_by_us: Vec<&String> = only_by_us.into_iter().map(|number| &payloads[number]).collect();
        assert!(only_by_us.is_empty(), "{yaml}: {only_by_us:#?}");
    }
    untouched.stop().await;
}
