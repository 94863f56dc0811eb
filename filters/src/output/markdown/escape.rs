//! Escapes: what `CommonMark` would read as more than a character (§ 2.4).

/// The first formula between the signs that `MathJax` reads, `\(x\)`, `\[x\]`, `$$x$$`: what stands before it, its source, the sign
/// that Markdown has for it, and what stands behind it.
pub(super) fn formula(text: &str) -> Option<(&str, &str, &'static str, &str)> {
    let signs = [("\\(", "\\)", "$"), ("\\[", "\\]", "$$"), ("$$", "$$", "$$")];
    let mut found = text.match_indices(['\\', '$']).filter_map(|(at, _)| {
        let begins = |signs: &&(&str, _, _)| text[at..].starts_with(signs.0);
        Some((at, *signs.iter().find(begins)?))
    });
    let (at, (open, close, sign)) = found.next()?;
    let (source, after) = text[at + open.len()..].split_once(close)?;
    (!source.trim().is_empty()).then_some((&text[..at], source.trim(), sign, after))
}

/// Appends text with a backslash before each character that would mean something inside a line. White space is the caller's.
pub(super) fn inline(text: &str, before: Option<char>, in_table: bool, out: &mut String) {
    let mut before = before;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // Soft hyphens only show where a line ends.
        if c == '\u{ad}' {
            continue;
        }
        let after = rest.peek().copied();
        let is_special = match c {
            '\\' | '`' | '*' | '[' | ']' => true,
            // Inside a word it means nothing (§ 6.2).
            '_' => !(is_word(before) && is_word(after)),
            '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
            '&' => after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '#'),
            '~' => before == Some('~') || after == Some('~'),
            '|' => in_table,
            _ => false,
        };
        if is_special {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// Where a backslash must stand so that a line does not begin a heading, a list, a quote, a fence or a rule (§ 4, § 5).
pub(super) fn line_start(line: &str) -> Option<usize> {
    let mut chars = line.chars();
    let first = chars.next()?;
    let second = chars.next();
    let ends_word = |c: Option<char>| c.is_none_or(char::is_whitespace);
    match first {
        '#' => {
            let after = line.trim_start_matches('#');
            ends_word(after.chars().next()).then_some(0)
        }
        '>' => Some(0),
        '+' => ends_word(second).then_some(0),
        '-' | '=' => {
            let is_rule = line.chars().all(|c| c == first || c == ' ');
            (is_rule || first == '-' && ends_word(second)).then_some(0)
        }
        '~' => line.starts_with("~~~").then_some(0),
        '0'..='9' => {
            let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let mut after = line[digits..].chars();
            let is_marker = digits <= 9 && matches!(after.next(), Some('.' | ')')) && ends_word(after.next());
            is_marker.then_some(digits)
        }
        _ => None,
    }
}

/// An address as the target of a link (§ 6.3).
pub(super) fn target(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for c in address.trim().chars() {
        match c {
            ' ' => out.push_str("%20"),
            '\n' | '\r' | '\t' => {}
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            '\\' => out.push_str("%5C"),
            _ => out.push(c),
        }
    }
    out
}
