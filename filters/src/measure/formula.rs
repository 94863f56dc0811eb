//! Writes a `MathML` formula that has no source as one line: `(-b±√(b^2-4ac))/(2a)`.
//!
//! Fractions, powers, indices and roots are what stands above, below and around on the page, and would be lost in the order
//! of the signs (`x=-b±b2-4ac2a`). The signs are those of `AsciiMath` and of calculators.

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::count,
};

/// Signs of operators that are written around nothing (function application, invisible times, separator, plus).
const INVISIBLE: [char; 4] = ['\u{2061}', '\u{2062}', '\u{2063}', '\u{2064}'];

/// Bytes of a formula that are kept. Our choice: pages of a thesis have some of a kilobyte.
const MOST_BYTES: usize = 16 * 1024;

/// Bytes that are written in about the time of a step over the page.
const BYTES_OF_STEP: usize = 16;

/// The formula of a `<math>` in one line. Its nodes are read from the last to the first: whoever stands inside is known before who stands
/// around, without a call inside a call. None where it is too long.
pub(crate) fn in_a_line(page: &Page, math: NodeId) -> Option<String> {
    let first = math.index();
    let live: Vec<NodeId> = page.live(math).collect();
    let mut parts: Vec<Vec<String>> = vec![Vec::new(); page.end(math).index() - first];
    for &id in live.iter().rev() {
        let mut inside = std::mem::take(&mut parts[id.index() - first]);
        inside.reverse();
        let written = match page.text(id) {
            Some(text) => crate::vocabulary::words::one_line(&text).replace(INVISIBLE, ""),
            None => element(page, id, &inside),
        };
        page.charge(count(written.len() / BYTES_OF_STEP));
        if id == math {
            return Some(crate::vocabulary::words::one_line(&written));
        }
        if written.len() > MOST_BYTES {
            return None;
        }
        // White space between the parts is none of them.
        if page.text(id).is_none() || !written.is_empty() {
            parts[page.parent(id).index().checked_sub(first)?].push(written);
        }
    }
    None
}

fn element(page: &Page, id: NodeId, inside: &[String]) -> String {
    let is = |name: &str| page.has_local_name(id, name);
    let part = |at: usize| inside.get(at).map_or("", String::as_str);
    if is("mfrac") {
        format!("{}/{}", operand(part(0)), operand(part(1)))
    } else if is("msup") || is("mover") && !is_accent(part(1)) {
        format!("{}^{}", operand(part(0)), operand(part(1)))
    } else if is("msub") || is("munder") {
        format!("{}_{}", operand(part(0)), operand(part(1)))
    } else if is("msubsup") || is("munderover") {
        let [base, below, above] = [0, 1, 2].map(|at| operand(part(at)));
        format!("{base}_{below}^{above}")
    } else if is("msqrt") {
        format!("√{}", operand(&joined(inside)))
    } else if is("mroot") {
        format!("√[{}]{}", part(1), operand(part(0)))
    } else if is("mtr") || is("mlabeledtr") {
        inside.join(", ")
    } else if is("mtable") {
        inside.join("; ")
    } else if is("semantics") {
        part(0).to_owned()
    } else if is("mspace") {
        " ".to_owned()
    } else if is("annotation") || is("annotation-xml") || is("mphantom") {
        String::new()
    } else if is("mo") && is_relation(part(0)) {
        format!(" {} ", part(0))
    } else if page.tag(id).is_some_and(Tag::hides_text) {
        String::new()
    } else {
        joined(inside)
    }
}

/// One after the other, with a space where a power or an index would take the next name in: `x^2 y`.
fn joined(parts: &[String]) -> String {
    let is_word = |c: char| c.is_alphanumeric();
    let mut out = String::new();
    // Whether nothing but letters and digits stands behind the last sign. Not looked for in all that is written: parts are many.
    let mut ends_raised = false;
    for part in parts {
        if ends_raised && part.starts_with(is_word) {
            out.push(' ');
            ends_raised = false;
        }
        let behind_sign = part.rfind(['^', '_', '/']).map(|at| &part[at + 1..]);
        ends_raised = (behind_sign.is_some() || ends_raised) && behind_sign.unwrap_or(part).chars().all(is_word);
        out.push_str(part);
    }
    out
}

/// In parentheses, unless it is one number, name or sign.
fn operand(text: &str) -> String {
    let text = text.trim();
    let is_one = text.chars().count() <= 1 || text.chars().all(char::is_alphanumeric) && is_word(text);
    if is_one || is_enclosed(text) { text.to_owned() } else { format!("({text})") }
}

/// A number, or the name of a function; `2a` is a product.
fn is_word(text: &str) -> bool {
    text.chars().all(char::is_numeric)
        || matches!(text, "sin" | "cos" | "tan" | "log" | "ln" | "lim" | "exp" | "max" | "min")
}

/// Whether the first parenthesis closes at the end.
fn is_enclosed(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + c.len_utf8() == text.len();
        }
    }
    false
}

/// A line, an arrow or a hat over a name.
fn is_accent(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    chars.next().is_none() && first.is_none_or(|c| !c.is_alphanumeric())
}

fn is_relation(text: &str) -> bool {
    matches!(text, "=" | "<" | ">" | "≤" | "≥" | "≠" | "≈" | "≡" | "→" | "⇒" | "⇔" | "∈")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn line(mathml: &str) -> String {
        let page = page(&format!("<p><math id=m>{mathml}</math> and on"));
        in_a_line(&page, by_id(&page, "m")).unwrap()
    }

    #[test]
    fn a_formula_says_in_a_line_what_it_says_in_two_dimensions() {
        let roots = "<mi>x</mi> <mo>=</mo> <mfrac><mrow><mo>-</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup>\
                     <mo>-</mo><mn>4</mn><mi>a</mi><mo>&InvisibleTimes;</mo><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>";
        assert_eq!(line(roots), "x = (-b±√(b^2-4ac))/(2a)");
        for (mathml, wanted) in [
            ("<mfrac><mn>12</mn><mi>n</mi></mfrac>", "12/n"),
            ("<msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>", "x_(i+1)"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "√[3]x"),
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
                "∑_(i = 1)^n i",
            ),
            ("<mover><mi>x</mi><mo>¯</mo></mover>", "x¯"),
            ("<msqrt><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow></msqrt>", "√(a)"),
            (
                "<mo>[</mo><mtable><mtr><mtd>1</mtd><mtd>0</mtd></mtr><mtr><mtd>0</mtd><mtd>1</mtd></mtr></mtable><mo>]</mo>",
                "[1, 0; 0, 1]",
            ),
            ("<semantics><mi>y</mi><annotation>why</annotation></semantics>", "y"),
            ("", ""),
        ] {
            assert_eq!(line(mathml), wanted, "{mathml}");
        }
    }
}
