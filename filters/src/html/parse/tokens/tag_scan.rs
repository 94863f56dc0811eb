//! Counts the attributes of a start tag that has not ended yet.
//!
//! html5ever compares every new attribute of a tag with all before it, and says nothing until the tag ends, so a tag with
//! 100,000 attributes costs seconds before anybody sees it. This scan reads the same bytes, one tag at a time, by the same
//! rules (HTML Standard § 13.2.5.32 to .40); whoever feeds it says where tags begin and end.

/// How far the scan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In no tag, or in something that only looked like one.
    #[default]
    Outside,
    /// After `<` or `</`.
    Open,
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

/// A tag in progress.
#[derive(Debug, Default)]
pub(super) struct TagScan {
    state: State,
    started: bool,
    attributes: usize,
}

impl TagScan {
    /// The tokenizer has emitted something: whatever was open has ended.
    pub(super) fn end(&mut self) {
        *self = TagScan::default();
    }

    /// Reads what the tokenizer took without a word, beginning with `<` where nothing is open; says how many attributes
    /// the tag has so far.
    pub(super) fn read(&mut self, text: &str) -> usize {
        for byte in text.bytes() {
            self.byte(byte);
        }
        self.attributes
    }

    fn byte(&mut self, byte: u8) {
        let space = byte.is_ascii_whitespace();
        self.state = match (self.state, byte) {
            (State::Outside, b'<') if !self.started => {
                self.started = true;
                State::Open
            }
            (State::Open, b'/') => State::Open,
            (State::Open, _) if byte.is_ascii_alphabetic() => State::TagName,
            (State::Outside | State::Open, _) => State::Outside,
            (State::Quoted(quote), _) if byte != quote => State::Quoted(quote),
            (State::Quoted(_), _) | (State::TagName | State::Name | State::AfterName | State::BeforeName, b'/') => {
                State::BeforeName
            }
            (State::TagName | State::Unquoted | State::BeforeName, _) if space => State::BeforeName,
            (State::TagName, _) => State::TagName,
            (State::Name | State::AfterName, b'=') => State::BeforeValue,
            (State::Name | State::AfterName, _) if space => State::AfterName,
            (State::Name, _) => State::Name,
            (State::BeforeName | State::AfterName, _) => {
                self.attributes += 1;
                State::Name
            }
            (State::BeforeValue, _) if space => State::BeforeValue,
            (State::BeforeValue, b'"' | b'\'') => State::Quoted(byte),
            (State::BeforeValue | State::Unquoted, _) => State::Unquoted,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_an_open_tag_are_counted_however_they_are_written() {
        let cases = [
            ("<div", 0),
            ("<div a b  c", 3),
            ("<div/a/b/c", 3),
            ("<div a=1 b = 2 c='x y z' d=\"e f\"g", 5),
            ("<svg d=\"M 1 2 L 3 4\" x", 2),
            ("<a href=a/b/c d", 2),
            ("<a <b <c", 2),
            ("<a title='<b c d e", 1),
            ("<!-- a b c", 0),
            ("< a b c", 0),
            ("a b c", 0),
        ];
        for (text, attributes) in cases {
            assert_eq!(TagScan::default().read(text), attributes, "{text}");
            let mut in_pieces = TagScan::default();
            let last = text.split_inclusive(|_| true).map(|piece| in_pieces.read(piece)).last();
            assert_eq!(last, Some(attributes), "{text}");
        }
    }
}
