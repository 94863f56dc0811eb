//! The page in its own look, pruned.
//!
//! The head stays with its style sheets, and the elements around the main block stay as its frame, so that the page's
//! selectors still match. A short style sheet of ours undoes what only scripts would have undone (a body that is hidden
//! until something loads, a page that must not scroll because a dialog is open) and frees the main block from the
//! columns it shared.

mod unrevealed;

use crate::analysis::AnalysedPage;
use html5ever::{LocalName, local_name};

use super::{Surroundings, comments, controls, write_links};
use crate::html::{
    NodeId, Page,
    serialize::{self, Rules},
    tag::Tag,
};

/// Our style element's content. Its digest is [`STYLE_SOURCE`]; a test keeps the two together.
pub(crate) const STYLE: &str = "html,body{overflow:auto!important;height:auto!important;max-height:none!important;\
position:static!important;visibility:visible!important;opacity:1!important;filter:none!important}\
[data-gleaner]{visibility:visible!important;opacity:1!important;transform:none!important;max-height:none!important;\
overflow:visible!important}\
[data-gleaner=around]{display:block!important;float:none!important;position:static!important;width:auto!important;\
max-width:100%!important;min-width:0!important;margin-left:auto!important;margin-right:auto!important}\
[data-gleaner=main]{float:none!important;position:static!important;width:auto!important;max-width:48rem!important;\
margin-left:auto!important;margin-right:auto!important}\
[data-gleaner=main] img{max-width:100%;height:auto}\
#gleaner-links{max-width:48rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 sans-serif}\
#gleaner-links h2{font-size:1rem}\
#gleaner-bar,#gleaner-bar *{all:initial!important;font:14px/2 sans-serif!important;color:#333!important}\
#gleaner-bar{display:block!important;position:relative!important;clear:both!important;margin:1rem 0 0!important;\
padding:.4rem 1rem!important;border-top:1px solid #888!important;background:#fff!important}\
#gleaner-bar a{color:#0b4f9e!important;text-decoration:underline!important;cursor:pointer!important}\
#gleaner-bar span{color:#767676!important}";

/// The source expression that lets a Content-Security-Policy admit [`STYLE`] (CSP Level 3 § 2.3.1).
pub(crate) const STYLE_SOURCE: &str = "'sha256-pW7sY2TGApZrU/sc8nvOq3BKpg1oLTEx+b6xGR99qLU='";

pub(super) fn write(page: &AnalysedPage, around: Surroundings<'_>) -> String {
    write_styled(page, STYLE, around)
}

/// Writes the page in its own look, with this style sheet added.
pub(super) fn write_styled(page: &AnalysedPage, style: &str, around: Surroundings<'_>) -> String {
    let mut after_head_start = String::from("<meta charset=\"utf-8\">");
    if page.outcome.main_block.is_some() && !has_viewport(page) {
        after_head_start.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    }
    let mut before_head_end = String::with_capacity(style.len() + 16);
    before_head_end.push_str("<style>");
    before_head_end.push_str(style);
    before_head_end.push_str("</style>");
    let mut before_body_end = String::new();
    comments::write(page, around.words, Rules::VERBATIM, &mut before_body_end);
    write_links(page, around.words, &mut before_body_end);
    if around.bypass_link.is_some() {
        before_body_end.push_str("<div id=\"gleaner-bar\">");
        controls::write_row(&around, &mut before_body_end);
        before_body_end.push_str("</div>");
    }
    let mut out = String::with_capacity(16 * 1024);
    serialize::write(
        page,
        NodeId::DOCUMENT,
        Rules {
            after_head_start: &after_head_start,
            before_head_end: &before_head_end,
            before_body_end: &before_body_end,
            ..Rules::VERBATIM
        },
        &mut out,
    );
    out
}

/// Marks the main block and what is around it for [`STYLE`], and takes the page's own word on its encoding out: the
/// output is UTF-8 whatever the page was.
pub(crate) fn prepare(page: &mut AnalysedPage) {
    let charset_metas: Vec<NodeId> =
        page.live(NodeId::DOCUMENT).filter(|&id| page.tag(id) == Some(Tag::Meta) && names_charset(page, id)).collect();
    for id in charset_metas {
        page.drop_silently(id);
    }
    unrevealed::show(page);
    let Some(main) = page.outcome.main_block else { return };
    let mark = LocalName::from("data-gleaner");
    let around: Vec<NodeId> = page
        .ancestors(main)
        .take_while(|&id| id != page.body() && Some(id) != page.html() && id != NodeId::DOCUMENT)
        .collect();
    page.set_attribute(main, mark.clone(), "main".to_owned());
    for id in around {
        page.set_attribute(id, mark.clone(), "around".to_owned());
    }
}

fn names_charset(page: &Page, id: NodeId) -> bool {
    page.has_attribute(id, &local_name!("charset"))
        || page
            .attribute(id, &local_name!("http-equiv"))
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("content-type"))
}

fn has_viewport(page: &Page) -> bool {
    crate::measure::meta_content(page, &["viewport"]).is_some()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};

    use super::{STYLE, STYLE_SOURCE};

    #[test]
    fn the_source_expression_is_the_digest_of_the_style() {
        let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE));
        assert_eq!(STYLE_SOURCE, format!("'sha256-{digest}'"));
    }
}
