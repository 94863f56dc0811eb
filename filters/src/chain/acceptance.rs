//! Decides whether a page is returned unfiltered: redirects, pages that scripts draw, and results with too little text.

use html5ever::local_name;
use url::Url;

use super::Chain;
use crate::{
    analysis::AnalysedPage,
    error::PageError,
    html::{NodeId, Page, tag::Tag},
    report::Report,
};

impl Chain {
    /// A page that only leads on must lead on; a page whose scripts would draw it is no use without them, and one without any
    /// text has nothing to choose from.
    pub(super) fn check_page(&self, page: &Page, chars: usize) -> Result<(), PageError> {
        if page.about(Tag::Meta).any(|meta| is_redirect(page, meta)) {
            return Err(PageError::Redirect);
        }
        let has_scripts = || page.live(NodeId::DOCUMENT).any(|id| page.tag(id) == Some(Tag::Script));
        let is_drawn = !self.scripting
            && chars < self.floor.page_chars
            && has_scripts()
            && page.size(page.body()) < self.floor.page_chars;
        let is_drawn = is_drawn || !self.scripting && self.floor.page_chars > 0 && has_scripts() && is_main_empty(page);
        if is_drawn || chars == 0 && self.floor.page_chars > 0 {
            return Err(PageError::LittleText { chars });
        }
        Ok(())
    }

    pub(super) fn check_result(&self, page: &AnalysedPage, report: &Report) -> Result<(), PageError> {
        // Menus and footers of a page that is kept whole are nothing that was to be kept; that enough is left beside them was seen
        // when they were taken out.
        let content = report.text_before.saturating_sub(page.outcome.landmark_chars);
        let needed = match page.outcome.landmark_chars {
            0 => self.floor.kept_chars.min(content),
            _ => 0,
        };
        // If a page had only menus and footers, it is passed with them.
        let is_empty = report.text_after == 0
            && report.text_before > 0
            && self.floor.kept_chars > 0
            && !page.live(page.body()).any(|id| matches!(page.tag(id), Some(Tag::Img | Tag::Video | Tag::Iframe)));
        // A shelf of two goods beside the terms of the shop in a closed box: such a choice has said itself how sure it is.
        let knows_how_sure = page.outcome.main_block.is_some() && page.outcome.confidence.is_some();
        let is_little = || page.size(page.body()) < self.floor.kept_chars;
        if is_empty
            || report.text_after < needed && is_little()
            || !knows_how_sure && (report.text_after as f64) < self.floor.kept_share * content as f64
        {
            return Err(PageError::KeptTooLittle { chars: report.text_after, of: report.text_before });
        }
        Ok(())
    }
}

/// Whether the main part has nothing but its heading: a script draws what the page is for.
fn is_main_empty(page: &Page) -> bool {
    let mut mains = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Main));
    let (Some(main), None) = (mains.next(), mains.next()) else {
        return false;
    };
    let mut over = NodeId::DOCUMENT;
    !page.live(main).any(|id| {
        if page.tag(id).is_some_and(Tag::is_heading) {
            over = page.end(id);
        }
        let shows = page.own_chars(id) > 0
            || page.tag(id).is_some_and(|tag| tag.is_media() || matches!(tag, Tag::Input | Tag::Table | Tag::Form));
        id >= over && shows
    })
}

/// `<meta http-equiv="refresh" content="0; url=…">` that leads elsewhere, unless it is for readers without scripts only. A page that
/// loads itself anew after a while (newspapers do) is no redirect.
fn is_redirect(page: &Page, meta: NodeId) -> bool {
    page.attribute(meta, &local_name!("http-equiv")).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"))
        && page.attribute(meta, &local_name!("content")).is_some_and(|content| leads_elsewhere(page, content))
        && !page.ancestors(meta).any(|up| page.tag(up) == Some(Tag::Noscript))
}

fn leads_elsewhere(page: &Page, content: &str) -> bool {
    let Some(at) = content.to_ascii_lowercase().find("url") else {
        return false;
    };
    let address = content[at + 3..].trim_start_matches(|char: char| char.is_whitespace() || "='\"".contains(char));
    let address = address.trim_end_matches(|char: char| char.is_whitespace() || "'\"".contains(char));
    let without_fragment = |mut url: Url| {
        url.set_fragment(None);
        url
    };
    let target = page.base().join(address).map(without_fragment);
    !address.is_empty() && target.is_ok_and(|target| target != without_fragment(page.url().clone()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Chain, ChainConfig, HostList, PageLimits, testing};

    #[test]
    fn a_page_that_loads_itself_anew_is_no_redirect() {
        let page = testing::page_at("https://example.org/news", "<p>words");
        for (content, is_redirect) in [
            ("0; url=https://example.org/other", true),
            ("5;URL='/other'", true),
            ("900; url=", false),
            ("900", false),
            ("900; url=news", false),
            ("900; url=https://example.org/news#top", false),
        ] {
            assert_eq!(leads_elsewhere(&page, content), is_redirect, "{content}");
        }
    }

    #[test]
    fn a_page_that_is_nothing_but_its_menu_passes_with_it() {
        let chain = Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default());
        let chain = Arc::new(chain.unwrap());
        let url = "https://example.org/".parse().unwrap();
        let menu = "<nav><a href=/calc>Range calculator</a> <a href=/give>Donate now</a></nav>";
        let form = "<form action=/login><input name=user></form>";
        let page = format!("{menu}{form}");
        let error = chain.run(&page, &url).unwrap_err();
        assert_eq!(error.reason(), "kept-too-little");
        for left in ["<p>How far it goes, in kilometres:</p>", "<img src=/range.jpg>"] {
            let kept = chain.run(&format!("{menu}{left}{form}"), &url).unwrap();
            assert!(!kept.content.contains("<nav"), "{}", kept.content);
        }
    }
}
