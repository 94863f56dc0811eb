//! Which rule of a filter removed a part, in words.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    blocking::Blocker,
    filter::ad_servers::{hidden_by, wanted},
    html::{NodeId, Page, tag::Tag},
};

/// The rule. `ignore` is told by its settings.
pub(super) fn rule(page: &AnalysedPage, id: NodeId, filter: &str, lists: &dyn Blocker) -> String {
    match filter {
        "ad_servers" => by_list(page, id, lists).or_else(|| by_selector(page, id, lists)).unwrap_or_default(),
        "ignore" => ignored(page.tag(id)).to_owned(),
        "main_block" => match page.outcome.main_block {
            Some(place) if page.contains(place, id) => "not content, inside the main block",
            Some(_) => "outside the main block",
            None => "marked as menu, footer or notice",
        }
        .to_owned(),
        "link_lists" => "many links and few other words".to_owned(),
        "link_quota" => "too large a part of links".to_owned(),
        "empty_tables" => "empty".to_owned(),
        "captions" => "its caption has nothing to do with the text".to_owned(),
        "lazy_images" => "stands for a picture that is shown".to_owned(),
        _ => String::new(),
    }
}

/// The rule of a list against the address of an element.
fn by_list(page: &Page, id: NodeId, lists: &dyn Blocker) -> Option<String> {
    [local_name!("src"), local_name!("href")].iter().find_map(|name| {
        let address = page.base().join(page.attribute(id, name)?.trim()).ok()?;
        let rule = lists.rule(page.web_url(), &address, wanted(page, id));
        rule.or_else(|| Some(address.host_str()?.to_owned()).filter(|_| lists.by_host_alone()))
    })
}

/// The rule of a list that hides an element.
fn by_selector(page: &Page, id: NodeId, lists: &dyn Blocker) -> Option<String> {
    let selector = hidden_by(page, id, lists)?;
    Some(lists.hiding_rule(page.web_url(), &selector).unwrap_or(selector))
}

fn ignored(tag: Option<Tag>) -> &'static str {
    match tag {
        Some(Tag::Form) => "forms",
        Some(Tag::Input | Tag::Select | Tag::Textarea | Tag::Button) => "dead_controls",
        Some(Tag::Img | Tag::Picture | Tag::Svg) => "images",
        Some(Tag::Iframe) => "iframe",
        Some(Tag::Embed | Tag::Object | Tag::Applet) => "embed",
        Some(Tag::A) => "links",
        _ => "hidden",
    }
}
