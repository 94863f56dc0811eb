use super::{
    title::{heading_before, node_like_page_title},
    *,
};
use crate::{
    html::{NodeKind, tag::Tag},
    testing::{by_id, ids, page, words},
};

/// The page of Figures 3, 4 and 6: a paragraph with a link, a note, a list.
const FIGURE_3: &str = "<body><p id=p>A paragraph <a id=a href=/x>with a link</a></p>\
        <b id=note>Note:</b><ul id=ul><li id=one>one two</li><li id=two>three four</li></ul></body>";

fn scores(page: &Page, settings: &Settings, id: &str) -> f64 {
    ScoredNodes::new(page, settings).score(by_id(page, id)).unwrap()
}

fn kept(html: &str, settings: &Settings) -> Vec<String> {
    let page = page(html);
    let choice = choose(&page, settings);
    ids(&page, &choice.kept)
}

fn assert_near(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-12, "{left} is not {right}");
}

#[test]
fn counts_are_those_of_figure_4() {
    let page = page(FIGURE_3);
    let settings = Settings::system(1);
    let scored = ScoredNodes::new(&page, &settings);
    let of = |id| {
        let counts = scored.counts[by_id(&page, id).index()];
        (counts.words, counts.links)
    };
    // A link node counts one word and one link, however long it is.
    assert_eq!(of("a"), (1, 1));
    assert_eq!(of("p"), (3, 1));
    assert_eq!(of("note"), (1, 0));
    assert_eq!(of("ul"), (4, 0));
    let body = scored.counts[page.body().index()];
    assert_eq!((body.words, body.links), (8, 1));
}

#[test]
fn the_weighted_score_tells_apart_what_the_basic_one_does_not() {
    // Figure 6: "the Note: node and the ul nodes seem equivalent under the basic scheme, but correctly diverge".
    let page = page(FIGURE_3);
    let basic = Settings::system(1);
    assert_near(scores(&page, &basic, "note"), 1.0);
    assert_near(scores(&page, &basic, "ul"), 1.0);
    assert_near(scores(&page, &basic, "p"), 2.0 / 3.0);
    let weighted = Settings::system(2);
    assert_near(scores(&page, &weighted, "note"), 0.99 + 0.01 / 8.0);
    assert_near(scores(&page, &weighted, "ul"), 0.99 + 0.01 * 4.0 / 8.0);
    assert_near(scores(&page, &weighted, "p"), 0.99 * 2.0 / 3.0 + 0.01 * 3.0 / 8.0);
    assert_eq!(kept(FIGURE_3, &weighted), ["ul"]);
}

#[test]
fn of_equal_scores_the_higher_node_wins_and_then_the_first() {
    // Basic: the note, the list, its items and all texts have 1; the note and the list are highest.
    assert_eq!(kept(FIGURE_3, &Settings::system(1)), ["note"]);
}

#[test]
fn basic_scoring_fails_where_figure_5_says_so() {
    let text = words(66);
    let html =
        format!("<div id=all><p id=one>{text}</p><p id=two>{text} <a href=/x>link</a></p><p id=three>{text}</p></div>");
    assert_eq!(kept(&html, &Settings::system(1)), ["one"]);
    // 199 words and a link: .99 * 198/199 + .01 against .99 + .01 * 66/199. The body has the same score and stands
    // higher.
    let found = kept(&html, &Settings::system(2));
    assert_eq!(found, [format!("{:?}", NodeKind::Element(Tag::Body))]);
}

#[test]
fn subset_selection_leaves_the_advertisements_of_figure_7_out() {
    let text = words(40);
    let ad = "<a href=/1>ad</a> <a href=/2>ad</a>";
    let html = format!(
        "<div id=all><p id=a>{text}</p><div id=ad1>{ad}</div><p id=b>{text}</p><div id=ad2>{ad}</div><p id=c>{text}</p></div>"
    );
    assert_eq!(kept(&html, &Settings::system(3)), ["a", "b", "c"]);
}

#[test]
fn forms_are_ignored_unless_they_hold_the_page() {
    let text = words(40);
    let aside = format!("<p id=text>{text}</p><form id=f>{}</form>", words(9));
    let of = |html: &str, settings: &Settings| {
        let page = page(html);
        let choice = choose(&page, settings);
        (ids(&page, &choice.kept), ids(&page, &choice.dropped))
    };
    let (kept, dropped) = of(&aside, &Settings::system(4));
    assert_eq!((kept, dropped), (vec!["text".to_owned()], vec!["f".to_owned()]));
    let wrapper = format!("<form id=f><p id=text>{text}</p></form>");
    assert!(!of(&wrapper, &Settings::system(5)).0.is_empty());
    let as_printed = Settings { form_guard: 1.0, ..Settings::system(5) };
    // No node has more than all words, so every form is ignored, and nothing is left.
    assert!(of(&wrapper, &as_printed).0.is_empty());
}

#[test]
fn scripts_are_text_until_they_are_removed() {
    let html = format!("<p id=text>{}</p><script id=s>{}</script>", words(5), words(50));
    let html = format!("<div id=a>{html}</div>");
    let page = page(&html);
    let words_of = |settings: &Settings| ScoredNodes::new(&page, settings).counts[by_id(&page, "a").index()].words;
    assert_eq!(words_of(&Settings::system(4)), 55);
    assert_eq!(words_of(&Settings::system(5)), 5);
}

#[test]
fn titles_come_back_from_the_siblings_or_from_the_page_title() {
    let text = words(60);
    let html = format!(
        "<title>The title</title><body><div><h2 id=far>Far</h2><h2 id=near>Near</h2><p>by</p>\
             <div id=all><p id=a>{text}</p><p id=b>{text}</p></div></div>\
             <div><a href=/><span id=same>The  title</span></a></div>"
    );
    let with =
        |title| kept(&html, &Settings { title, threshold: 0.9, subset: Subset::Children, ..Settings::system(5) });
    let set = with(Title::None);
    // The set is the children of the wrapper of all of it; a heading is then inside already.
    assert!(!set.is_empty());
    let page = page(&html);
    assert_eq!(heading_before(&page, by_id(&page, "all")), Some(by_id(&page, "near")));
    // The outermost node of that text: the wrapper of the link.
    let found = node_like_page_title(&page).unwrap();
    assert!(page.contains(found, by_id(&page, "same")));
}

#[test]
fn a_title_joins_the_set_of_a_node_that_was_chosen_for_its_children() {
    // § 6.1. The links beside the paragraphs keep the block itself out of the set of the block around it.
    let links = "<a href=/x>x</a> ".repeat(20);
    let html = format!(
        "<title>Same title</title><body><h1 id=same>Same title</h1><div><h2 id=far>Far</h2><h2 id=near>Near</h2>\
         <div id=all><p id=a>{0}</p><div>{links}</div><p id=b>{0}</p></div></div>",
        words(60)
    );
    let with = |title| {
        let settings = Settings { title, ..Settings::system(5) };
        kept(&html, &settings)
    };
    assert_eq!(with(Title::None), ["a", "b"]);
    assert_eq!(with(Title::Sibling), ["a", "b", "near"]);
    assert_eq!(with(Title::PageTitle), ["a", "b", "same"]);
    assert_eq!(with(Title::Both), ["a", "b", "near"]);
}

#[test]
fn descendants_gather_sections_that_children_do_not() {
    let text = words(40);
    let menu: String = "<a href=/1>menu</a> ".repeat(10);
    let section = |id| format!("<section>{menu}<div><p id={id}>{text}</p></div></section>");
    let html = format!("<main>{}{}</main>", section("a"), section("b"));
    let page = page(&html);
    let choice = choose(&page, &Settings::mended());
    for id in ["a", "b"] {
        assert!(choice.kept.iter().any(|&kept| page.contains(kept, by_id(&page, id))));
    }
}

#[test]
fn front_pages_are_told_from_articles() {
    let teaser = "<p><a href=/x>A headline</a> and a line</p>";
    let front = page(&teaser.repeat(30));
    assert_eq!(page_shape(&front).0, PageShape::Index);
    let article = page(&format!("<p>{}</p><p><a href=/x>More</a>", words(200)));
    assert_eq!(page_shape(&article).0, PageShape::Text);
    assert_eq!(page_shape(&page("")).0, PageShape::Empty);
}
