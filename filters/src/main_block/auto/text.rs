//! Text statistics of a block: words, punctuation, capitals, digits, words of the headline, and a hash.

use crate::vocabulary::words::{count, is_unspaced, is_word_char};

/// Counts over one block's text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TextStats {
    /// Length in words: runs of letters and digits; a character of a script without spaces counts as half a word.
    pub(crate) words: f32,
    /// Commas and their like in all scripts.
    pub(crate) commas: f32,
    /// Ends of sentences.
    pub(crate) stops: f32,
    /// `| • · » › / > ←` and their like: what menus are divided by.
    pub(crate) dividers: f32,
    pub(crate) quotes: f32,
    /// Words that begin with a capital.
    pub(crate) capitalised: f32,
    pub(crate) longest_word: f32,
    pub(crate) ends_sentence: bool,
    /// Words of three letters or more.
    pub(crate) lexical: f32,
    /// Words of three letters or more that the page's headline has too.
    pub(crate) titled: f32,
    /// Hash of the text without white space and punctuation.
    pub(crate) hash: u64,
}

/// Letters of ASCII in lower case and digits, by the byte; 0 for any other.
const SMALL: [u8; 256] = {
    let mut small = [0; 256];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            small[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    small
};

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a over characters: texts of a page are compared with each other only, so that speed matters and
/// attacks do not.
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0100_0000_01b3)
}

/// The words of a text as hashes, sorted.
pub(crate) fn hashes(text: &str) -> Vec<u64> {
    let mut out: Vec<u64> = text
        .split(|c: char| !is_word_char(c))
        .filter(|word| word.chars().count() > 2)
        .map(|word| word.chars().fold(SEED, fold))
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn fold(hash: u64, c: char) -> u64 {
    if c.is_ascii() {
        return mix(hash, u64::from(c.to_ascii_lowercase() as u32));
    }
    c.to_lowercase().fold(hash, |hash, c| mix(hash, u64::from(c as u32)))
}

/// The highest bits of a hash, of which all of the word has a share, as one of 64 bits.
fn bit(hash: u64) -> u64 {
    1 << (hash >> 58)
}

/// Reads the text of a block piece by piece.
pub(crate) struct Reading<'a> {
    title: &'a [u64],
    /// The words as hashes, in order; a character of a script without spaces is one, and so is each part of a word that goes on in
    /// another piece.
    words: &'a mut Vec<u64>,
    /// A bit for each of them: hardly any other word has one of these.
    title_bits: u64,
    stats: TextStats,
    /// Characters of the open word, and their hash.
    word: u32,
    word_hash: u64,
    /// The hash of the part of it that stands in this piece, where it began in one before.
    part: Option<u64>,
    /// The last character that is neither white space nor a closing quote.
    last: char,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(title: &'a [u64], words: &'a mut Vec<u64>) -> Reading<'a> {
        Reading {
            title,
            words,
            title_bits: title.iter().fold(0, |bits, &word| bits | bit(word)),
            stats: TextStats { hash: SEED, ..TextStats::default() },
            word: 0,
            word_hash: SEED,
            part: None,
            last: ' ',
        }
    }

    pub(crate) fn feed(&mut self, text: &str) {
        if self.word > 0 {
            self.push_word();
            self.part = Some(SEED);
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if SMALL[usize::from(byte)] != 0 {
                at += self.letters(&bytes[at..]);
            } else if matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r') {
                self.end_word();
                at += 1;
            } else {
                let Some(c) = text[at..].chars().next() else {
                    return;
                };
                self.other(c);
                at += c.len_utf8();
            }
        }
    }

    /// The letters and digits of ASCII that a text begins with, which are most of most pages: as [`Reading::other`] would read
    /// them. Tells how many they are.
    #[inline]
    fn letters(&mut self, text: &[u8]) -> usize {
        if self.word == 0 {
            self.begin_word(text[0].is_ascii_uppercase());
        }
        let (mut length, mut hash) = (0, self.word_hash);
        for &byte in text {
            let small = SMALL[usize::from(byte)];
            if small == 0 {
                break;
            }
            hash = mix(hash, u64::from(small));
            length += 1;
        }
        self.word += count(length);
        self.word_hash = hash;
        if let Some(part) = &mut self.part {
            *part = text[..length].iter().fold(*part, |hash, &byte| mix(hash, u64::from(SMALL[usize::from(byte)])));
        }
        // Any of them: none ends a sentence.
        self.last = char::from(text[0]);
        length
    }

    fn other(&mut self, c: char) {
        if is_unspaced(c) {
            self.end_word();
            self.words.extend(is_word_char(c).then(|| fold(SEED, c)));
            self.stats.words += 0.5;
            self.stats.hash = mix(self.stats.hash, u64::from(c as u32));
        } else if is_word_char(c) {
            if self.word == 0 {
                self.begin_word(c.is_uppercase());
            }
            self.word += 1;
            self.word_hash = fold(self.word_hash, c);
            self.part = self.part.map(|part| fold(part, c));
        } else {
            self.end_word();
            self.mark(c);
        }
        if !(c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')' | '»' | '」')) {
            self.last = c;
        }
    }

    fn begin_word(&mut self, is_capital: bool) {
        self.stats.words += 1.0;
        self.stats.capitalised += f32::from(u8::from(is_capital));
    }

    pub(crate) fn finish(mut self) -> TextStats {
        self.end_word();
        self.stats.ends_sentence = is_stop(self.last);
        self.stats
    }

    /// Adds the open word, or the part of it that stands in this piece, if any does.
    fn push_word(&mut self) {
        let hash = self.part.take().unwrap_or(self.word_hash);
        self.words.extend(Some(hash).filter(|&hash| hash != SEED));
    }

    fn end_word(&mut self) {
        if self.word == 0 {
            return;
        }
        self.push_word();
        let stats = &mut self.stats;
        stats.longest_word = stats.longest_word.max(self.word as f32);
        stats.hash = mix(stats.hash, self.word_hash);
        if self.word > 2 {
            stats.lexical += 1.0;
            let is_titled =
                self.title_bits & bit(self.word_hash) != 0 && self.title.binary_search(&self.word_hash).is_ok();
            stats.titled += f32::from(u8::from(is_titled));
        }
        self.word = 0;
        self.word_hash = SEED;
    }

    fn mark(&mut self, c: char) {
        let stats = &mut self.stats;
        match c {
            ' ' => {}
            ',' | ';' | '、' | '，' | '；' | '،' | '؛' => stats.commas += 1.0,
            c if is_stop(c) => stats.stops += 1.0,
            '|' | '•' | '·' | '»' | '›' | '>' | '←' | '→' | '/' | '▸' | '▾' | '×' | '+' => {
                stats.dividers += 1.0;
            }
            '"' | '“' | '”' | '«' | '「' => stats.quotes += 1.0,
            _ => {}
        }
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '।' | '۔' | '؟' | '…' | '．')
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the numbers are exact")]
mod tests {
    use super::*;

    fn read(text: &str) -> TextStats {
        let title = hashes("The Quiet Garden");
        let mut words = Vec::new();
        let mut reading = Reading::new(&title, &mut words);
        // Text nodes end anywhere, also inside a word.
        for c in text.chars() {
            reading.feed(c.encode_utf8(&mut [0; 4]));
        }
        reading.finish()
    }

    #[test]
    fn words_and_marks_are_counted() {
        let stats = read("A quiet day, in “the garden”. Home / About | (Yes!)");
        assert_eq!(stats.words, 9.0);
        assert_eq!((stats.commas, stats.stops, stats.dividers, stats.quotes), (1.0, 2.0, 2.0, 2.0));
        assert_eq!(stats.capitalised, 4.0);
        assert_eq!(stats.titled, 3.0);
        assert!(stats.ends_sentence);
    }

    #[test]
    fn scripts_without_spaces_have_words_and_sentences() {
        let stats = read("今日は、庭が静かです。");
        assert_eq!(stats.words, 4.5);
        assert_eq!((stats.commas, stats.stops), (1.0, 1.0));
        assert!(stats.ends_sentence);
    }

    #[test]
    fn equal_texts_have_equal_hashes_however_they_are_spaced() {
        assert_eq!(read("Read  more …").hash, read("read more").hash);
        assert_ne!(read("read more").hash, read("more read").hash);
    }
}
