//! Decides whether an attribute can run a script, in any spelling. `filter::ignore::scripts` removes those that can.

use html5ever::{LocalName, local_name};

/// Whether an attribute may run a script on whatever element it is.
pub(crate) fn may_run(name: &LocalName, value: &str) -> bool {
    match *name {
        // Nearly all attributes; names are compared as numbers.
        local_name!("class")
        | local_name!("id")
        | local_name!("style")
        | local_name!("title")
        | local_name!("alt")
        | local_name!("width")
        | local_name!("height")
        | local_name!("rel")
        | local_name!("target") => false,
        local_name!("href") | local_name!("src") => is_script(value),
        _ => {
            is_event_attribute(name)
                || is_script_address(name, value)
                || &**name == "attributeName" && is_event_attribute(value.trim())
        }
    }
}

/// `onclick` and its like: HTML defines no other attribute that begins so.
fn is_event_attribute(name: &str) -> bool {
    name.len() > 2 && name.as_bytes()[..2].eq_ignore_ascii_case(b"on")
}

fn is_script_address(name: &LocalName, value: &str) -> bool {
    match &**name {
        "href" | "src" | "action" | "formaction" | "data" | "code" | "codebase" | "background" | "poster" | "to"
        | "from" | "by" => is_script(value),
        "values" => value.split(';').any(is_script),
        _ => false,
    }
}

pub(crate) fn is_script(address: &str) -> bool {
    has_scheme(address, "javascript:") || has_scheme(address, "vbscript:")
}

/// Browsers skip control characters and spaces before an address, and tabs and line ends inside it (WHATWG URL § 4.4).
pub(crate) fn has_scheme(address: &str, scheme: &str) -> bool {
    let address = address.trim_start_matches(|c: char| c <= ' ');
    let first = |text: &str| text.bytes().next().map(|byte| byte.to_ascii_lowercase());
    // Nearly no address begins with its letter.
    if first(address) != first(scheme) {
        return false;
    }
    let start = address.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).map(|c| c.to_ascii_lowercase());
    scheme.chars().eq(start.take(scheme.len()))
}
