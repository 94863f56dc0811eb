//! Layout measured in headless Chromium: reader and control pages fit a phone, and turning by a screenful cuts nothing.

use std::fs;

use serde_json::Value;

use crate::harness::{Origin, TestProxy, browsers::Browser, get, origin::html, program::gleaner, webdriver::Window};

const TEXT: &str = "The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the council \
found that a second hand would cost as much as a bridge. So it still points between the numbers.";

/// Everything that is wider than a phone, or that only a style sheet kept small.
fn page() -> String {
    let cells = "<td>a-word-that-cannot-be-broken".repeat(8);
    let rows = format!("<tr>{cells}</tr>").repeat(3);
    let long = "0123456789".repeat(30);
    format!(
        "<!doctype html><html lang=en><title>The clock</title><body><h1>The clock</h1>\
         <p id=x>{TEXT} https://example.org/{long} <a href=/l id=link>{long}</a></p>\
         <table id=data>{rows}</table>\
         <table id=layout><tr><td align=right id=cell>{TEXT}</td><td>{TEXT}</td></tr></table>\
         <p><img id=avatar class=avatar src='data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%22800%22 \
         height=%22800%22%3E%3Crect width=%22800%22 height=%22800%22/%3E%3C/svg%3E'> Ann <span id=heard class=sr-only>wrote this</span></p>\
         <details><summary id=fold><div id=fold-title>Hours</div></summary>none</details><pre id=code>{long}</pre><math id=formula display=block><mi>{long}</mi></math><math id=short display=block><mi id=x-sign>x</mi></math><form action=/s><label for=t>Say</label><textarea id=t></textarea></form><p>{TEXT}</p>"
    )
}

const SCRIPT: &str = "<script>
const box = id => document.getElementById(id).getBoundingClientRect();
const style = (id, name) => getComputedStyle(document.getElementById(id)).getPropertyValue(name);
document.title = JSON.stringify({
  overflow: document.documentElement.scrollWidth - innerWidth,
  data: box('data').right - innerWidth, dataBorder: style('data', 'overflow-x'),
  dataCell: getComputedStyle(document.querySelector('#data td')).borderTopWidth,
  layoutCell: style('cell', 'border-top-width'), align: style('cell', 'text-align'), cellWidth: box('cell').width,
  avatar: box('avatar').width, heard: box('heard').width, code: box('code').right - innerWidth,
  formula: box('formula').right - innerWidth, shortLeft: box('x-sign').left, shortRight: document.documentElement.clientWidth - box('x-sign').right,
  scroll: ['data', 'code', 'formula'].map(id => document.getElementById(id)).map(it => it.scrollWidth > it.clientWidth),
  hints: ['data', 'code', 'formula'].map(id => style(id, 'background-attachment')),
  foldSpare: box('fold').height - box('fold-title').height,
  textarea: box('t').width, text: document.body.innerText,
});
</script>";

/// The value that a page's script writes into its title, on a phone.
async fn seen(browser: &Browser, html: &str) -> Value {
    let file = tempfile::Builder::new().suffix(".html").tempfile().unwrap();
    fs::write(&file, html).unwrap();
    let options = ["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=390,844"];
    let dom = browser.dom_with(&options, format!("file://{}", file.path().display())).await;
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_default().replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    serde_json::from_str(&title).unwrap_or_else(|error| panic!("{error}: {dom}"))
}

/// The width of the page beyond the window's, as its title.
const OVERFLOW: &str = "<script>document.title = JSON.stringify(
  document.documentElement.scrollWidth - document.documentElement.clientWidth)</script>";

#[tokio::test]
async fn the_control_page_fits_a_phone_whatever_the_configurations_path() {
    let Some(browser) = Browser::find() else { return };
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, "http://gleaner.internal/panel/health", &[]).await;
    let html = answer.text();
    let (before, rest) = html.split_once("Configuration</th><td>").unwrap();
    let (_, after) = rest.split_once("</td>").unwrap();
    let path = format!("/home/anna/{}/config.yaml", "x".repeat(80));
    let html = format!("{before}<th>Configuration</th><td><code>{path}</code></td>{after}");
    let html = html.replace("</body>", &format!("{OVERFLOW}</body>"));
    assert_eq!(seen(&browser, &html).await, 0);
}

#[tokio::test]
async fn a_reader_page_fits_a_phone_whatever_the_page_holds() {
    let Some(browser) = Browser::find() else { return };
    let dir = tempfile::tempdir().unwrap();
    // No choice of a block: this is about what is done with all of it.
    fs::write(dir.path().join("c.yaml"), "filters: { order: [] }\n").unwrap();
    fs::write(dir.path().join("page.html"), page()).unwrap();
    let output = gleaner(dir.path(), &["extract", "page.html", "--config", "c.yaml"], "");
    let html = String::from_utf8(output.stdout).unwrap();
    let look = seen(&browser, &html.replace("</body>", &format!("{SCRIPT}</body>"))).await;
    let number = |name: &str| look[name].as_f64().unwrap_or_else(|| panic!("{name}: {look}"));
    assert!(number("overflow") <= 0.0, "the page scrolls sideways: {look}");
    assert!(number("data") <= 0.0, "the table scrolls by itself: {look}");
    // What scrolls by itself says so: a shadow at the edge that hides more, covered where there is no more.
    for at in 0..3 {
        assert_eq!(look["scroll"][at], true, "{look}");
        assert_eq!(look["hints"][at], "local, local, scroll, scroll", "{look}");
    }
    assert!(number("formula") <= 0.0, "the formula scrolls by itself: {look}");
    assert!((number("shortLeft") - number("shortRight")).abs() < 4.0, "a short formula stands in the middle: {look}");
    assert_eq!(look["dataCell"], "1px", "{look}");
    assert_eq!(look["layoutCell"], "0px", "{look}");
    assert_eq!(look["align"], "start", "{look}");
    assert!(number("cellWidth") > 200.0, "columns stand one below the other: {look}");
    assert!(number("foldSpare") < 20.0, "the sign of what unfolds has no line of its own: {look}");
    assert!(number("avatar") <= 40.0, "{look}");
    assert!(number("heard") <= 1.0, "{look}");
    assert!(number("code") <= 0.0, "{look}");
    assert!(number("textarea") > 200.0, "a text area has a line of its own: {look}");
}

/// The buttons move by most of a screenful, as `scrollBy` does here; wherever that ends, the page then stands at a column's start.
#[tokio::test]
async fn a_page_that_turns_by_a_screenful_cuts_no_column() {
    let origin = Origin::http(|seen| {
        let text = format!("<p>{TEXT}</p>").repeat(40);
        let dir = if seen.uri.path() == "/rtl" { "rtl" } else { "ltr" };
        html(format!("<!doctype html><html lang=en dir={dir}><title>The clock</title><h1>The clock</h1>{text}"))
    })
    .await;
    let proxy = TestProxy::start("filters: { order: [], output: { look: { screenfuls: true } } }").await;
    let Some(window) = Window::open(&proxy).await else { return };
    for size in [(390, 844), (600, 800)] {
        window.resize(size.0, size.1).await;
        window.go(&origin.url("/page")).await;
        let fits = "return document.querySelector('main').scrollWidth > 3 * innerWidth \
                    && document.documentElement.scrollHeight <= innerHeight";
        assert_eq!(window.run(fits).await, true, "{size:?}");
        window.run("document.querySelector('main').scrollBy(innerWidth * .85, 0)").await;
        window.until("document.querySelector('main').scrollLeft > innerWidth * .9").await;
        let left = "const box = document.querySelector('main'); const edge = box.getBoundingClientRect().left; \
                    return [...box.querySelectorAll('p')].flatMap(p => [...p.getClientRects()]).map(rect => rect.left - edge) \
                    .filter(left => left > -box.clientWidth && left < box.clientWidth)";
        let left = window.run(left).await;
        assert!(left.as_array().unwrap().iter().all(|left| left.as_f64().unwrap().abs() < 1.5), "{size:?}: {left}");
    }
    // It scrolls as ever.
    window.go(&origin.url("/rtl")).await;
    assert_eq!(window.run("return document.documentElement.scrollHeight > 2 * innerHeight").await, true);
}

/// Code and text are taller than a screen, and a table is too: all of it is in a column, or scrolls.
#[tokio::test]
async fn what_is_taller_than_a_screen_can_be_turned_to_its_end() {
    let origin = Origin::http(|_| {
        let lines = "a line of code\n".repeat(200);
        let rows = format!("<tr><td>A<td>{TEXT}").repeat(200);
        let page = format!(
            "<h1>The clock</h1><p>{TEXT}<pre><code>{lines}</code></pre><table border=1>{rows}</table><p id=end>{TEXT}"
        );
        html(format!("<!doctype html><html lang=en><title>The clock</title>{page}"))
    })
    .await;
    let proxy = TestProxy::start("filters: { order: [], output: { look: { screenfuls: true } } }").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.resize(600, 800).await;
    for view in ["", "Text"] {
        window.go(&origin.url("/page")).await;
        if !view.is_empty() {
            window.follow(view).await;
        }
        let below = "const main = document.querySelector('main'); const bottom = main.getBoundingClientRect().bottom + 1; \
                     return [...main.querySelectorAll('h1,p,pre,table')].flatMap(part => [...part.getClientRects()].filter(rect => \
                     rect.bottom > bottom).map(rect => part.tagName + ' ends at ' + rect.bottom))";
        assert_eq!(window.run(below).await, serde_json::json!([]), "{view}");
        let is_wide = "return document.querySelector('main').scrollWidth > 3 * innerWidth";
        assert_eq!(window.run(is_wide).await, true, "{view}");
    }
}
