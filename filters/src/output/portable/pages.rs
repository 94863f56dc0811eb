//! Whole pages around what [`PortableWriter`] writes.

use super::{Dialect, PortableWriter};
use crate::{
    analysis::AnalysedPage,
    html::serialize::{escape_attribute, escape_text},
    metadata::document_title,
    output::{
        Settings, Surroundings, Written, additions, comments, controls,
        interface::Label,
        reader::{Top, write_head, write_header},
        tidy,
    },
};

/// The reader page of a page that is shown elsewhere than at its own address, or in parts.
pub(in crate::output) fn reader(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>) -> Written {
    let mut out = String::with_capacity(16 * 1024);
    write_head(page, &around, "", &mut out);
    write_header(page, around, &mut out);
    out.push_str("<main>");
    let parts = content(page, settings, around, Dialect::Html);
    write_part(&parts, &around, &mut out);
    out.push_str("</main></body></html>\n");
    Written { content: out, next_page_link: None }
}

/// The reader page in HTML 3.2.
pub(in crate::output) fn plain(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>) -> Written {
    let mut out = String::with_capacity(16 * 1024);
    out.push_str("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html><head>");
    out.push_str("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\"><title>");
    escape_text(&title(page), &mut out);
    out.push_str("</title></head><body>\n");
    if let (Some(host), Ok(top)) = (page.url().host_str(), page.url().join("/")) {
        let top = around.addresses.map_or_else(|| top.to_string(), |addresses| addresses.page(&top));
        out.push_str("<p><a href=\"");
        escape_attribute(&top, &mut out);
        out.push_str("\">");
        escape_text(host.strip_prefix("www.").unwrap_or(host), &mut out);
        out.push_str("</a> ");
        controls::write_plain(&around, &mut out);
        out.push_str("</p><hr>\n");
    }
    let parts = content(page, settings, around, Dialect::Plain);
    write_part(&parts, &around, &mut out);
    out.push_str("\n</body></html>\n");
    Written { content: out, next_page_link: None }
}

/// A chapter of a book: a document of XHTML.
pub(in crate::output) fn chapter(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>) -> Written {
    let mut out =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">\
                   <head><title>"
            .to_owned();
    escape_text(&title(page), &mut out);
    out.push_str("</title></head><body>\n");
    let parts = content(page, &Settings { split_kb: 0, ..settings.clone() }, around, Dialect::Xhtml);
    out.extend(parts.iter().map(String::as_str));
    out.push_str("\n</body></html>\n");
    Written { content: out, next_page_link: None }
}

/// The title; neither HTML 3.2 nor a book may be without.
fn title(page: &AnalysedPage) -> String {
    let title: String = document_title(page).chars().filter(|c| !c.is_control()).collect();
    if title.trim().is_empty() { "Untitled".to_owned() } else { title }
}

fn content(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>, dialect: Dialect) -> Vec<String> {
    let mut writer = PortableWriter::new(page, dialect, around.addresses);
    let is_cut = settings.split_kb > 0 && around.part_link(1).is_some();
    writer.cut_at(is_cut.then_some(settings.split_kb * 1000));
    let top = Top::from_page(page);
    if let Some(headline) = &top.written {
        writer.heading(1, headline);
    }
    let below = |writer: &mut PortableWriter<'_>| {
        let said: Vec<&str> = additions::byline(page, settings).into_iter().flatten().collect();
        if !said.is_empty() {
            writer.note(&said.join(" · "));
        }
        if let Some((address, alt)) = additions::lead_picture(page, settings) {
            writer.picture(&address, &alt);
        }
    };
    if top.shown.is_none() {
        below(&mut writer);
    }
    let ruled = tidy::records::post_rules(page);
    writer.body(top.lifted, top.shown, below, |id| ruled.contains_key(&id));
    for (there, word) in
        [(&page.metadata.previous_page, Label::PreviousPage), (&page.metadata.next_page, Label::NextPage)]
    {
        let there = there.as_ref().filter(|_| dialect != Dialect::Xhtml);
        if let Some(address) = there.and_then(|there| writer.page_address(there)) {
            writer.link(around.words.get(word), &address);
        }
    }
    if dialect != Dialect::Xhtml {
        for (at, comment) in comments::apart(page).into_iter().enumerate() {
            writer.rule();
            if at == 0 {
                writer.heading(2, &comments::name(page, around.words));
            }
            writer.inside(comment);
        }
    }
    if dialect != Dialect::Xhtml && !page.appended.is_empty() {
        writer.rule();
        for group in &page.appended {
            let links = group.links.iter().map(|(text, url)| {
                let led = url.parse().ok().filter(super::is_on_web).zip(around.addresses);
                let address = led.map_or_else(|| url.clone(), |(url, addresses)| addresses.page(&url));
                (text.as_str(), address)
            });
            writer.links(around.words.named(group.heading), links);
        }
    }
    writer.finish()
}

/// The part that is asked for, with the ways to those beside it.
fn write_part(parts: &[String], around: &Surroundings<'_>, out: &mut String) {
    let at = around.number.saturating_sub(1).min(parts.len().saturating_sub(1));
    let ways = ways(parts.len(), at, around);
    out.push_str(&ways);
    out.push_str(parts.get(at).map_or("", String::as_str));
    out.push_str(&ways);
}

fn ways(count: usize, at: usize, around: &Surroundings<'_>) -> String {
    let mut out = String::new();
    if count < 2 {
        return out;
    }
    out.push_str("<p>");
    for (is_there, number, word) in [(at > 0, at, Label::PreviousPage), (at + 1 < count, at + 2, Label::NextPage)] {
        if let Some(address) = around.part_link(number).filter(|_| is_there) {
            out.push_str("<a rel=\"nofollow\" href=\"");
            escape_attribute(&address, &mut out);
            out.extend(["\">", around.words.get(word), "</a> "]);
        }
    }
    out.extend([(at + 1).to_string().as_str(), " / ", count.to_string().as_str(), "</p>"]);
    out
}
