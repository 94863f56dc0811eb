//! Forms that ask for a page: their fields, written anew. Those that send something are left to the site itself, where they lead
//! through an address that is not the site's.

use std::fmt::Write as _;

use html5ever::{LocalName, local_name};

use super::{Block, BoxKind, Dialect, Leave, OpenBox, PortableWriter, attribute_value, is_on_web};
use crate::{
    html::{NodeId, tag::Tag},
    vocabulary::words::one_line,
};

impl PortableWriter<'_> {
    pub(super) fn form(&mut self, id: NodeId) -> Leave {
        let is_nested = self.boxes.iter().any(|open| matches!(open.kind, BoxKind::Form | BoxKind::Caption));
        if self.dialect == Dialect::Xhtml || is_nested {
            return Leave::Inside;
        }
        let page = self.page;
        let action = page.address(id, &local_name!("action")).unwrap_or_else(|| page.url().clone());
        let sends =
            page.attribute(id, &local_name!("method")).is_some_and(|method| method.eq_ignore_ascii_case("post"));
        if !is_on_web(&action) {
            return Leave::Inside;
        }
        self.begin(Block::Paragraph);
        let led = self.addresses.map(|addresses| addresses.form(&action));
        let (method, (to, named)) = match led {
            Some(_) if sends => {
                // Shops have the text of a product in one.
                if !std::mem::replace(&mut self.is_form_noted, true) {
                    self.note("Forms that send something work on the site itself only.");
                }
                return Leave::Inside;
            }
            Some(Some((to, named))) => ("get", (to, Some(named))),
            _ => (if sends { "post" } else { "get" }, (action.to_string(), None)),
        };
        self.make_room();
        let count = self.boxes.len();
        let mut opened = OpenBox::new(BoxKind::Form);
        opened.attributes = format!(" method=\"{method}\" action=\"{}\"", attribute_value(&to));
        let enctype = page.attribute(id, &local_name!("enctype")).filter(|_| method == "post");
        if enctype.is_some_and(|kind| kind.eq_ignore_ascii_case("multipart/form-data")) {
            opened.attributes.push_str(" enctype=\"multipart/form-data\"");
        }
        if let Some((name, value)) = named {
            opened.inside = format!(
                "<input type=\"hidden\" name=\"{}\" value=\"{}\">",
                attribute_value(&name),
                attribute_value(&value)
            );
        }
        self.boxes.push(opened);
        Leave::Box(count)
    }

    /// A field of a form that is written.
    pub(super) fn control(&mut self, id: NodeId, tag: Tag) -> Leave {
        if !self.boxes.iter().any(|open| open.kind == BoxKind::Form) {
            return if tag == Tag::Button { Leave::Inside } else { Leave::Over };
        }
        let page = self.page;
        let text = |name: &str| page.attribute(id, &LocalName::from(name)).unwrap_or_default();
        let pair = |out: &mut String, name: &str, value: &str| {
            if !value.is_empty() {
                let _ = write!(out, " {name}=\"{}\"", attribute_value(value));
            }
        };
        let mut out = String::new();
        match tag {
            Tag::Input => {
                let kind = match text("type").to_ascii_lowercase().as_str() {
                    kind @ ("hidden" | "checkbox" | "radio" | "submit" | "reset") => kind.to_owned(),
                    "password" if self.addresses.is_none() => "password".to_owned(),
                    "password" | "file" | "image" | "button" | "color" => return Leave::Over,
                    _ => "text".to_owned(),
                };
                // Writing to a `String` cannot fail, here and elsewhere.
                let _ = write!(out, "<input type=\"{kind}\"");
                pair(&mut out, "name", text("name"));
                pair(&mut out, "value", text("value"));
                if page.has_attribute(id, &local_name!("checked")) {
                    out.push_str(" checked");
                }
                out.push('>');
            }
            Tag::Button => {
                if ["button", "reset"].iter().any(|kind| text("type").eq_ignore_ascii_case(kind)) {
                    return Leave::Over;
                }
                out.push_str("<input type=\"submit\"");
                pair(&mut out, "name", text("name"));
                pair(&mut out, "value", &one_line(&page.start_of_text(id, 20, 200)));
                out.push('>');
            }
            Tag::Textarea => {
                out.push_str("<textarea rows=\"4\" cols=\"40\"");
                pair(&mut out, "name", text("name"));
                out.push('>');
                out.push_str(&attribute_value(&page.raw_text(id, 10_000)));
                out.push_str("</textarea>");
            }
            _ => {
                out.push_str("<select");
                pair(&mut out, "name", text("name"));
                out.push('>');
                let mut has_option = false;
                for option in page.live(id).filter(|&id| page.tag(id) == Some(Tag::Option)) {
                    has_option = true;
                    let label = one_line(&page.raw_text(option, 500));
                    let value = page.attribute(option, &local_name!("value")).unwrap_or(&label);
                    let _ = write!(out, "<option value=\"{}\"", attribute_value(value));
                    if page.has_attribute(option, &local_name!("selected")) {
                        out.push_str(" selected");
                    }
                    out.push('>');
                    out.push_str(&attribute_value(&label));
                    out.push_str("</option>");
                }
                if !has_option {
                    return Leave::Over;
                }
                out.push_str("</select>");
            }
        }
        // A link holds no field.
        self.end_inline();
        let around = std::mem::take(&mut self.inline);
        self.open_text();
        self.out.push_str(&out);
        self.inline = around;
        Leave::Over
    }
}
