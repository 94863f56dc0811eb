use super::*;
use crate::testing::page;

fn metadata(head: &str, body: &str) -> Metadata {
    let page = page(&format!("<html lang=en-gb><head>{head}</head><body>{body}"));
    read(&page).metadata
}

fn title(head: &str, body: &str) -> String {
    metadata(head, body).title
}

fn json_ld(json: &str) -> String {
    format!("<script type='application/ld+json'>{json}</script>")
}

#[test]
fn the_heading_that_is_like_the_title_is_the_headline() {
    let head = "<title>Dune: Part Two, a review - The Paper</title>";
    let body = "<h1>The Paper</h1><h1>Dune: Part Two</h1><h1>Menu</h1>";
    assert_eq!(title(head, body), "Dune: Part Two");
}

#[test]
fn a_title_is_never_cut_at_a_colon() {
    assert_eq!(title("<title>Rust: The Book</title>", ""), "Rust: The Book");
    let head = "<meta property=og:site_name content='The Paper'><title>Dune: Part Two – The Paper</title>";
    assert_eq!(title(head, ""), "Dune: Part Two");
}

#[test]
fn a_slogan_does_not_win_over_the_title() {
    let head = "<title>Email Marketing Tools | Someone</title>";
    let body = "<h1>Win customers today!</h1>";
    assert_eq!(title(head, body), "Email Marketing Tools");
}

#[test]
fn the_only_heading_is_the_headline_of_a_page_without_a_title() {
    assert_eq!(title("", "<h1>Chairs ¶</h1>"), "Chairs");
}

#[test]
fn json_ld_tells_author_date_site_and_picture() {
    let head = json_ld(
        r#"{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","name":"The Paper"},
            {"@type":["NewsArticle"],"headline":"A","datePublished":"2026-11-21T08:00:00Z","image":[{"url":"/a.jpg"}],
             "author":[{"@type":"Person","name":"Ann Ash"},{"@id":"/p/2"}],"description":"B &amp; C"},
            {"@type":"Person","@id":"/p/2","name":"Ben Birch"}]}"#,
    );
    let found = metadata(&head, "");
    assert_eq!(found.author.as_deref(), Some("Ann Ash, Ben Birch"));
    assert_eq!(found.date.as_deref(), Some("2026-11-21"));
    assert_eq!(found.site.as_deref(), Some("The Paper"));
    assert_eq!(found.description.as_deref(), Some("B & C"));
    assert_eq!(found.image.unwrap().as_str(), "https://example.org/a.jpg");
    assert!(found.is_article);
}

#[test]
fn the_author_of_a_review_is_not_the_author_of_the_page() {
    let head = json_ld(r#"{"@type":"Product","name":"Chair","review":{"@type":"Review","author":"Ann"}}"#);
    assert_eq!(metadata(&head, "").author, None);
}

#[test]
fn a_person_in_a_byline_goes_before_an_organization() {
    let head = json_ld(r#"{"@type":"Article","author":{"@type":"Organization","name":"Guild"}}"#);
    assert_eq!(metadata(&head, "").author.as_deref(), Some("Guild"));
    let found = metadata(&head, "<a rel=author href=/ann>Ann Ash</a>");
    assert_eq!(found.author.as_deref(), Some("Ann Ash"));
}

#[test]
fn json_ld_that_is_broken_or_hostile_is_passed_over() {
    for json in [
        "{",
        "null",
        "[[[[1]]]]",
        r#"{"@type":7,"author":{"name":{}}}"#,
        r#"{"@type":"Article","author":[],"image":[],"datePublished":7,"publisher":""}"#,
        &"[".repeat(100_000),
    ] {
        let found = metadata(&json_ld(json), "");
        assert_eq!((found.author, found.date), (None, None));
    }
    let in_comment = json_ld("<!-- {\"@type\":\"Article\",\"author\":\"Ann\nAsh\"} -->");
    assert_eq!(metadata(&in_comment, "").author.as_deref(), Some("Ann Ash"));
}

#[test]
fn metas_and_marks_tell_what_json_ld_does_not() {
    let head = "<meta name=author content='By Ann Ash'><meta property=article:published_time content=2026-11-21>\
                <meta property=og:description content='In short'>";
    let found = metadata(head, "");
    assert_eq!(found.author.as_deref(), Some("Ann Ash"));
    assert_eq!(found.date.as_deref(), Some("2026-11-21"));
    assert_eq!(found.language.as_deref(), Some("en-GB"));
    assert_eq!(found.description.as_deref(), Some("In short"));
    let body = "<p class=byline>Written by <a rel=author href=/ann>Ann Ash</a> on <time datetime=2026-11-21T08:00>today</time>";
    let found = metadata("", body);
    assert_eq!(found.author.as_deref(), Some("Ann Ash"));
    assert_eq!(found.date.as_deref(), Some("2026-11-21"));
}

#[test]
fn an_address_or_a_template_is_no_author() {
    for content in ["https://example.org/ann", "{{ author }}", "admin", "12"] {
        let head = format!("<meta name=author content='{content}'>");
        assert_eq!(metadata(&head, "").author, None, "{content}");
    }
    let kettle = "<h1>Kettle</h1><p>By <a href=/acme>Acme Works</a></p>";
    assert_eq!(metadata("<title>Acme Works Kettle</title>", kettle).author, None);
}

#[test]
fn the_day_is_read_where_it_is_written_near_the_headline() {
    let day = |line: &str| metadata("", &format!("<h1>The night ferry</h1>{line}")).date;
    for line in [
        "<p>January 9, 2026 · 5 min read</p>",
        "<p>Published on <b>9 January 2026</b></p>",
        "<p>Last updated: May 1, 2026</p><p>09.01.2026</p>",
        "<p>Updated January 9, 2026</p>",
        // The pages here are British.
        "<p>09/01/2026</p>",
    ] {
        assert_eq!(day(line).as_deref(), Some("2026-01-09"), "{line}");
    }
    for line in ["<dl><dt>Joined</dt><dd>9 January 2026</dd></dl>", "<p>Member since January 9, 2026</p>"] {
        assert_eq!(day(line), None, "{line}");
    }
    for far in ["<p>January 9, 2026</p>", "<footer>Last edited <time>9 January 2026</time></footer>"] {
        assert_eq!(day(&format!("<p>{}</p>{far}", "word ".repeat(200))), None, "{far}");
    }
}

#[test]
fn the_day_of_a_comment_is_not_that_of_the_article() {
    let text = "word ".repeat(200);
    let day = |class: &str| {
        let answer =
            format!("<div class={class}><p><time datetime=2026-03-01>1 March</time></p><p>I was there.</p></div>");
        metadata("", &format!("<h1>The night ferry</h1><p>{text}</p>{answer}")).date
    };
    assert_eq!((day("comment"), day("note").as_deref()), (None, Some("2026-03-01")));
}

#[test]
fn a_list_of_posts_has_no_day() {
    let body = "<time datetime=2026-11-21></time>".repeat(10);
    assert_eq!(metadata("", &body).date, None);
}

#[test]
fn a_page_that_says_nothing_has_no_metadata() {
    let page = page("");
    assert_eq!(read(&page).metadata, Metadata::default());
}

#[test]
fn a_break_in_a_headline_is_a_space_in_the_title() {
    let head = "<title>The night ferry<br/>still runs</title>";
    assert_eq!(title(head, ""), "The night ferry still runs");
    let body = "<h1>The night ferry<br>still runs</h1>";
    assert_eq!(title("", body), "The night ferry still runs");
    let body = "<h1><span>The night ferry</span><span>Still runs</span></h1>";
    assert_eq!(title("", body), "The night ferry Still runs");
    assert_eq!(title("<title>a < b and <b>c</title>", ""), "a < b and <b>c");
}

#[test]
fn a_name_ends_before_its_separators_and_numbers() {
    for byline in [
        "<p class=byline>By Ann Ash | </p>",
        "<p class=byline>By Ann Ash &middot; •</p>",
        "<p class=byline>Ann Ash Ann Ash</p>",
        "<p itemprop=author><a href=/ann>Ann Ash</a> 1,024</p>",
    ] {
        let author = metadata("", byline).author;
        assert_eq!(author.as_deref(), Some("Ann Ash"), "{byline}");
    }
}

#[test]
fn a_title_is_no_name_of_a_site() {
    let page = page(
        "<title>How to create and manage ovens | Baking | The Board</title>\
         <meta property=og:site_name content='How to create and manage ovens | Baking | The Board'><h1>How to create and manage ovens</h1>",
    );
    assert_eq!(read(&page).metadata.site.as_deref(), Some("The Board"));
}

#[test]
fn all_that_are_named_are_authors_and_none_ends_a_sentence() {
    let author = |head: &str| metadata(head, "<h1>A</h1>").author;
    let metas = |names: &[&str]| -> String {
        names.iter().flat_map(|name| ["<meta name=author content='", name, "'>"]).collect()
    };
    assert_eq!(author(&metas(&["Ann Ash", "ann ash", "Ben Bi\u{ad}rch"])).as_deref(), Some("Ann Ash, Ben Birch"));
    assert_eq!(author(&metas(&["Ann Birch."])).as_deref(), Some("Ann Birch"));
    assert_eq!(author(&metas(&["Ben Birch Jr."])).as_deref(), Some("Ben Birch Jr."));
}

#[test]
fn a_button_behind_the_headline_is_no_part_of_it() {
    assert_eq!(
        title("", "<h1>The bridge to the island <button>Add to favourites</button></h1>"),
        "The bridge to the island"
    );
    assert_eq!(title("", "<h1><button>The bridge to the island</button> +</h1>"), "The bridge to the island +");
    assert_eq!(title("", "<h1>Oven <button>Copy its path</button></h1>"), "Oven");
    let size = "<h1>Shelf, <button>30 inches</button></h1>";
    assert_eq!(title("<title>Shelf, 30 inches</title>", size), "Shelf, 30 inches");
}

#[test]
fn a_day_of_publication_may_have_a_name_before_it() {
    for name in ["w-published-date", "og:article:published_time", "DC.PublicationDate"] {
        let head = format!("<meta name='{name}' content='2026-11-21'>");
        assert_eq!(metadata(&head, "").date.as_deref(), Some("2026-11-21"), "{name}");
    }
    assert_eq!(metadata("<meta name=unpublished content='2026-11-21'>", "").date, None);
}

#[test]
fn the_day_in_the_address_is_that_of_the_readers() {
    let day = |address: &str| {
        let html = "<meta property='article:published_time' content='2026-11-22T03:05:00+00:00'>";
        read(&crate::testing::page_at(address, html)).metadata.date.unwrap()
    };
    assert_eq!(day("https://a.example/2026/11/21/bridge"), "2026-11-21");
    assert_eq!(day("https://a.example/2026-11-21-bridge"), "2026-11-21");
    assert_eq!(day("https://a.example/2026/11/18/bridge"), "2026-11-22");
}

#[test]
fn a_person_of_two_names_is_an_author() {
    let head = json_ld(
        r#"{"@type":"Article","headline":"A","author":{"@type":"Person","givenName":"Ida","familyName":"Lund"}}"#,
    );
    assert_eq!(metadata(&head, "").author.as_deref(), Some("Ida Lund"));
}

#[test]
fn the_name_and_the_day_of_a_card_are_read_without_their_labels() {
    let body = "<div class=hentry><h1>Die Presse</h1><p>Im Herbst wird sie zerlegt.</p><span class='post-author vcard'>Eingestellt von \
                <span class=fn>Ida Lund</span></span> um <abbr class=published title=2025-10-14T06:30:00+02:00>06:30</abbr></div>";
    let found = metadata("<title>Die Presse</title>", body);
    assert_eq!(found.author.as_deref(), Some("Ida Lund"));
    assert_eq!(found.date.as_deref(), Some("2025-10-14"));
}
