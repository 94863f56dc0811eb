//! Measures of nodes that more than one filter needs: text length, link text, number of links.
//!
//! Characters are *visible* characters everywhere: white space is not counted, so that re-indenting or minifying a
//! page changes no decision (López, Silva, Insa 2012, § 4: "computed ignoring special characters such as spaces or
//! line breaks").

pub(crate) mod apart;
pub(crate) mod formula;
pub(crate) mod table;

use html5ever::{LocalName, local_name};

use crate::page::{NodeId, Page, tag::Tag};

/// Bytes of a formula's source.
const MAX_FORMULA_BYTES: usize = 4000;

/// The source in TeX that a formula in `MathML` carries, as `KaTeX`, `MathJax` and `MediaWiki` write it (`MathML` Core § 4: a
/// browser does not show it).
pub(crate) fn formula_source(page: &Page, math: NodeId) -> Option<String> {
    let encoding = LocalName::from("encoding");
    let source = page.live(math).find(|&inner| {
        page.attribute(inner, &encoding).is_some_and(|encoding| encoding.eq_ignore_ascii_case("application/x-tex"))
    })?;
    let source = page.raw_text(source, MAX_FORMULA_BYTES);
    let source = crate::text::one_line(&source);
    (!source.is_empty()).then_some(source)
}

/// Whether a heading was never closed, and holds the paragraphs below it (HTML Standard § 13.2.6.4.7: a `<p>` does not end it).
pub(crate) fn is_left_open(page: &Page, heading: NodeId) -> bool {
    /// Visible characters; the longest headlines are of 200.
    const LONG: usize = 300;
    page.chars(heading) > LONG && page.live(heading).any(|id| page.tag(id) == Some(Tag::P))
}

/// Whether this is, or stands in, a link to where readers log in or register.
pub(crate) fn leads_to_log_in(page: &Page, id: NodeId) -> bool {
    const LAST: [&str; 8] = ["login", "log-in", "log_in", "signin", "sign-in", "sign_in", "signup", "register"];
    std::iter::once(id)
        .chain(page.ancestors(id))
        .find(|&up| page.tag(up) == Some(Tag::A))
        .and_then(|link| page.address(link, &local_name!("href")))
        .and_then(|to| to.path_segments()?.next_back().map(str::to_lowercase))
        .is_some_and(|last| LAST.iter().any(|name| last.starts_with(name)))
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

/// Sums over the live nodes of one subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Visible characters of text.
    pub(crate) chars: u32,
    /// Those of them inside `<a href>`.
    pub(crate) linked: u32,
    /// Number of `<a href>` that hold text.
    pub(crate) links: u32,
}

impl Measure {
    pub(crate) fn unlinked(self) -> u32 {
        self.chars - self.linked
    }

    fn add(&mut self, other: Measure) {
        self.chars += other.chars;
        self.linked += other.linked;
        self.links += other.links;
    }

    pub(crate) fn subtract(&mut self, other: Measure) {
        self.chars -= other.chars;
        self.linked -= other.linked;
        self.links -= other.links;
    }
}

/// The measures of every node of a page, as it stands now.
pub(crate) struct Measures(Vec<Measure>);

impl Measures {
    /// Two passes over the page's table; no text is read again.
    pub(crate) fn of(page: &Page) -> Measures {
        Measures::of_texts(page, page.live(NodeId::DOCUMENT))
    }

    /// The same where all live texts are known, among other nodes or not.
    pub(crate) fn of_texts(page: &Page, texts: impl Iterator<Item = NodeId>) -> Measures {
        let mut sums = vec![Measure::default(); page.len()];
        for id in texts {
            let chars = u32::try_from(page.own_chars(id)).unwrap_or(u32::MAX);
            if chars > 0 {
                let linked = if page.in_link(id) { chars } else { 0 };
                sums[id.index()] = Measure { chars, linked, links: 0 };
            }
        }
        for index in (1..sums.len()).rev() {
            // Descendants come later in the table, so the sum below this node is complete.
            if sums[index].chars == 0 {
                continue;
            }
            let id = NodeId::from_row(index);
            if sums[index].linked > 0 && page.tag(id) == Some(Tag::A) {
                sums[index].links += 1;
            }
            let sum = sums[index];
            sums[page.parent(id).index()].add(sum);
        }
        Measures(sums)
    }

    pub(crate) fn get(&self, id: NodeId) -> Measure {
        self.0[id.index()]
    }

    /// Takes a removed subtree out of the sums of everything around it.
    pub(crate) fn forget(&mut self, page: &Page, removed: NodeId) {
        let gone = std::mem::take(&mut self.0[removed.index()]);
        for ancestor in page.ancestors(removed) {
            self.0[ancestor.index()].subtract(gone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{count, is_spaced, is_visible, text_size, visible_chars, words};

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
}
