//! From kept texts to a piece of the page: the smallest element around them, less what holds text and none of it kept.
//!
//! A figure that stands among kept texts stays with its caption, whatever the probability of the caption: what the article shows is
//! part of it. Measured on WCXB dev, 2026-11-21, five folds: word F1 .8693 without, .8689 with it; it is for the eye. So does code.

mod cards;

use html5ever::{LocalName, local_name};
use url::Url;

use super::{blocks::TextBlocks, records::Thread};
use crate::{
    html::{NodeId, Page, tag::Tag},
    main_block::{Choice, forms::Forms},
    measure::{fields::Fields, pictures, table},
    vocabulary::any_of::AnyOf,
};

/// Texts of a subtree, and how many of them are kept.
#[derive(Clone, Copy, Default)]
struct KeptCount {
    texts: u32,
    kept: u32,
}

/// The choice that keeps these blocks, and what is known of a thread. What has no text, pictures above all, stays where it
/// stands beside kept text.
pub(super) fn choice(page: &Page, blocks: &TextBlocks, kept: &[bool], thread: &Thread, forms: &Forms) -> Choice {
    let counts = counts(page, blocks, kept, thread, forms);
    let count = |id: NodeId| counts[id.index()];
    let body = page.body();
    if count(body).kept == 0 {
        return Choice::default();
    }
    let mut container = body;
    while let Some(child) = page
        .live_children(container)
        .find(|&child| count(child).kept > 0)
        .filter(|&child| count(child).kept == count(container).kept && page.tag(child).is_some())
    {
        container = child;
    }
    let mut kept_rows = (container.index()..page.end(container).index())
        .filter(|&row| counts[row].kept > 0 && page.tag(NodeId::from_row(row)).is_none());
    let first = kept_rows.next().unwrap_or_default();
    let last = kept_rows.next_back().unwrap_or(first);
    let is_among_kept = |id: NodeId| (first..last).contains(&id.index());
    let links = cards::kept_links(page, blocks, kept);
    let mut dropped = Vec::new();
    let (mut box_end, mut card_end) = (NodeId::DOCUMENT, NodeId::DOCUMENT);
    let has_figures = page.has_any(&[Tag::Figure]);
    let mut at = NodeId(container.0 + 1);
    while at < page.end(container) {
        let KeptCount { texts, kept } = count(at);
        let mut code = Code::None;
        let is_clutter = if texts == 0 {
            at.index() < first && is_linked_picture(page, at)
        } else {
            let mut is_of_kept = || {
                let mut shows = || {
                    code = shows_code(page, at);
                    code == Code::All
                };
                is_figure(page, at) || shows() || is_caption(page, at, &counts)
            };
            kept == 0 && (!is_among_kept(at) || !is_of_kept())
        };
        let is_card = is_clutter && cards::shows_kept(page, at, at < card_end, &links);
        let is_box = is_card
            || is_clutter
                && is_among_kept(at)
                && (code == Code::WithLinks
                    || shows_picture(page, at, at < box_end)
                    || has_figures && holds_figures(page, at));
        if is_card {
            card_end = card_end.max(page.end(at));
        }
        if is_box {
            box_end = box_end.max(page.end(at));
        } else if is_clutter {
            dropped.push(at);
        }
        at = if kept == texts || kept == 0 && !is_box { page.end(at) } else { NodeId(at.0 + 1) };
    }
    // A box without a label is no text, and would stay.
    let boxes = forms.unwanted.iter().copied();
    dropped.extend(boxes.filter(|&form| count(form).texts == 0 && page.contains(container, form)));
    dropped.sort_unstable();
    Choice { kept: vec![container], dropped, ..Choice::default() }
}

/// A picture that leads elsewhere: before the first text it is the site's logo.
fn is_linked_picture(page: &Page, id: NodeId) -> bool {
    page.live(id).any(|at| matches!(page.tag(at), Some(Tag::Img | Tag::Svg | Tag::Picture)) && page.in_link(at))
}

/// A picture with a caption: a `figure`, or an element around one and nothing else that has text, or one around a picture and a line that
/// is called a caption. The caption may lead to whoever took the picture, but a bar of links in a figure is no caption. Cards are none:
/// their picture leads to a page, or their name does and they stand in a row.
fn is_figure(page: &Page, id: NodeId) -> bool {
    let (mut chars, mut in_figure, mut in_caption, mut linked) = (0, 0, 0, 0);
    let (mut pictures, mut has_picture, mut is_card) = (0, false, false);
    let (mut figure_end, mut caption_end, mut leads_to_page) = (NodeId::DOCUMENT, NodeId::DOCUMENT, true);
    for at in page.live(id) {
        match page.tag(at) {
            Some(Tag::Figure) => figure_end = figure_end.max(page.end(at)),
            Some(Tag::Figcaption) => caption_end = caption_end.max(page.end(at)),
            Some(Tag::A) => leads_to_page = self::leads_to_page(page, at),
            Some(Tag::Img) => {
                pictures += 1;
                has_picture = true;
                is_card |= page.in_link(at) && leads_to_page || pictures::is_small_or_named(page, at);
            }
            Some(Tag::Picture | Tag::Video | Tag::Svg) => has_picture |= at < figure_end.max(caption_end),
            Some(tag) if tag.is_heading() => is_card = true,
            _ if page.attribute(at, &local_name!("class")).is_some_and(|class| CAPTIONS.are_in(class)) => {
                caption_end = caption_end.max(page.end(at));
            }
            _ => {}
        }
        let own = page.own_chars(at);
        chars += own;
        in_figure += if at < figure_end.max(caption_end) { own } else { 0 };
        in_caption += if at < caption_end { own } else { 0 };
        linked += if page.in_link(at) && leads_to_page { own } else { 0 };
    }
    has_picture
        && in_figure == chars
        && chars <= MAX_CAPTION
        && (linked * 2 <= chars || in_caption == chars && pictures == 1 && !is_card && !is_in_row(page, id))
}

/// Whether an element holds figures, and nothing else but links that choose one of them: the panes of tabs.
fn holds_figures(page: &Page, id: NodeId) -> bool {
    if page.tag(id).is_none() || page.chars(id) > 2 * MAX_CAPTION {
        return false;
    }
    let (mut figures, mut figure_end) = (0, NodeId::DOCUMENT);
    page.live(id).all(|at| {
        let is_outside = at >= figure_end;
        match page.tag(at) {
            Some(Tag::Figure) if is_outside => {
                figures += 1;
                figure_end = page.end(at);
                is_figure(page, at)
            }
            Some(Tag::A) => {
                !is_outside || page.attribute(at, &local_name!("href")).is_some_and(|to| to.starts_with('#'))
            }
            Some(tag) => !(is_outside && (tag.is_heading() || matches!(tag, Tag::Input | Tag::Form | Tag::P))),
            None => !is_outside || page.own_chars(at) == 0 || page.in_link(at),
        }
    }) && figures > 0
}

/// Whether a link leads neither to a picture nor, from a picture, to a place on its own page.
fn leads_to_page(page: &Page, link: NodeId) -> bool {
    let is_own = |to: Url| (to.host(), to.path()) == (page.web_url().host(), page.web_url().path());
    let opens = page.live(link).any(|at| page.tag(at) == Some(Tag::Img));
    let is_place = opens && page.address(link, &local_name!("href")).is_some_and(is_own);
    !is_place && !leads_to_picture(page, link, &local_name!("href"))
}

/// Whether an element stands beside one of its like that is most of it a link.
fn is_in_row(page: &Page, id: NodeId) -> bool {
    let after = page.live_siblings_after(id).find(|&next| page.tag(next).is_some() || page.own_chars(next) > 0);
    let look = |id: NodeId| (page.tag(id), page.first_class(id));
    let linked = |id: NodeId| page.live(id).filter(|&at| page.in_link(at)).map(|at| page.own_chars(at)).sum::<usize>();
    let is_alike = |other: NodeId| look(other) == look(id) && linked(other) * 2 > page.chars(other);
    page.element_before(id).into_iter().chain(after).any(is_alike)
}

/// One picture with short texts beside it of which none is kept, a caption that nothing calls so or buttons to share it: the picture
/// stays without them, where it or a box around it is called a picture. One that leads to a page is a card, and one with a heading or a
/// field an announcement.
fn shows_picture(page: &Page, id: NodeId, is_in_box: bool) -> bool {
    let class = |id: NodeId| page.class(id);
    let (mut pictures, mut is_called_so) = (0, is_in_box || PICTURES.are_in(class(page.parent(id))));
    let is_expected = |at: NodeId| {
        let is_picture = page.tag(at) == Some(Tag::Img);
        pictures += usize::from(is_picture);
        is_called_so |= PICTURES.are_in(class(at));
        let is_other = |tag: Tag| tag.is_heading() || matches!(tag, Tag::Input | Tag::Button | Tag::Li | Tag::Td);
        !(pictures::NOT_OF_TEXT.are_in(class(at))
            || page.tag(at).is_some_and(is_other)
            || is_picture && !is_photograph(page, at))
    };
    let is_box = page.tag(id).is_some() && page.chars(id) <= MAX_CAPTION && page.live(id).all(is_expected);
    is_box && pictures == 1 && is_called_so
}

/// Whether a picture is no drawing or sign, not small as those of persons, and leads nowhere but to a picture.
fn is_photograph(page: &Page, picture: NodeId) -> bool {
    let link = page.ancestors(picture).find(|&up| page.tag(up) == Some(Tag::A)).filter(|_| page.in_link(picture));
    leads_to_picture(page, picture, &local_name!("src"))
        && !pictures::is_small_or_named(page, picture)
        && link.is_none_or(|link| leads_to_picture(page, link, &local_name!("href")))
}

/// Whether an attribute is the address of a picture, and not of a logo.
fn leads_to_picture(page: &Page, id: NodeId, name: &LocalName) -> bool {
    const ENDINGS: [&str; 5] = [".jpg", ".jpeg", ".png", ".webp", ".avif"];
    let path = page.address(id, name).map(|url| url.path().to_ascii_lowercase()).unwrap_or_default();
    ENDINGS.iter().any(|ending| path.ends_with(ending)) && !path.contains("logo")
}

const PICTURES: AnyOf = AnyOf::new(&["image", "photo", "picture", "figure", "caption", "media"]);

/// `wp-caption-text`, `tr-caption`, `imageCredit`: what a line under a picture is called where there is no `<figcaption>`.
const CAPTIONS: AnyOf = AnyOf::new(&["caption", "credit"]);

/// Characters of a caption, two or three sentences. Higher: figures that hold a text of their own stay too.
const MAX_CAPTION: usize = 300;

/// The caption of a figure of which something is kept: code, a table.
fn is_caption(page: &Page, id: NodeId, counts: &[KeptCount]) -> bool {
    page.tag(id) == Some(Tag::Figcaption)
        && counts[page.parent(id).index()].kept > 0
        && page.chars(id) <= MAX_CAPTION
        && !page.live(id).any(|at| page.tag(at) == Some(Tag::A))
}

/// Code, a formula or a table of data, and next to nothing else: a name of its file, its line numbers, a button. Among kept texts
/// it is what they speak of, whatever its probability. Not a table of links. A line of links beside it ("view raw") stays only where it is
/// kept by itself.
fn shows_code(page: &Page, id: NodeId) -> Code {
    let (mut code, mut linked, mut other, mut linked_other) = (0, 0, 0, 0);
    let (mut code_end, mut table_end) = (NodeId::DOCUMENT, NodeId::DOCUMENT);
    for at in page.live(id) {
        match page.tag(at) {
            Some(Tag::Pre | Tag::Math) => code_end = code_end.max(page.end(at)),
            Some(Tag::Table) if at >= table_end => {
                table_end = page.end(at);
                if table::is_data(page, at) || table::numbered_code(page, at).is_some() {
                    code_end = code_end.max(table_end);
                }
            }
            _ => {}
        }
        let own = page.own_chars(at);
        let is_code = at < code_end || own > 0 && page.text(at).is_some_and(|text| is_tex(text.trim()));
        *(if is_code { &mut code } else { &mut other }) += own;
        if page.in_link(at) {
            linked += if at < table_end { own } else { 0 };
            linked_other += if is_code { 0 } else { own };
        }
        if other > MAX_LABEL {
            return Code::None;
        }
    }
    match code {
        0 => Code::None,
        code if linked * 2 > code => Code::None,
        _ if linked_other * 2 > other => Code::WithLinks,
        _ => Code::All,
    }
}

/// How much of an element is code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    None,
    /// Code, and a line of links beside it.
    WithLinks,
    All,
}

/// A formula that stands alone, as `MathJax` reads it.
fn is_tex(text: &str) -> bool {
    let signs = [("\\[", "\\]"), ("$$", "$$"), ("\\begin{", "}")];
    signs.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close))
}

/// Characters beside code that are no text: "src/main.rs", "Copy".
const MAX_LABEL: usize = 40;

/// By row. Texts that were removed are in no block and count for nothing.
fn counts(page: &Page, blocks: &TextBlocks, kept: &[bool], thread: &Thread, forms: &Forms) -> Vec<KeptCount> {
    let mut counts = vec![KeptCount::default(); page.len()];
    for (block, &kept) in blocks.list.iter().zip(kept) {
        for id in blocks.texts(block).iter().filter(|id| page.tag(**id).is_none()) {
            counts[id.index()] = KeptCount { texts: 1, kept: u32::from(kept) };
        }
    }
    for id in &thread.texts {
        counts[id.index()].kept = counts[id.index()].texts;
    }
    // A form is one thing, and counts as a text where it has none.
    let is_kept = |form: NodeId, counts: &[KeptCount]| page.live(form).any(|id| counts[id.index()].kept > 0);
    for &form in &forms.wanted {
        keep_all(page, form, &mut counts);
    }
    for &form in &forms.whole {
        if is_kept(form, &counts) {
            keep_all(page, form, &mut counts);
        }
    }
    for &form in &forms.for_comments {
        let mut labels = page.live(form).filter(|&id| matches!(page.tag(id), Some(Tag::Label | Tag::Button)));
        if labels.any(|label| is_kept(label, &counts)) {
            keep_all(page, form, &mut counts);
        }
    }
    keep_buttons(page, &mut counts);
    for &form in &forms.unwanted {
        for id in page.live(form) {
            counts[id.index()].kept = 0;
        }
    }
    let body = page.body();
    for row in (body.index() + 1..page.end(body).index()).rev() {
        let count = counts[row];
        if count.texts == 0 && count.kept == 0 {
            continue;
        }
        let parent = &mut counts[page.parent(NodeId::from_row(row)).index()];
        parent.texts += count.texts;
        parent.kept += count.kept;
    }
    counts
}

/// A field of which the label is kept is of no use without the only button of its form.
fn keep_buttons(page: &Page, counts: &mut [KeptCount]) {
    let forms: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Form)).collect();
    for form in forms {
        let mut buttons = page.live(form).filter(|&id| page.tag(id) == Some(Tag::Button));
        if let (Some(button), None) = (buttons.next(), buttons.next())
            && Fields::from_form(page, form).count() > 0
            && page.live(form).any(|id| counts[id.index()].kept > 0)
        {
            for id in page.live(button) {
                counts[id.index()].kept = counts[id.index()].texts;
            }
        }
    }
}

fn keep_all(page: &Page, form: NodeId, counts: &mut [KeptCount]) {
    for id in page.live(form) {
        counts[id.index()].kept = counts[id.index()].texts;
    }
    counts[form.index()] = KeptCount { texts: 1, kept: 1 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        main_block::auto::blocks::TextBlock,
        testing::{ids, page},
    };

    #[test]
    fn the_smallest_container_is_kept_without_what_holds_other_text() {
        let page = page(
            "<div id=top>menu</div><div id=all><div id=head>title</div><div id=post><p id=a>one</p><figure id=f><img></figure>\
             <div id=share><b>share</b><img></div><p id=b>two <i>three</i></p></div></div>",
        );
        let blocks = TextBlocks::from_page(&page, &[]);
        let texts: Vec<bool> = [false, false, true, false, true].into();
        let choice = choice(&page, &blocks, &texts, &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.kept), ["post"]);
        assert_eq!(ids(&page, &choice.dropped), ["share"]);
    }

    #[test]
    fn a_figure_among_kept_texts_stays_and_a_card_does_not() {
        let page = page(
            "<div id=post><p>one</p><div id=f><figure><img><figcaption>caption</figcaption></figure></div>\
             <table id=t><tr><td><img><tr><td class=tr-caption>The pier</table><div id=line><img>Read this</div><figure id=card><a href=/x><img>another story</a></figure><p>two</p><figure id=after><img>\
             <figcaption>me</figcaption></figure></div>",
        );
        let blocks = TextBlocks::from_page(&page, &[]);
        let kept: Vec<bool> = blocks.list.iter().map(|block| page.tag(block.container) == Some(Tag::P)).collect();
        let choice = choice(&page, &blocks, &kept, &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["line", "card", "after"]);
    }

    #[test]
    fn the_logo_before_the_text_goes_and_the_picture_of_the_article_stays() {
        let page = page("<div><a id=logo href=/><img></a><h1>one</h1><p id=picture><img></p><p>two</p></div>");
        let blocks = TextBlocks::from_page(&page, &[]);
        let choice = choice(&page, &blocks, &[true, true], &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["logo"]);
    }

    #[test]
    fn code_among_kept_texts_stays_and_code_after_them_goes() {
        let page = page(
            "<div id=post><p>one</p><figure><figcaption>a</figcaption><p>kept</p></figure><div id=a><span>main.rs</span><pre>code</pre></div><ul><li id=b>also<pre>more</pre></li></ul>\
             <math id=e><mi>x</mi></math><div id=f>\\[x * y\\]</div><div id=c>a sentence that is much longer than any label beside code would ever be<pre>x</pre></div><p>two</p>\
             <pre id=d>after</pre></div>",
        );
        let blocks = TextBlocks::from_page(&page, &[]);
        let first = blocks.list.len() - 2;
        let kept: Vec<bool> = (0..blocks.list.len()).map(|at| at == 0 || at == 2 || at == first).collect();
        let choice = choice(&page, &blocks, &kept, &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["c", "d"]);
    }

    #[test]
    fn code_stays_without_a_line_of_links_beside_it() {
        let page = page(
            "<div id=post><p>one</p><div id=gist><div><pre>code</pre></div><p id=raw><a href=/raw>view raw</a> by us</p></div><p>two</p></div>",
        );
        let blocks = TextBlocks::from_page(&page, &[]);
        let kept: Vec<bool> = (0..blocks.list.len()).map(|at| at == 0 || at == blocks.list.len() - 1).collect();
        let choice = choice(&page, &blocks, &kept, &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["raw"]);
    }

    #[test]
    fn a_table_of_data_among_kept_texts_stays_and_one_of_links_goes() {
        let rows = "<tr><th>April<td>9 to 18<tr><th>May<td>8 to 20";
        let page = page(&format!(
            "<div><p>one</p><table id=a>{rows}</table><table id=b><tr><th><a href=/x>April</a><td><a href=/y>May</a></table>\
             <p>two</p><table id=c>{rows}</table></div>"
        ));
        let blocks = TextBlocks::from_page(&page, &[]);
        let is_text = |id| page.tag(id) == Some(Tag::P);
        let kept: Vec<bool> = blocks.list.iter().map(|block| is_text(block.container)).collect();
        let choice = choice(&page, &blocks, &kept, &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["b", "c"]);
    }

    #[test]
    fn a_text_of_a_block_is_kept_without_the_others() {
        let page = page("<div id=post><div><a>Ann</a><br><i id=r>Member</i></div><p>one</p></div>");
        let blocks = TextBlocks::from_page(&page, &[]);
        let name = page.live(page.body()).find(|&id| page.own_chars(id) == 3).unwrap();
        let thread = Thread { texts: vec![name], ..Thread::default() };
        let choice = choice(&page, &blocks, &[false, true], &thread, &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["r"]);
    }

    #[test]
    fn a_form_of_which_a_label_is_kept_keeps_its_only_button() {
        let page = page(
            "<div><form><label>Message <textarea></textarea></label><p id=note>we answer soon</p><button>Send</button></form>\
             <form><label>Find <input></label><button id=a>Go</button><button id=b>Map</button></form><p>one</p></div>",
        );
        let blocks = TextBlocks::from_page(&page, &[]);
        let is_kept = |block: &TextBlock| matches!(page.tag(block.container), Some(Tag::Label | Tag::Div));
        let mut kept: Vec<bool> = blocks.list.iter().map(is_kept).collect();
        *kept.last_mut().unwrap() = true;
        let choice = choice(&page, &blocks, &kept, &Thread::default(), &Forms::default());
        assert_eq!(ids(&page, &choice.dropped), ["note", "a", "b"]);
    }

    #[test]
    fn nothing_kept_is_no_choice() {
        let page = page("<p>one</p>");
        let blocks = TextBlocks::from_page(&page, &[]);
        assert_eq!(choice(&page, &blocks, &[false], &Thread::default(), &Forms::default()), Choice::default());
    }
}
