//! The lists that have a name, each with a box, and a field for others.

use maud::{Markup, html};
use serde_yaml::Value;

use super::fields::entries;
use crate::{
    config::{KNOWN, ListSource},
    pages::form_fields::FormFields,
};

/// The boxes by group, of which one is open where a list of it is in use, and the field.
pub(super) fn show(name: &str, label: &str, value: &Value) -> Markup {
    let used: Vec<&str> = value.as_sequence().into_iter().flatten().filter_map(Value::as_str).collect();
    let builtin = ListSource::Builtin.to_string();
    let others: Vec<&str> =
        used.iter().copied().filter(|list| *list != builtin && KNOWN.iter().all(|known| known.name != *list)).collect();
    html! {
        p { strong { (label) } }
        (tick(name, &builtin, used.contains(&&*builtin), "within the program: hosts of advertising servers that nobody needs", ""))
        @for group in KNOWN.chunk_by(|list, next| list.group == next.group) {
            @let ticked = group.iter().filter(|list| used.contains(&list.name)).count();
            details open[ticked > 0] {
                summary { (group[0].group) @if ticked > 0 { span.quiet { " · " (ticked) " in use" } } }
                @for list in group {
                    (tick(name, list.name, used.contains(&list.name), list.about, &format!("{} rules, {}", list.rules, list.licence)))
                }
            }
        }
        label for=(name) { "Other lists" } " "
        textarea id=(name) name=(name) rows=(others.len().clamp(2, 12)) spellcheck="false" aria-describedby={ (name) "-help" } { (others.join("\n")) }
    }
}

fn tick(name: &str, list: &str, is_used: bool, about: &str, figures: &str) -> Markup {
    let id = format!("{name}/{list}");
    html! {
        div.tick {
            input id=(id) type="checkbox" name=(name) value=(list) checked[is_used]; " "
            label for=(id) { (list) } " " span.quiet { (about) @if !figures.is_empty() { " · " (figures) } }
        }
    }
}

/// The lists that were ticked and written, in the order that they have; new ones last.
pub(super) fn read(form: &FormFields, name: &str, old: &Value) -> Option<Value> {
    let sent: Vec<&str> = form.0.iter().filter(|(found, _)| found == name).map(|(_, value)| &**value).collect();
    let mut new: Vec<Value> = sent.iter().flat_map(|text| entries(text)).collect();
    let old = old.as_sequence().into_iter().flatten();
    let mut lists: Vec<Value> = old.filter(|list| new.contains(list)).cloned().collect();
    new.retain(|list| !lists.contains(list));
    lists.extend(new);
    (!sent.is_empty()).then_some(Value::Sequence(lists))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order_and_new_ones_come_last() {
        let old = serde_yaml::from_str("[easylist, builtin, /my/list.txt]").unwrap();
        let read = |query: &str| {
            let lists = read(&FormFields::parse(query.as_bytes()), "l", &old)?;
            Some(serde_yaml::from_value::<Vec<String>>(lists).unwrap().join(" "))
        };
        assert_eq!(
            read("l=builtin&l=easylist&l=oisd-big&l=/my/list.txt").as_deref(),
            Some("easylist builtin /my/list.txt oisd-big")
        );
        assert_eq!(read("l=builtin&l=").as_deref(), Some("builtin"));
        assert_eq!(read("l=").as_deref(), Some(""));
        assert_eq!(read("other=x"), None);
        let shown = show("l", "Lists", &old).0;
        assert!(shown.contains("value=\"easylist\" checked") && shown.contains(">/my/list.txt</textarea>"), "{shown}");
    }
}
