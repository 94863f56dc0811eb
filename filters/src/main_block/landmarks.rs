//! Removes navigation, footers and dialogs from a page of which no main block is chosen.
//!
//! A sign-in page, a poem, opening hours, a gallery have too little text to choose from, so the choice keeps all of them; the
//! site's menus are then most of what is read. What a page itself marks as a landmark can go without any choice:
//!
//! - `<nav>` and `role=navigation`, `<footer>` and `role=contentinfo`, dialogs (HTML § 4.3.4, § 4.3.9; ARIA 1.2 § 5.3.4);
//! - what the common names of menus, of cookie boxes and of boxes over the page are given to, where it holds links or short text only;
//! - links that lead over all that.
//!
//! Not inside `<main>` or `<article>`, nothing that holds the headline or asks for a password (unless it is a box that opens over a page with a
//! headline of its own), and nothing at all where what is left would show nothing but headings: a site map is a `<nav>` too.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    measure::is_log_in,
};

/// Visible characters beside headings and links that must be left, unless a picture or a field is. A line of text.
const MIN_LEFT: usize = 40;

/// Cells with words of their own, outside links, from which a table is something to see: two rows of a name and a number.
const MIN_CELLS: usize = 4;

/// Visible characters up to which an element with the name of a cookie box is one. Higher: policies about cookies would go.
const COOKIE_CHARS: usize = 1200;

/// Visible characters up to which a box that opens over the page goes. Higher: pages go that are built as such a box.
const BOX_CHARS: usize = 600;

/// Share of the page's visible characters that a longer one may have: the drawer with the log-in, the terms in a closed dialog.
const BOX_SHARE: f64 = 0.3;

/// Links from which a list of links is a menu, and the share of its characters that stand in them.
const MENU_LINKS: usize = 3;
const MENU_SHARE: f64 = 0.8;

/// Takes the landmarks out, if anything is left to see.
pub(super) fn remove(page: &mut AnalysedPage, filter: &'static str) {
    let landmarks = landmarks(page);
    if leaves_something(page, &landmarks) {
        for id in landmarks {
            page.outcome.landmark_chars += page.chars(id);
            page.remove(id, filter);
        }
    }
}

fn landmarks(page: &AnalysedPage) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut over = NodeId::DOCUMENT;
    // What the page is about, and so a box beside it is not.
    let headline = page.headline.node.or(page.headline.only_h1).filter(|_| !is_log_in(page.web_url()));
    let most = page.chars(page.body()) as f64 * BOX_SHARE;
    let opens_over = |id: NodeId, tag: Tag| {
        matches!(tag, Tag::Div | Tag::Section | Tag::Aside | Tag::Form | Tag::Dialog | Tag::Other)
            && headline.is_some_and(|node| !page.contains(id, node))
            && is_box(page, id)
            && page.chars(id) as f64 <= most
    };
    let holds = |outer: NodeId, inner: Option<NodeId>| inner.is_some_and(|inner| page.contains(outer, inner));
    for id in page.live(page.body()).skip(1) {
        let Some(tag) = page.tag(id) else { continue };
        if id < over {
            continue;
        }
        if matches!(tag, Tag::Main | Tag::Article) || has_role(page, id, &["main", "article"]) {
            over = page.end(id);
            continue;
        }
        let is_over = opens_over(id, tag);
        if (is_over || is_landmark(page, id, tag))
            && !holds(id, page.headline.node)
            && !holds_content(page, id, is_over)
        {
            found.push(id);
            over = page.end(id);
        }
    }
    found
}

fn is_landmark(page: &Page, id: NodeId, tag: Tag) -> bool {
    match tag {
        Tag::Nav | Tag::Footer | Tag::Dialog => true,
        Tag::A => skips(page, id),
        Tag::Div | Tag::Section | Tag::Ul | Tag::Ol | Tag::Aside | Tag::Header | Tag::Other => {
            has_role(page, id, &["navigation", "contentinfo", "dialog", "alertdialog"])
                || is_named(page, id, &["cookie", "cookies", "consent", "gdpr"]) && page.chars(id) <= COOKIE_CHARS
                || is_box(page, id) && page.chars(id) <= BOX_CHARS
                || is_named(page, id, &["nav", "navbar", "navigation", "menu", "footer", "breadcrumb", "breadcrumbs"])
                    && is_menu(page, id)
        }
        _ => false,
    }
}

/// Whether an element has the name of a box that opens over the page.
fn is_box(page: &Page, id: NodeId) -> bool {
    page.tag(id) == Some(Tag::Dialog) || is_named(page, id, &["modal", "popup", "flyout", "drawer", "offcanvas"])
}

/// Whether a link leads over the landmarks of the page ("Skip to content"), by its name.
fn skips(page: &Page, link: NodeId) -> bool {
    page.attribute(link, &local_name!("href")).is_some_and(|to| to.trim().starts_with('#'))
        && is_named(page, link, &["skip"])
}

/// Whether a part has what no landmark has: the main part, and a password but in a box that opens over the page.
fn holds_content(page: &Page, id: NodeId, is_over: bool) -> bool {
    page.live(id).any(|at| match page.tag(at) {
        Some(Tag::Main | Tag::Article | Tag::H1) => true,
        Some(Tag::Input) if !is_over => {
            page.attribute(at, &local_name!("type")).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"))
        }
        _ => false,
    })
}

fn is_menu(page: &Page, id: NodeId) -> bool {
    let (mut links, mut linked, mut chars) = (0, 0, 0);
    for at in page.live(id) {
        links += usize::from(page.tag(at) == Some(Tag::A));
        let own = page.own_chars(at);
        chars += own;
        linked += if page.in_link(at) { own } else { 0 };
    }
    links >= MENU_LINKS && linked as f64 >= MENU_SHARE * chars as f64
}

/// Whether a word of the element's class or id is one of these.
fn is_named(page: &Page, id: NodeId, names: &[&str]) -> bool {
    [local_name!("id"), local_name!("class")]
        .iter()
        .filter_map(|attribute| page.attribute(id, attribute))
        .flat_map(|value| value.split(|c: char| !c.is_ascii_alphanumeric()))
        .any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

fn has_role(page: &Page, id: NodeId, roles: &[&str]) -> bool {
    page.attribute(id, &local_name!("role"))
        .is_some_and(|role| roles.iter().any(|wanted| role.trim().eq_ignore_ascii_case(wanted)))
}

/// Whether a line of text, a picture that leads nowhere or a field is left.
fn leaves_something(page: &Page, landmarks: &[NodeId]) -> bool {
    let mut landmarks = landmarks.iter().copied().peekable();
    let mut over = NodeId::DOCUMENT;
    let (mut chars, mut cells) = (0, 0);
    for id in page.live(page.body()).skip(1) {
        if landmarks.peek() == Some(&id) {
            over = over.max(page.end(id));
            landmarks.next();
        }
        if id < over {
            continue;
        }
        match page.tag(id) {
            Some(tag) if tag.is_heading() => over = page.end(id),
            Some(Tag::Img | Tag::Video | Tag::Canvas) if !page.in_link(id) => return true,
            Some(Tag::Iframe | Tag::Textarea | Tag::Select) => return true,
            Some(Tag::Td | Tag::Th) => cells += usize::from(holds_own_words(page, id)),
            Some(Tag::Input) => {
                let kind = page.attribute(id, &local_name!("type"));
                if kind.is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("hidden")) {
                    return true;
                }
            }
            None if !page.in_link(id) => chars += page.own_size(id),
            _ => {}
        }
    }
    chars >= MIN_LEFT || cells >= MIN_CELLS
}

/// Whether a cell says something that is no link, and holds no table.
fn holds_own_words(page: &Page, cell: NodeId) -> bool {
    page.live(cell).all(|id| page.tag(id) != Some(Tag::Table))
        && page.live(cell).any(|id| page.own_chars(id) > 0 && !page.in_link(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, page_at};

    /// The number of a page's characters that are left.
    fn left(html: &str) -> usize {
        let mut page = page(html);
        remove(&mut page, "main_block");
        page.chars(page.body())
    }

    const LINE: &str = "<p>A line of a poem, as long as lines of poems usually are.</p>";
    const LINE_CHARS: usize = 44;

    #[test]
    fn menus_footers_and_cookie_boxes_go() {
        for landmark in [
            "<nav>menu</nav>",
            "<div role=navigation>menu</div>",
            "<footer>imprint</footer>",
            "<div id=cookie-box><p>We use cookies</p><button>yes</button></div>",
            "<div class=modal><h2>Wait</h2><p>Before you go</p></div>",
            "<a class=skip-link href=#main>Skip to content</a>",
            "<ul class='top menu'><li><a href=/a>a</a><li><a href=/b>b</a><li><a href=/c>c</a></ul>",
        ] {
            assert_eq!(left(&format!("{landmark}{LINE}")), LINE_CHARS, "{landmark}");
        }
    }

    #[test]
    fn what_only_sounds_like_a_landmark_stays() {
        for content in [
            "<div class=menu><p>soup, fish, cheese</p></div>",
            "<main><nav>a</nav></main>",
            "<article><footer>b</footer></article>",
            "<nav><h1>c</h1></nav>",
            "<dialog><form><input type=password></form>d</dialog>",
        ] {
            assert!(left(&format!("{content}{LINE}")) > LINE_CHARS, "{content}");
        }
    }

    #[test]
    fn the_log_in_that_opens_over_a_page_goes_with_its_box() {
        let text = LINE.repeat(40);
        let form = format!(
            "<form>{}<input type=password></form>",
            "<p>At least eight letters, one of them large.</p>".repeat(16)
        );
        let left = |address: &str, html: &str| {
            let mut page = page_at(address, html);
            page.headline.node = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::H2));
            remove(&mut page, "main_block");
            page.chars(page.body())
        };
        let drawer = format!("<div class=account-modal>{form}</div>");
        let shop = "https://example.org/chair";
        assert_eq!(left(shop, &format!("{drawer}<h2>Chair</h2>{text}")), 40 * LINE_CHARS + 5);
        // What the page is for stays, whatever its name.
        assert!(left("https://example.org/login", &format!("{drawer}<h2>Chair</h2>{text}")) > 40 * LINE_CHARS + 5);
        assert!(left(shop, &format!("<div class=modal><h2>Log in</h2>{form}</div>{text}")) > 40 * LINE_CHARS + 5);
        assert!(left(shop, &format!("{drawer}<h2>Log in</h2>{LINE}")) > LINE_CHARS + 5);
    }

    #[test]
    fn a_small_table_is_something_to_see() {
        let nav = "<nav><a href=/a>a</a> <a href=/b>b</a></nav>";
        let table = "<table><tr><th>Day<th>High<tr><td>Mon<td>10:20<tr><td>Tue<td>11:05</table>";
        assert_eq!(left(&format!("{nav}<h1>Tides</h1>{table}")), 28);
        let links = "<table><tr><td><a href=/c>c</a><td>|<tr><td><a href=/d>d</a><td></table>";
        assert_eq!(left(&format!("{nav}<h1>Map</h1>{links}")), 8);
    }

    #[test]
    fn nothing_goes_where_nothing_would_be_left() {
        let nav = "<nav><a href=/a>menu</a></nav>";
        assert_eq!(left(&format!("<h1>Site map</h1>{nav}")), 11);
        assert_eq!(left(&format!("<h1>Site map</h1>{nav}<img src=a>")), 7);
        assert_eq!(left(&format!("<h1>Site map</h1>{nav}<input>")), 7);
        assert_eq!(left(&format!("<h1>Site map</h1>{nav}<input type=hidden>")), 11);
    }
}
