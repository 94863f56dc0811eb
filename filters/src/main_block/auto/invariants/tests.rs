//! The promises hold whatever is chosen: on generated pages with generated choices, and after the form of a page.

use proptest::{collection::vec, prelude::*};

use super::*;
use crate::testing::page;

const PIECES: [&str; 10] = [
    "<h2>Hours</h2><p>open all day</p>",
    "<table><tr><th>April<td>9 to 18<tr><th>May<td>8 to 20</table>",
    "<ul><li><b>Soup</b><p>with bread</p><li><p>Cake</p><p>3 May</p></ul>",
    "<dl><dt>Tide<dd>The sea rises<dt>Ebb<dd><p>and</p><p>falls</p></dl>",
    "<details><summary>When?</summary><p>In the morning, at nine.</p></details>",
    "<div><h3>Costs</h3><p>$4</p><p>for all</p></div>",
    "<div><h3><div><a href=#w></a></div><div>Ways</div></h3><p>by boat</p></div>",
    "<p>Something else.</p>",
    "<ul><li><h4>One</h4><p>alone</p></ul>",
    "<table><tr><td><p>laid out</p><td><p>by tables</p></table>",
];

/// Beginnings of the rows and items of which only a part is kept, though each is one thing by its tag.
fn parted(page: &Page, blocks: &TextBlocks, kept: &[bool]) -> Vec<String> {
    let mut table_end = NodeId::DOCUMENT;
    let units = page.live(page.body()).filter(|&id| match page.tag(id) {
        Some(Tag::Table) => {
            table_end = if table::is_data(page, id) { table_end.max(page.end(id)) } else { table_end };
            false
        }
        Some(Tag::Tr) => id < table_end,
        Some(Tag::Li | Tag::Details | Tag::Dd) => true,
        _ => false,
    });
    let is_parted = |id: &NodeId| {
        let inside = blocks.inside(page, *id);
        let words: f32 = blocks.list[inside.clone()].iter().map(|block| block.stats.words).sum();
        let of_unit = &kept[inside];
        of_unit.contains(&true) && of_unit.contains(&false) && words <= ITEM_WORDS
    };
    units.filter(is_parted).map(|id| page.start_of_text(id, 100, 100)).collect()
}

proptest! {
    #[test]
    fn units_stay_or_go_as_one_and_headings_with_their_text(
        pieces in vec(0..PIECES.len(), 1..8),
        choice in vec(any::<bool>(), 60),
    ) {
        let html: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        let page = page(&html);
        let blocks = TextBlocks::from_page(&page, &[]);
        let mut kept: Vec<bool> = choice.into_iter().cycle().take(blocks.list.len()).collect();
        enforce(&page, &blocks, &Records::default(), &mut kept);
        prop_assert_eq!(parted(&page, &blocks, &kept), Vec::<String>::new(), "{}", html);
        for at in 1..kept.len() {
            let mut around = page.self_and_ancestors(blocks.list[at - 1].container).take(2);
            let heading = around.find(|&up| page.tag(up).is_some_and(Tag::is_heading));
            let is_of = heading.is_some_and(|id| page.contains(page.parent(id), blocks.list[at].container));
            prop_assert!(!(is_of && kept[at]) || kept[at - 1], "{}", html);
        }
    }
}

#[test]
fn prices_that_all_go_are_noticed() {
    let page = page("<p>$4</p><p>$5</p><p>$6</p><p>text</p>");
    let blocks = TextBlocks::from_page(&page, &[]);
    let is_lost = |kept: [bool; 4], least| loses_all(&prices_of(&page, &blocks), &kept, least);
    assert!(is_lost([false, false, false, true], 3));
    assert!(!is_lost([false, false, false, true], 4));
    assert!(!is_lost([false, true, false, true], 3));
}

/// The texts that are kept when those that say `kept` were chosen.
fn with_headings(html: &str) -> Vec<String> {
    let page = page(html);
    let blocks = TextBlocks::from_page(&page, &[]);
    let texts: Vec<String> = blocks.list.iter().map(|block| blocks.text(&page, block)).collect();
    let mut kept: Vec<bool> = texts.iter().map(|text| text.starts_with("kept")).collect();
    enforce(&page, &blocks, &Records::default(), &mut kept);
    let kept = texts.into_iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|(text, _)| text).filter(|text| text != "kept").collect()
}

#[test]
fn a_heading_in_a_box_of_its_own_stays_with_its_text() {
    assert_eq!(with_headings("<div><div><div><h3>Hours</h3></div></div><div><p>kept</div></div>"), ["Hours"]);
    assert_eq!(with_headings("<h3>Contents</h3><p>gone<p>kept"), [""; 0]);
    assert_eq!(with_headings("<h3><div>Opening</div><div>hours</div></h3><p>kept"), ["Opening", "hours"]);
}

#[test]
fn the_headings_of_higher_levels_stay_too() {
    assert_eq!(
        with_headings("<h2>Questions</h2><p>gone<h3>When?</h3><p>gone<h3>Where?</h3><p>kept"),
        ["Questions", "Where?"]
    );
    assert_eq!(with_headings("<h2>Gone</h2><p>gone<h2>Hours</h2><p>kept"), ["Hours"]);
    assert_eq!(with_headings("<h2>Hours</h2><div><h2>Gone</h2><p>gone</div><p>kept"), ["Hours"]);
}

#[test]
fn the_heading_of_another_box_is_not_that_of_a_text() {
    assert_eq!(with_headings("<div><h2>Menu</h2><p>gone</div><p>kept"), [""; 0]);
    assert_eq!(with_headings("<p>kept<h2>Related</h2><p>gone"), [""; 0]);
}

#[test]
fn the_same_fields_of_alike_records_stay_or_go_with_their_labels() {
    let two = |value: &str, label: &str| with_headings(&format!("<div><p>{value}<div>{label}</div></div>").repeat(2));
    assert_eq!(two("62 %", "kept Online").len(), 4);
    assert_eq!(two("Maker:", "<a href=/x>kept Acme</a>").len(), 4);
    assert_eq!(two("62 %", "<a href=/x>kept Read</a>").len(), 2);
}

/// A paragraph that is kept, of the length of texts.
const TEXT: &str = "<p>kept and so the clock went on, as all clocks do, whoever winds them, and in whatever tower they may hang, until \
    somebody comes and takes the weights away for good.</p>";

/// What else is kept of a page of which the texts are kept that begin with "kept".
fn also_kept(html: &str) -> Vec<String> {
    let page = page(html);
    let blocks = TextBlocks::from_page(&page, &[]);
    let text = |block| blocks.text(&page, block);
    let mut kept: Vec<bool> = blocks.list.iter().map(|block| text(block).starts_with("kept")).collect();
    enforce(&page, &blocks, &Records::default(), &mut kept);
    let those = blocks.list.iter().zip(kept).filter(|(block, kept)| *kept && !text(block).starts_with("kept"));
    those.map(|(block, _)| text(block)).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn what_is_short_between_two_texts_stays() {
    for (between, words) in [
        ("<div><div><h3>Washed</h3><ul><li>the screw</ul></div></div>", &["Washed", "the screw"][..]),
        ("<div class='markdown-alert'><p>Note</p><p>No reload.</p></div>", &["Note", "No reload."]),
        ("<figure class=pullquote><blockquote><p>Nobody spoke.</p></blockquote></figure>", &["Nobody spoke."]),
        ("<div class=file><a href=/ledger.pdf>The ledger</a></div>", &["The ledger"]),
    ] {
        let framed = format!("<div>{TEXT}</div>{between}<div>{TEXT}</div>");
        assert_eq!(also_kept(&framed), words, "{between}");
        assert_eq!(also_kept(&format!("{between}{TEXT}")), NONE, "{between}");
    }
}

#[test]
fn bare_text_between_two_texts_stays_and_a_box_of_its_own_kind_goes() {
    assert_eq!(also_kept(&format!("<div>{TEXT}<span>Planning</span>{TEXT}</div>")), ["Planning"]);
    assert_eq!(also_kept(&format!("<div>{TEXT}<div><div>Every evening by mail</div></div>{TEXT}</div>")), NONE);
}

#[test]
fn a_list_between_two_texts_does_not_go_with_a_link_below_it() {
    let card = "<div><h4>Cons</h4><ul><li>too loud<li>heavy</ul><div><a href=/shop>Buy it now</a></div></div>";
    assert_eq!(also_kept(&format!("<div>{TEXT}{card}{TEXT}</div>")), ["Cons", "too loud", "heavy"]);
}

#[test]
fn what_is_shown_already_does_not_come_back() {
    let twice = format!("<div>{TEXT}<p>kept: the pier</p><p>Kept: the pier!</p>{TEXT}</div>");
    assert_eq!(also_kept(&twice), NONE);
}

#[test]
fn clutter_between_two_texts_goes() {
    for between in [
        "<p>Advertisement</p>",
        "<p><a href=/x>Another story</a></p>",
        "<div class=newsletter><p>One letter a week.</p></div>",
        "<aside><p>Something else.</p></aside>",
        "<button>Save</button>",
        "<div class=modal><p>Wait!</p></div>",
    ] {
        assert_eq!(also_kept(&format!("<div>{TEXT}{between}{TEXT}</div>")), NONE, "{between}");
    }
}

#[test]
fn an_embedded_post_beside_a_text_stays_whole() {
    let post = "<div><blockquote class=twitter-tweet><p>The geese have a list.</p>— Ann <a href=/status/2>4 October</a></blockquote></div>";
    let words = ["The geese have a list.", "— Ann 4 October"];
    assert_eq!(also_kept(&format!("{TEXT}{post}{TEXT}")), words);
    assert_eq!(also_kept(&format!("<main>{TEXT}{post}</main>")), words);
    assert_eq!(also_kept(&format!("<main>{TEXT}</main><aside><div>{post}</div></aside>")), NONE);
}

#[test]
fn links_that_a_text_announces_stay() {
    let links = "<p><a href=/a>A shed</a></p><p><a href=/b>A store</a></p><p><a href=/c>An office</a></p>";
    let colon = TEXT.replace("good.", "good, and these are:");
    assert_eq!(also_kept(&format!("<main>{colon}{links}{TEXT}</main>")), ["A shed", "A store", "An office"]);
    assert_eq!(also_kept(&format!("<main>{TEXT}{links}{TEXT}</main>")), NONE);
    let list = "<ul><li><a href=/a>A shed</a><li><a href=/b>A store</a></ul>";
    assert_eq!(also_kept(&format!("<main>{TEXT}{list}{TEXT}</main>")), NONE);
    let notes = format!("<section><h2>Notes</h2>{TEXT}{list}</section><section>{TEXT}</section>");
    assert_eq!(also_kept(&notes), ["Notes", "A shed", "A store"]);
    assert_eq!(also_kept(&format!("<main>{colon}{list}</main>")), ["A shed", "A store"]);
    assert_eq!(also_kept(&format!("<main>{TEXT}{list}</main>")), NONE);
}

#[test]
fn labels_alike_above_their_texts_stay() {
    let entry = |time: &str| format!("<article><header><time>{time}</time><h3>kept head</h3></header>{TEXT}</article>");
    assert_eq!(also_kept(&format!("{}{}", entry("11:40"), entry("11:12"))), ["11:40", "11:12"]);
    assert_eq!(also_kept(&entry("11:40")), NONE);
}

#[test]
fn questions_with_answers_and_facts_below_the_text_stay() {
    let item = |question: &str| format!("<div class=item><h3>{question}</h3><div>For two years.</div></div>");
    let section =
        |count: usize| format!("<section><h2>Questions</h2>{}</section>", item("Is there a warranty?").repeat(count));
    assert_eq!(also_kept(&format!("<article>{TEXT}</article>{}", section(3))).len(), 7);
    assert_eq!(also_kept(&format!("<article>{TEXT}</article>{}", section(2))), NONE);
    assert_eq!(also_kept(&format!("<article>{TEXT}</article><footer>{}</footer>", section(3))), NONE);
    let table = "<table><tr><th>Year<td>1911<tr><th>Heat<td>Wood</table>";
    let facts = format!("<section>{TEXT}</section><section><h2>Details</h2>{table}</section>");
    assert_eq!(also_kept(&facts), ["Details", "Year", "1911", "Heat", "Wood"]);
    assert_eq!(also_kept(&format!("<section>{TEXT}</section><section>{table}</section>")), NONE);
}

#[test]
fn the_title_of_a_table_of_contents_goes_with_its_links() {
    let title = |html: &str| {
        let page = page(html);
        let blocks = TextBlocks::from_page(&page, &[]);
        let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.linked == 0.0).collect();
        enforce(&page, &blocks, &Records::default(), &mut kept);
        kept[0]
    };
    assert!(!title(&format!("<p>Table of Contents</p><ul><li><a href=#a>The beams</a></ul>{TEXT}")));
    assert!(title(&format!("<p>Of beams</p><ul><li><a href=#a>The beams</a></ul>{TEXT}")));
}

/// The texts that are kept, if those of elements of a class are.
fn kept_beside(html: &str, class: &str) -> Vec<String> {
    let page = page(html);
    let blocks = TextBlocks::from_page(&page, &[]);
    let is_kept = |block: &TextBlock| page.first_class(block.container) == class;
    let mut kept: Vec<bool> = blocks.list.iter().map(is_kept).collect();
    enforce(&page, &blocks, &Records::default(), &mut kept);
    let texts = blocks.list.iter().zip(kept).filter(|(_, kept)| *kept);
    texts.map(|(block, _)| blocks.text(&page, block).trim().to_owned()).collect()
}

#[test]
fn a_short_sentence_with_a_colon_keeps_the_list_that_it_announces() {
    let list = "<ul><li><a href=/a>A loom of oak</a><li><a href=/b>A chair</a></ul><p class=k>Write to me.";
    let kept = |words: &str| kept_beside(&format!("<p class=k>{words}</p>{list}"), "k").len();
    assert_eq!(kept("My friends' favourite projects are:"), 4);
    for words in ["My friends' favourite projects are many.", "See also:", "You may also like these articles:"] {
        assert_eq!(kept(words), 2, "{words}");
    }
}

#[test]
fn a_question_in_a_link_that_only_unfolds_keeps_its_answer() {
    let kept = |to: &str| {
        let question = |n: u8| {
            format!("<li><a class=ask href='{to}'>What does the tide {n} do?</a><p>It comes and goes.</p></li>")
        };
        let html = format!("<p class=k>text</p><ul>{}{}{}</ul>", question(1), question(2), question(3));
        kept_beside(&html, "k").len()
    };
    assert_eq!(kept("#"), 7);
    assert_eq!(kept("javascript:void(0)"), 7);
    assert_eq!(kept("/tides"), 1);
}

#[test]
fn a_table_keeps_the_names_of_its_columns() {
    let html = "<table><tr><th>Platform<th>Price<tr><td class=k>Loom<td class=k>40 a month<tr><td class=k>Weft<td class=k>free</table>";
    assert_eq!(kept_beside(html, "k"), ["Platform", "Price", "Loom", "40 a month", "Weft", "free"]);
}

#[test]
fn a_line_of_links_below_headings_alike_does_not_decide_about_them() {
    let record =
        |name: &str| format!("<div><h3>{name}</h3><p><a href=#map>map</a></p><p class=k>Soup and fish.</p></div>");
    let names = |count: usize| {
        let html: String = ["Alba", "Brasa", "Cova"][..count].iter().map(|name| record(name)).collect();
        kept_beside(&html, "k").iter().filter(|text| !text.contains(' ')).count()
    };
    assert_eq!(names(3), 3);
    assert_eq!(names(2), 0);
}

#[test]
fn prices_in_landmarks_of_the_site_are_no_prices_of_its_goods() {
    for landmark in
        ["<header>{}</header>", "<nav>{}</nav>", "<div class=modal><p>Free returns</p>{}</div>", "<footer>{}</footer>"]
    {
        let html = landmark.replace("{}", "<p>Free delivery from $40</p>") + "<main><p>A shoe</p></main>";
        let page = page(&html);
        let blocks = TextBlocks::from_page(&page, &[]);
        let prices = prices_of(&page, &blocks);
        assert!(!loses_all(&prices, &[false; 3], 1), "{landmark}");
    }
    // A page may stand in its own header.
    let page = page("<header><main><p>A shoe</p><p>$40</p></main></header>");
    let blocks = TextBlocks::from_page(&page, &[]);
    assert!(loses_all(&prices_of(&page, &blocks), &[true, false], 1));
}

const LONG: &str =
    "kept: the tide was out and the boats lay on the sand below the church, where the women mend the nets of the men.";

#[test]
fn a_note_below_a_table_stays_and_what_follows_does_not() {
    let table = "<table><tr><th>kept Leaves<th>kept Arrives<tr><td>kept 6:10<td>kept 6:45<tr><td>kept 7:10<td>kept 7:45</table>";
    let has_note =
        |below: &str| with_headings(&format!("<div>{table}</div>{below}")).iter().any(|text| text.starts_with('*'));
    assert!(has_note("<p>* Not on Sundays."));
    assert!(has_note("<div><small>* Not on Sundays.</small></div>"));
    for other in [
        "<h2>* Not on Sundays.</h2>",
        "<p>* <a href=/x>Not on Sundays.</a>",
        "<aside><p>* Not on Sundays.</aside>",
        "<p>Share this</p><p>* Not on Sundays.",
    ] {
        assert!(!has_note(other), "{other}");
    }
}

#[test]
fn the_score_of_a_review_stays_where_it_is_the_only_one() {
    let has_score = |score: &str| {
        let kept = with_headings(&format!("<main><article><h1>kept</h1><p>{LONG}<p>{LONG}</article>{score}</main>"));
        kept.iter().any(|text| text.contains('/'))
    };
    assert!(has_score("<div>8.2/10</div>"));
    assert!(has_score("<div class=score><span>Our score:</span> <b>4 / 5</b></div>"));
    for other in
        ["<div>4 / 5</div>", "<div>8.2/10</div><div>7.5/10</div>", "<aside>8.2/10</aside>", "<div>8.2/12</div>"]
    {
        assert!(!has_score(other), "{other}");
    }
}

#[test]
fn a_few_files_under_a_heading_stay_below_a_text() {
    let count =
        |links: &str| with_headings(&format!("<main><p>{LONG}</p><div><h2>Downloads</h2>{links}</div></main>")).len();
    assert_eq!(count("<ul><li><a href=/a.pdf>Report</a><li><a href=/b.csv>Data</a></ul>"), 4);
    assert_eq!(count("<p><a href=/get?id=1 download>Report</a></p>"), 3);
    assert_eq!(count("<ul><li><a href=/a>Report</a><li><a href=/b.csv>Data</a></ul>"), 1);
    assert_eq!(count(&"<p><a href=/a.pdf>Report</a></p>".repeat(7)), 1);
}

#[test]
fn the_last_sentence_stays_in_a_box_with_a_form() {
    let has_last = |last: &str| {
        let html = format!(
            "<article><p>{LONG}<p>{LONG}<div>{last}<form><label>Your e-mail</label><input></form></div></article>"
        );
        with_headings(&html).len() == 3
    };
    assert!(has_last("<p>Serve it warm, with a little salt, and keep a piece for the morning.</p>"));
    assert!(!has_last("<p>Sign up to our newsletter, and get the best of it every morning at six.</p>"));
    assert!(!has_last("<p>Serve it <a href=/warm>warm</a>, with a little salt, and keep a piece for the morning.</p>"));
}

#[test]
fn the_rows_of_a_ranking_stay_as_one() {
    let kept_of = |chosen: usize, row: &dyn Fn(usize) -> String| {
        let rows: String = (1..=10).map(row).collect();
        let page = page(&format!("<div>{rows}</div>"));
        let blocks = TextBlocks::from_page(&page, &[]);
        let mut kept: Vec<bool> = (0..blocks.list.len()).map(|at| at * 10 < chosen * blocks.list.len()).collect();
        enforce(&page, &blocks, &Records::default(), &mut kept);
        kept.iter().filter(|kept| **kept).count() * 10 / kept.len()
    };
    let points = |at: usize| 90 - at;
    let line = |at| format!("<div><i>{at}.</i> <a href=/{at}>Harbour Town</a> <b>{}</b></div>", points(at));
    let parts =
        |at| format!("<div><div>{at}</div><p><a href=/{at}>Harbour Town</a></p><div>{}</div></div>", points(at));
    for row in [&line as &dyn Fn(usize) -> String, &parts] {
        assert_eq!(kept_of(3, row), 10);
        assert_eq!(kept_of(1, row), 1);
    }
    let contents = |at| format!("<div>{at}. <a href=#{at}>Where the boats lie</a></div>");
    assert_eq!(kept_of(3, &contents), 3);
}
