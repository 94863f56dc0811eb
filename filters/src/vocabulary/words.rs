//! Questions about a text alone: white space, letters, words and how much they say, in every script.

use unicode_normalization::char::is_combining_mark;

/// Trims as [`str::trim`] does. Most texts begin and end with a visible ASCII character, and need not be decoded for it.
#[inline]
pub(crate) fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// Makes one line of an owned text, as [`one_line`] does of a borrowed one.
pub(crate) fn into_line(text: String) -> String {
    if trim(&text).len() == text.len() && is_one_line(&text) {
        return text;
    }
    one_line(&text)
}

/// Whether a text ends in a question mark: of Latin, Chinese and Japanese, Arabic, Greek or Armenian writing.
pub(crate) fn is_question(text: &str) -> bool {
    text.trim_end().ends_with(['?', '\u{ff1f}', '\u{61f}', '\u{37e}', '\u{55e}'])
}

/// Collapses all white space to single spaces and trims.
pub(crate) fn one_line(text: &str) -> String {
    let text = trim(text);
    if is_one_line(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether a trimmed text has single spaces between its words and no other white space: most short ones do. Many bytes are looked at
/// at once; white space outside of ASCII is known by its three bytes, or the first two, and none begins or ends the text.
fn is_one_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let two = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let unplain = two.fold(0, |found, (&one, &two)| {
        let has_two = u8::from(one == b' ') & u8::from(two == b' ');
        found | has_two | u8::from(two < b' ') | u8::from(two >= 0x7f)
    });
    // Nearly always all of it is plain.
    if unplain == 0 {
        return true;
    }
    let is_space = |three: &[u8]| {
        let [one, two, three] = [three[0], three[1], three[2]];
        let is_general =
            two == 0x80 && (three <= 0x8a || matches!(three, 0xa8 | 0xa9 | 0xaf)) || two == 0x81 && three == 0x9f;
        (0x09..=0x0d).contains(&two)
            || one == b' ' && two == b' '
            || one == 0xc2 && (two == 0x85 || two == 0xa0)
            || one == 0xe1 && two == 0x9a && three == 0x80
            || one == 0xe2 && is_general
            || one == 0xe3 && two == 0x80 && three == 0x80
    };
    let three = bytes.windows(3);
    three.fold(0, |found, three| found | u8::from(is_space(three))) == 0
}

/// Whether no letter of a text is outside of ASCII: besides ASCII there are dashes, quotes and dots only, U+2000 to U+203F.
pub(crate) fn has_plain_letters(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_sign = |three: &[u8]| {
        let [one, two, three] = [three[0], three[1], three[2]];
        three < 0x80 || three == 0xe2 || two == 0xe2 && three == 0x80 || one == 0xe2 && two == 0x80
    };
    text.is_ascii() || bytes.len() >= 3 && (bytes[0] < 0x80 || bytes[0] == 0xe2) && bytes.windows(3).all(is_sign)
}

/// Letters, digits, and the marks that belong to the letter before them: vowel signs and viramas of the scripts of India.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && is_combining_mark(c)
}

/// Scripts that do not put spaces between words: Han, kana, Thai, Lao, Khmer, Burmese. (Korean does.)
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}

/// A text in lower case. Turkish: the dot of a capital I, which becomes a sign of its own there, is left out.
pub(crate) fn lower(text: &str) -> String {
    const DOT: char = '\u{307}';
    if has_plain_letters(text) {
        return text.to_ascii_lowercase();
    }
    let mut lower = text.to_lowercase();
    if lower.contains(DOT) {
        lower.retain(|c| c != DOT);
    }
    lower
}

/// The words of a value that names things: `post-author`, `postAuthor` and `post_author` hold "author".
pub(crate) fn words_of_identifier(value: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in value.chars() {
        let starts = c.is_uppercase() && was_lower;
        was_lower = c.is_lowercase();
        if starts || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    // `itemprop=dateCreated` is one name.
    words.push(value.to_lowercase());
    words.into_iter().filter(|word| !word.is_empty())
}

/// Characters that show: everything but white space and the marks that have no width.
pub(crate) fn visible_chars(text: &str) -> usize {
    // So many bytes are counted in one byte, sixteen at a time.
    let counted: usize = text
        .as_bytes()
        .chunks(usize::from(u8::MAX))
        .map(|bytes| usize::from(bytes.iter().map(|&byte| begins_visible(byte)).sum::<u8>()))
        .sum();
    if text.is_ascii() {
        return counted;
    }
    let beyond_ascii = text.chars().filter(|c| !c.is_ascii());
    counted - beyond_ascii.filter(|&c| !is_visible(c)).count()
}

/// 1 for a byte that begins a character and is no white space of ASCII (U+0009 to U+000D, U+0020).
fn begins_visible(byte: u8) -> u8 {
    let begins = byte.cast_signed() >= -64;
    let is_space = byte == b' ' || byte.wrapping_sub(b'\t') < 5;
    u8::from(begins) & u8::from(!is_space)
}

/// How much a visible text says, in letters of an alphabet: what a threshold in characters is compared with. A Chinese
/// character says as much as a short word, and a threshold that counts it as one letter takes a paragraph for a remark.
///
/// | script | letters for one character | Article 1, counted as below, beside 146 letters of English |
/// |---|---|---|
/// | Han | 3 | 126 (Chinese: 42 characters) |
/// | Hangul | 2.25 | 144 (Korean: 64 characters) |
/// | kana | 1.25 | 160 (Japanese, with its Han) |
///
/// Measured on 2026-11-21 on Article 1 of the Universal Declaration of Human Rights in the translations of the United
/// Nations; a test holds the three within a fifth of the English. Higher values: shorter texts count as content.
pub(crate) fn text_size(text: &str) -> usize {
    if text.is_ascii() {
        return visible_chars(text);
    }
    let quarters: usize = text
        .chars()
        .filter(|&c| is_visible(c))
        .map(|c| match u32::from(c) {
            // CJK ideographs with their extensions and compatibility forms.
            0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => 12,
            // Hangul syllables.
            0xac00..=0xd7a3 => 9,
            // Hiragana, katakana and their extensions.
            0x3041..=0x30ff | 0x31f0..=0x31ff => 5,
            _ => 4,
        })
        .sum();
    quarters / 4
}

/// Not white space, and none of the characters that show nothing by themselves (`Default_Ignorable_Code_Point` of Unicode 17, as far
/// as they are in use: soft hyphens, joiners, marks of direction, Hangul fillers, selectors of variants). Some editors write a
/// paragraph of one joiner for an empty line.
fn is_visible(c: char) -> bool {
    !c.is_whitespace()
        && !matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
        )
}

/// Characters of a script without spaces that make a word where no character is a word of its own (Thai, Lao, Khmer,
/// Burmese): about the mean length of a Thai word.
const CHARS_PER_UNSPACED_WORD: usize = 4;

/// Words, as a reader would count them: runs between white space. Scripts without spaces have one word per ideograph or
/// kana, and one per four characters in Thai and its neighbours; otherwise a paragraph of Japanese would be one word.
pub(crate) fn words(text: &str) -> u32 {
    if text.is_ascii() || is_spaced(text.as_bytes()) {
        return count(plain_words(text.as_bytes()));
    }
    let mut words = 0;
    let mut unspaced = 0;
    for run in text.split_whitespace() {
        let mut is_spaced = false;
        for c in run.chars() {
            match u32::from(c) {
                0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => {
                    words += 1;
                }
                0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff => unspaced += 1,
                0x3000..=0x303f | 0xff00..=0xffef => {}
                _ => is_spaced = true,
            }
        }
        words += usize::from(is_spaced);
    }
    count(words + unspaced / CHARS_PER_UNSPACED_WORD)
}

/// Whether a text has no sign of a script without spaces and no white space but that of HTML, as far as the first bytes of its
/// characters tell.
fn is_spaced(text: &[u8]) -> bool {
    let is_doubtful = |byte: u8| matches!(byte, 0x0b | 0xe0 | 0xe1 | 0xe3..=0xe9 | 0xef) || byte >= 0xf0;
    // To the end whatever is found, because that is done many bytes at once.
    let found = text.iter().fold(false, |found, byte| found | is_doubtful(*byte));
    // U+0085, U+00A0; U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F: among them stand quotation marks and dashes.
    !found
        && memchr::memchr2_iter(0xc2, 0xe2, text).all(|at| {
            let after = text.get(at + 1..).unwrap_or_default();
            !matches!(
                (text[at], after),
                (0xc2, [0x85 | 0xa0, ..]) | (0xe2, [0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] | [0x81, 0x9f, ..])
            )
        })
}

/// Runs between white space (that of HTML: not U+000B), counted where they begin, many bytes at once.
fn plain_words(text: &[u8]) -> usize {
    /// So many are counted in one byte.
    const SOME: usize = u8::MAX as usize;
    let is_space = |byte: u8| u8::from(byte == b' ') | u8::from(byte.wrapping_sub(b'\t') < 5 && byte != 0x0b);
    let Some((&first, after)) = text.split_first() else {
        return 0;
    };
    let before = text.chunks(SOME).zip(after.chunks(SOME));
    let inner: usize = before
        .map(|(before, after)| {
            let each = before.iter().zip(after);
            let begins = each.map(|(&before, &byte)| is_space(before) & (is_space(byte) ^ 1));
            usize::from(begins.sum::<u8>())
        })
        .sum();
    inner + usize::from(is_space(first) ^ 1)
}

/// A count of things on one page.
pub(crate) fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Article 1 of the Universal Declaration of Human Rights.
    const ENGLISH: &str = "All human beings are born free and equal in dignity and rights. They are endowed with reason and \
                           conscience and should act towards one another in a spirit of brotherhood.";
    const CHINESE: &str = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。";
    const JAPANESE: &str = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と\
                            良心とを授けられており、互いに同胞の精神をもって行動しなければならない。";
    const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 \
                          양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.";

    #[test]
    fn the_same_text_has_the_same_size_in_every_script() {
        let english = text_size(ENGLISH);
        assert_eq!(english, visible_chars(ENGLISH));
        for text in [CHINESE, JAPANESE, KOREAN] {
            let size = text_size(text);
            println!("{size} for {english} of English, {} characters", visible_chars(text));
            assert!((size * 5).abs_diff(english * 5) <= english, "{size}: {text}");
        }
        assert_eq!(text_size("Größe in Москва\u{200b}"), visible_chars("GrößeinМосква"));
    }

    #[test]
    fn what_shows_is_counted_whatever_the_script() {
        for c in ['a', 'é', '日', '\u{5d0}', '\u{1f600}', '\u{301}'] {
            assert_eq!(visible_chars(&c.to_string()), 1, "{c:?}");
        }
        for c in [' ', '\u{a0}', '\u{3000}', '\u{ad}', '\u{200d}', '\u{200f}', '\u{feff}', '\u{3164}'] {
            assert_eq!(visible_chars(&c.to_string()), 0, "{c:?}");
        }
        // A heart in colour is one character and the wish for colour.
        assert_eq!(visible_chars("\u{2764}\u{fe0f}"), 1);
        let every = (0..0x1_1000).filter_map(char::from_u32);
        for c in every {
            let alone = visible_chars(&c.to_string());
            assert_eq!(alone, usize::from(is_visible(c)), "{c:?}");
        }
        let long = "Zwölf\u{a0}Boxkämpfer \u{200b}jagen\n".repeat(100);
        assert_eq!(visible_chars(&long), 2000);
        assert_eq!(visible_chars(&"a \t".repeat(1000)), 1000);
    }

    #[test]
    fn words_are_the_same_by_bytes_and_by_characters() {
        let slowly = |text: &str| {
            let words = text.split_whitespace();
            count(words.count())
        };
        // Every character between letters, of the scripts that have spaces.
        for code in (0x80..0xe00).chain(0x10d0..0x1680).chain(0x2000..0x2c00).chain(0xac00..0xd7a4) {
            let Some(c) = char::from_u32(code) else {
                continue;
            };
            for text in [format!("a{c}b {c}"), format!("\u{e9}{c}")] {
                assert_eq!(words(&text), slowly(&text), "{code:x}");
            }
        }
        assert!(is_spaced("“Zwölf” – Слово".as_bytes()));
        assert_eq!(words("“Zwölf” – Слово\u{a0}x\u{b}y"), 5);
    }

    #[test]
    fn words_stand_between_white_space() {
        assert_eq!(words("  A paragraph\nwith (four) "), 4);
        assert_eq!(words("Zwölf Boxkämpfer"), 2);
        assert_eq!(words(""), 0);
        let long = "one\ttwo \r\nthree\u{c} four\u{b}more  ".repeat(100);
        assert_eq!(words(&long), 400);
        assert_eq!(long.split_ascii_whitespace().count(), 400);
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        assert_eq!(words("日本語の文"), 5);
        assert_eq!(words("日本語 and English"), 5);
        assert_eq!(words("สวัสดีชาวโลก"), 3);
    }

    #[test]
    fn white_space_of_any_sort_becomes_one_space() {
        for space in [
            " ",
            "  ",
            "\t",
            "\n",
            "\u{b}",
            "\u{c}",
            "\r\n",
            "\u{85}",
            "\u{a0}",
            "\u{1680}",
            "\u{2000}",
            "\u{2007}",
            "\u{200a}",
            "\u{2028}",
            "\u{2029}",
            "\u{202f}",
            "\u{205f}",
            "\u{3000}",
            " \u{3000}",
        ] {
            for word in ["a", "ab", "né", "中文", "d’un"] {
                let text = format!(" {word}{space}{word}{space}{word} ");
                assert_eq!(one_line(&text), format!("{word} {word} {word}"), "{text:?}");
            }
        }
        for whole in ["", "a", "中", "a\u{200b}b", "a\u{1}b", "“It’s — fine…”"] {
            assert_eq!(one_line(whole), whole);
        }
    }

    #[test]
    fn dashes_and_quotes_are_no_letters() {
        for text in ["", "plain", "“It’s — fine…”", "…", "a…"] {
            assert!(has_plain_letters(text), "{text}");
            assert_eq!(lower(text), text.to_lowercase());
        }
        for text in ["é", "né", "aé", "…é", "abcé", "a₤", "İ", "中", "a中", "⁰…"] {
            assert!(!has_plain_letters(text), "{text}");
        }
        assert_eq!(lower("İYİ “GÜN”"), "iyi “gün”");
    }
}
