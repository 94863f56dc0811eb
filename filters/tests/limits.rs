//! Pages that would hurt a process without bounds come back as errors, and soon.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "limits/shapes.rs"]
mod shapes;

use std::{sync::Arc, time::Duration};

use gleaner_filters::{Chain, ChainConfig, HostList, PageError, PageLimits, PageOptions};
use url::Url;

fn chain(limits: PageLimits) -> Arc<Chain> {
    Arc::new(Chain::new(&ChainConfig::default(), limits, HostList::default()).unwrap())
}

fn url() -> Url {
    "https://example.org/".parse().unwrap()
}

#[test]
fn a_million_nested_elements_are_refused() {
    let html = "<div>".repeat(1_000_000);
    let error = chain(PageLimits::default()).run(&html, &url()).unwrap_err();
    assert_eq!(error, PageError::TooDeep { limit: 512 });
}

/// The page of a shape, or its beginning.
fn shape(name: &str, bytes: usize) -> String {
    let (_, make) = shapes::SHAPES.iter().find(|(known, _)| *known == name).unwrap();
    let mut html = make();
    html.truncate(html.floor_char_boundary(bytes.min(html.len())));
    html
}

fn reason(name: &str) -> String {
    outcome(&shape(name, usize::MAX), patient())
}

fn outcome(html: &str, limits: PageLimits) -> String {
    match chain(limits).run(html, &url()) {
        Ok(_) => "rewritten".to_owned(),
        Err(error) => error.reason().to_owned(),
    }
}

/// Time enough for whatever is linear, in a build without optimisation on a busy machine, and far too little for what is
/// not.
fn patient() -> PageLimits {
    PageLimits { cpu: Duration::from_secs(20), ..PageLimits::default() }
}

#[test]
fn elements_nested_by_the_thousand_are_refused() {
    let names = [
        "a_million_div",
        "nested_b",
        "nested_b_with_text",
        "font_and_p",
        "font_and_p_with_text",
        "nested_lists",
        "nested_definitions",
        "nested_tables",
        "nested_svg",
        "svg_groups",
        "math_integration_points",
        "unclosed_everything",
        "noah",
        "noah_in_cells",
        "adoption_agency",
    ];
    for name in names {
        assert_eq!(reason(name), "too-deep", "{name}");
    }
}

/// The contents of a template hang beside it and know no parent, so their depth was taken for 2; and a tree
/// that frees templates in templates by recursion ended the whole process with a stack overflow at 100,000 of them.
#[test]
fn templates_within_templates_are_refused_and_freed() {
    assert_eq!(reason("nested_templates"), "too-deep");
    assert_eq!(reason("nested_templates_and_tables"), "too-deep");
}

#[test]
fn a_tag_with_thousands_of_attributes_is_refused_before_it_ends() {
    for name in ["a_hundred_thousand_attributes", "attributes_without_end", "same_attribute_again_and_again"] {
        assert_eq!(reason(name), "too-many-attributes", "{name}");
    }
    let mut feed = chain(patient()).page(&url(), PageOptions::default());
    let open = format!("<p>{}<div {}", "&amp", "a ".repeat(1001));
    assert_eq!(feed.feed(&open), Err(PageError::TooManyAttributes { limit: 1000 }));
}

#[test]
fn a_tag_with_hundreds_of_attributes_is_kept() {
    let attributes = shapes::numbered(900, |n| format!(" a{n}='x y'"));
    let html = format!("<title>x</title><p{attributes}>{}", "some words ".repeat(30));
    assert_eq!(outcome(&html, patient()), "rewritten");
}

#[test]
fn attributes_are_bounded_in_total() {
    let attributes = shapes::numbered(400, |n| format!(" a{n}"));
    let html = format!("<p{attributes}>x").repeat(2600);
    assert_eq!(outcome(&html, patient()), "too-many-attributes");
}

/// A formatting element is copied into each paragraph after it: 5 MB of page took 2.6 GB of memory.
#[test]
fn attributes_that_are_copied_into_every_paragraph_are_bounded() {
    assert_eq!(reason("huge_attribute_copied"), "attributes-too-long");
    let with_many = shapes::numbered(900, |n| format!(" a{n}"));
    let html = format!("<p><b{with_many}>{}", "<p>x".repeat(2000));
    assert_eq!(outcome(&html, patient()), "too-many-attributes");
}

#[test]
fn paragraphs_that_multiply_formatting_are_refused() {
    for name in ["fonts_closed_then_paragraphs", "foster_parenting", "many_comments"] {
        let html = shape(name, 2_000_000);
        let limits = PageLimits { nodes: 40_000, ..patient() };
        assert_eq!(outcome(&html, limits), "too-many-nodes", "{name}");
    }
}

/// For each image the siblings were walked from the first: 380,000 images took minutes.
#[test]
fn images_in_a_row_cost_no_more_than_their_number() {
    for name in ["images_in_a_row", "noscripts_after_images", "pictures_of_images"] {
        assert_eq!(outcome(&shape(name, 1_500_000), patient()), "rewritten", "{name}");
    }
}

/// Every link was made absolute and kept: a base of 2 MB and 130,000 links asked for 260 GB.
#[test]
fn a_base_longer_than_any_address_is_refused() {
    assert_eq!(reason("links_and_a_huge_base"), "base-too-long");
    assert_eq!(reason("odd_links_and_a_huge_base"), "base-too-long");
}

/// Each of 490 nested links was kept with all the text inside, which belongs to all of them: 1 GB.
#[test]
fn links_in_links_are_kept_with_the_beginning_of_their_text() {
    let words = "word ".repeat(100_000);
    let html = format!(
        "<title>x</title><p>{}<p><div hidden><svg>{}{words}",
        "some words ".repeat(60_000),
        "<a href=//x.example/>".repeat(490),
    );
    let filtered = chain(patient()).run(&html, &url()).unwrap();
    assert!(filtered.content.len() < 700_000, "{}", filtered.content.len());
}

/// Each of 240 nested headings was read with all the text inside, and each heading was looked for in all of the title.
#[test]
fn headlines_are_read_as_far_as_a_headline_can_reach() {
    for name in ["huge_headings", "headings_and_a_huge_title"] {
        assert_eq!(outcome(&shape(name, 4_000_000), patient()), "rewritten", "{name}");
    }
}

#[test]
fn no_shape_panics_or_takes_more_than_its_size_explains() {
    let mut seen = 0;
    for (name, _) in shapes::SHAPES {
        let outcome = outcome(&shape(name, 150_000), patient());
        assert!(!["panic", "out-of-time"].contains(&outcome.as_str()), "{name}: {outcome}");
        seen += 1;
    }
    assert!(seen > 80, "{seen} shapes");
}

#[test]
fn nesting_at_the_limit_is_written_back() {
    let depth = 500;
    let html = format!(
        "<title>Deep</title>{}{}{}",
        "<div>".repeat(depth),
        "words at the bottom of it all ".repeat(20),
        "</div>".repeat(depth)
    );
    let filtered = chain(PageLimits::default()).run(&html, &url()).unwrap();
    assert!(filtered.content.contains("words at the bottom"));
}

#[test]
fn depth_that_is_left_again_within_one_piece_is_still_seen() {
    let html = format!("{}x{}", "<i>".repeat(560), "</i>".repeat(560));
    let error = chain(PageLimits::default()).run(&html, &url()).unwrap_err();
    assert_eq!(error, PageError::TooDeep { limit: 512 });
}

#[test]
fn more_nodes_than_the_limit_are_refused() {
    let limits = PageLimits { nodes: 1000, ..PageLimits::default() };
    let html = "<p>one".repeat(2000);
    let error = chain(limits).run(&html, &url()).unwrap_err();
    assert_eq!(error, PageError::TooManyNodes { limit: 1000 });
}

#[test]
fn a_page_without_time_is_refused() {
    let limits = PageLimits { cpu: Duration::ZERO, ..PageLimits::default() };
    let error = chain(limits).run("<p>one", &url()).unwrap_err();
    assert_eq!(error, PageError::OutOfTime { limit_ms: 0 });
}

#[test]
fn a_page_in_pieces_is_the_page_in_one() {
    let html = "<title>Pieces</title><h1>Pieces</h1><p>".to_owned()
        + &"Ein Satz mit Umlauten: äöüß, und 日本語の文 auch. ".repeat(40);
    let chain = chain(PageLimits::default());
    let whole = chain.run(&html, &url()).unwrap();
    let mut feed = chain.page(&url(), PageOptions::default());
    for piece in html.char_indices().map(|(at, c)| &html[at..at + c.len_utf8()]) {
        feed.feed(piece).unwrap();
    }
    assert_eq!(feed.finish().unwrap().content, whole.content);
}
