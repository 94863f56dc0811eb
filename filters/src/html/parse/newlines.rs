//! Preprocesses a page's characters: drops the byte order mark and makes every newline a line feed (HTML Standard §
//! 13.2.3.5, "normalize newlines"), faster than the tokenizer does it character by character.

use std::borrow::Cow;

use memchr::memchr;

/// Remembers how the last piece ended.
#[derive(Debug, Default)]
pub(super) struct Newlines {
    begun: bool,
    after_return: bool,
}

impl Newlines {
    /// The piece with its line ends as line feeds.
    pub(super) fn normalized<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        // CR LF is one line end, counted with its CR.
        let mut piece = piece;
        if !std::mem::replace(&mut self.begun, true) {
            piece = piece.strip_prefix('\u{feff}').unwrap_or(piece);
        }
        let after_return = self.after_return;
        if !piece.is_empty() {
            self.after_return = piece.ends_with('\r');
        }
        let piece = match piece.strip_prefix('\n') {
            Some(rest) if after_return => rest,
            _ => piece,
        };
        if memchr(b'\r', piece.as_bytes()).is_none() {
            return Cow::Borrowed(piece);
        }
        let mut out = String::with_capacity(piece.len());
        let mut lines = piece.split('\r');
        out.push_str(lines.next().unwrap_or_default());
        for line in lines {
            out.push('\n');
            out.push_str(line.strip_prefix('\n').unwrap_or(line));
        }
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_is_a_line_feed_wherever_pieces_end() {
        let text = "a\r\nb\rc\n\rd\r\r\n\ne\r";
        let wanted = "a\nb\nc\n\nd\n\n\ne\n";
        for size in 1..=text.len() {
            let mut newlines = Newlines::default();
            let pieces = text.as_bytes().chunks(size);
            let got: String =
                pieces.map(|piece| newlines.normalized(std::str::from_utf8(piece).unwrap()).into_owned()).collect();
            assert_eq!(got, wanted, "in pieces of {size}");
        }
    }
}
