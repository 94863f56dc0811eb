//! The steps of a reader to less and to more of a page, on real pages: each changes the text, and in the direction it says.
//!
//! The pages are those of WCXB dev, which are not part of this repository: `GLEANER_WCXB` names the folder that holds `html/`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{fs, sync::Arc};

use gleaner_filters::{Chain, ChainConfig, HostList, Links, PageLimits, PageOptions, View};
use url::Url;

#[path = "../../tests/e2e/harness/optional.rs"]
#[allow(dead_code)]
mod optional;

/// The text in this view, and whether its bar offers a step to more and to less.
struct Shown {
    text: String,
    more: bool,
    less: bool,
}

fn shown(html: &str, steps: i8) -> Option<Shown> {
    let url: Url = "https://example.org/a/b".parse().unwrap();
    let view = View { steps, ..View::default() };
    let config = ChainConfig::default().for_view(view);
    let chain = Arc::new(Chain::new(&config, PageLimits::default(), HostList::default()).unwrap());
    let to = |view: View| format!("view:{view}");
    let links =
        Links { view, to: Some(Arc::new(to)), site: Some(url.clone()), look: url.clone(), book: None, keep: None };
    let mut feed = chain.page(&url, PageOptions { links: Some(links), ..PageOptions::default() });
    feed.feed(html).ok()?;
    let page = feed.finish().ok()?.content;
    let offers = |steps: i8| page.contains(&to(View { steps, ..View::default() }));
    let (more, less) = (offers(steps + 1), offers(steps - 1));
    Some(Shown { text: chain.extract(html, &url).ok()?.text, more, less })
}

#[test]
fn each_step_that_is_offered_changes_the_text_the_way_it_says() {
    let Some(files) = optional::wcxb_pages(0, 36) else {
        return;
    };
    let (mut steps, mut same, mut wrong) = (0, Vec::new(), Vec::new());
    for file in &files {
        let html = optional::unpacked(&fs::read(file).unwrap());
        let html = String::from_utf8_lossy(&html);
        let views: Vec<_> = (-4..=4).map(|steps| (steps, shown(&html, steps))).collect();
        for pair in views.windows(2) {
            let [(at, Some(less)), (_, Some(more))] = pair else { continue };
            if !(if *at < 0 { more.less } else { less.more }) {
                continue;
            }
            steps += 1;
            let step =
                format!("{} {at}..: {} {}", file.file_name().unwrap().display(), less.text.len(), more.text.len());
            if less.text == more.text {
                same.push(step);
            } else if less.text.len() > more.text.len() {
                wrong.push(step);
            }
        }
    }
    println!("{steps} steps; without a change: {same:#?}; the wrong way: {wrong:#?}");
    // The last step to more may find that nothing is left, and what a page hides may count for less when it is shown.
    assert!(steps > 150 && (same.len() + wrong.len()) * 20 <= steps, "{} and {} of {steps}", same.len(), wrong.len());
}
