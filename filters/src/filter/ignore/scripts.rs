//! What may run a script in a page whose `<script>`s are gone: event attributes, addresses, pages inside frames, and
//! animations that write such addresses.
//!
//! Sources: HTML § 8.1.8 (event handlers), § 4.8.5 (`sandbox`), § 7.4.2.3.3 (`javascript:` addresses); WHATWG URL § 4.4 (what a
//! browser skips in an address); RFC 2397 (`data:`); SVG 2 § 15.7 (scripts), § 16.3 (links), SVG Animations 1.1 § 19.2.

use html5ever::local_name;

use crate::html::{
    NodeId, Page,
    attribute_hints::{
        Hint,
        scripts::{has_scheme, is_script, may_run},
    },
    tag::Tag,
};

/// Makes one element inert.
pub(super) fn disarm(page: &mut Page, id: NodeId, tag: Tag) {
    if tag == Tag::Iframe && holds_own_page(page, id) {
        // HTML § 4.8.5: the page inside runs no scripts where `sandbox` is empty, whatever it was.
        page.set_attribute(id, local_name!("sandbox"), String::new());
    }
    let is_plug_in = matches!(tag, Tag::Object | Tag::Embed | Tag::Applet);
    let is_copy = tag == Tag::Foreign && page.has_local_name(id, "use");
    if !page.hints(id).has(Hint::Runs) && !is_plug_in && !is_copy {
        return;
    }
    page.drop_attributes(id, |name, value| {
        may_run(name, value)
            || is_plug_in && matches!(&**name, "data" | "src") && is_page_address(value)
            || is_copy && &**name == "href" && has_scheme(value, "data:")
    });
}

/// Whether a text is data for a script: an object or a list in JSON that stands in the page as text, hidden by a style sheet.
pub(super) fn is_data(page: &Page, text: NodeId) -> bool {
    /// Visible characters from which it is no example in a sentence.
    const LEAST_CHARS: usize = 40;
    if page.own_chars(text) < LEAST_CHARS {
        return false;
    }
    let is_shown_as_code = || {
        page.ancestors(text)
            .any(|up| matches!(page.tag(up), Some(Tag::Pre | Tag::Code | Tag::Samp | Tag::Kbd | Tag::Textarea)))
    };
    page.text(text).is_some_and(|text| {
        let text = text.trim();
        let inner = ["{", "[{", "["].iter().find_map(|start| text.strip_prefix(start));
        inner.is_some_and(|inner| inner.trim_start().starts_with('"'))
            && text.ends_with(['}', ']'])
            && (text.contains("\":") || text.contains("\",\""))
    }) && !is_shown_as_code()
}

/// `<meta http-equiv="refresh" content="0; url=javascript:…">`, or to a page that is written in its address (`data:`): browsers of
/// today do not follow it, older ones do.
pub(super) fn is_script_refresh(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("http-equiv")).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"))
        && page.attribute(id, &local_name!("content")).is_some_and(|content| {
            content.split([';', ',', '=']).any(|part| {
                let address = part.trim_start_matches(|c: char| c <= ' ' || matches!(c, '\'' | '"'));
                is_script(address) || is_page_address(address)
            })
        })
}

/// Whether a frame's page is written in its attributes.
fn holds_own_page(page: &Page, id: NodeId) -> bool {
    page.has_attribute(id, &local_name!("srcdoc"))
        || page.attribute(id, &local_name!("src")).is_some_and(is_page_address)
}

/// Whether what is at an address is a page that comes from the page around it, or from nowhere.
fn is_page_address(address: &str) -> bool {
    let is_picture = ["png", "jpeg", "jpg", "gif", "webp", "avif"]
        .iter()
        .any(|kind| has_scheme(address, &format!("data:image/{kind}")));
    !is_picture && (has_scheme(address, "data:") || has_scheme(address, "blob:"))
}

#[cfg(test)]
mod tests {
    use html5ever::local_name;

    use super::*;
    use crate::testing::{by_id, page};

    fn disarmed(html: &str) -> String {
        let mut page = page(html);
        let rows: Vec<NodeId> = page.live(page.body()).collect();
        for id in rows {
            if let Some(tag) = page.tag(id) {
                disarm(&mut page, id, tag);
            }
        }
        let mut out = String::new();
        for child in page.live_children(page.body()) {
            let rules = crate::html::serialize::Rules::VERBATIM;
            crate::html::serialize::write(&page, child, rules, &mut out);
        }
        out
    }

    #[test]
    fn addresses_of_scripts_are_dropped_however_they_are_spelt() {
        for html in [
            "<a href=javascript:x>",
            "<a href=' \u{1}JaVaScRiPt:x'>",
            "<a href='java\nscript:x'>",
            "<a href='java&Tab;script&colon;x'>",
            "<a href=vbscript:x>",
            "<form action=javascript:x>",
            "<button formaction=javascript:x>",
            "<object data=javascript:x>",
            "<object data='data:text/html,x'>",
            "<embed src='data:image/svg+xml,x'>",
            "<svg><a xlink:href=javascript:x>",
            "<svg><animate attributeName=href values='#;javascript:x'>",
            "<svg><set attributeName=href to=javascript:x>",
            "<svg><set attributeName=onclick to=x>",
            "<svg><use href='data:image/svg+xml,x'>",
            "<svg ONLOAD=x>",
            "<math><mi href=javascript:x>",
            "<img src=x onerror=x>",
            "<body-like onclick=x>",
        ] {
            let out = disarmed(html).to_lowercase();
            let is_gone = ["javascript", "java\n", "vbscript", "data:", "on"]
                .iter()
                .all(|sign| !out.replace("button", "").replace("xlink", "").contains(sign));
            assert!(is_gone || out.contains("attributename=\"href\""), "{html}: {out}");
            assert!(!out.contains("script:x"), "{html}: {out}");
        }
    }

    #[test]
    fn addresses_that_only_look_like_scripts_stay() {
        for html in [
            "<a href=\"/javascript:x\"></a>",
            "<img alt=\"JavaScript: an introduction\">",
            "<img src=\"data:image/svg+xml,x\">",
            "<object data=\"data:image/png;base64,x\"></object>",
            "<a href=\"javascript.html\"></a>",
        ] {
            assert_eq!(disarmed(html), html);
        }
    }

    #[test]
    fn a_page_in_the_attributes_of_a_frame_is_shut() {
        for html in [
            "<iframe id=f srcdoc='<p>x' sandbox=allow-scripts>",
            "<iframe id=f src=' DATA:text/html,x'>",
            "<iframe id=f src='da\tta:text/html,x' sandbox='allow-scripts allow-same-origin'>",
            "<iframe id=f src='data:image/svg+xml,x'>",
        ] {
            let mut page = page(html);
            let frame = by_id(&page, "f");
            disarm(&mut page, frame, Tag::Iframe);
            let sandbox = page.attribute(frame, &local_name!("sandbox"));
            assert_eq!(sandbox, Some(""), "{html}");
        }
    }

    #[test]
    fn data_for_scripts_is_known_and_code_is_not() {
        let is_data_in = |html: &str| {
            let page = page(html);
            page.live(page.body()).any(|id| is_data(&page, id))
        };
        let json = r#"{"widget":"grid","page":"browse","items":["B0CX","B0CY"],"count":2}"#;
        assert!(is_data_in(&format!("<div> {json} </div>")));
        assert!(is_data_in(&format!("<div>[{json}]</div>")));
        assert!(!is_data_in(&format!("<pre>{json}</pre>")));
        assert!(!is_data_in(&format!("<p>Send {json}</p>")));
        assert!(!is_data_in("<p>[\"A quotation\", as it stands in the book, and what follows it]</p>"));
    }

    #[test]
    fn a_refresh_to_a_script_is_known() {
        let refresh = |content: &str| {
            let page = page(&format!("<meta id=m http-equiv=Refresh content=\"{content}\">"));
            is_script_refresh(&page, by_id(&page, "m"))
        };
        assert!(refresh("0;url=javascript:x"));
        assert!(refresh("0; URL='JAVASCRIPT:x'"));
        assert!(refresh("0;url=data:text/html,x"));
        assert!(refresh("0;\n url = ' da\tta:text/html,x'"));
        assert!(!refresh("0; url=/data:x"));
        assert!(!refresh("5; url=/next"));
    }
}
