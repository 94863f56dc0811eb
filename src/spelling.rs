//! How the names of fields are written. HTTP/1.1 takes capitals and small letters for the same (RFC 9110 § 5.1); bot walls do
//! not: they know how each browser writes. So names go on as they came.
//!
//! The HTTP library can keep them too, in a second map beside the fields; that cost a tenth of a forwarded request
//! (2026-11-21, callgrind: 10,000 of 94,000 instructions). Many names are written in the usual way, `Like-This`; only the others are
//! noted here, and the head is put right on its way to the socket.

mod alike;
mod kept;
mod reader;
mod writer;

use http::Extensions;

pub(crate) use self::{reader::Reader, writer::Writer};

/// Most bytes of a head that are kept to compare the next one with. Every connection, idle or not, may hold as many, twice where
/// its heads are written, and every thread.
const MOST: usize = 2048;

/// The names of one message that are not written in the usual way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// Each followed by a colon.
    names: Vec<u8>,
    /// A bit for each of their lengths, so that most other names need not be compared with any.
    lengths: u64,
}

impl Spelling {
    /// Notes how the name at the start of a line is written.
    pub(crate) fn note(&mut self, line: &[u8], name: Name) {
        if !name.is_usual && self.of(&line[..name.length]).is_none() {
            self.names.extend_from_slice(&line[..name.length]);
            self.names.push(b':');
            self.lengths |= bit(name.length);
        }
    }

    /// Whether all names are written in the usual way.
    pub(crate) fn is_usual(&self) -> bool {
        self.names.is_empty()
    }

    /// Goes along with a message.
    pub(crate) fn go_with(self, extensions: &mut Extensions) {
        // Nearly always there is nothing to be told.
        if !self.is_usual() {
            extensions.insert(self);
        }
    }

    /// The names of a message.
    pub(crate) fn of_message(extensions: &mut Extensions) -> Self {
        extensions.remove().unwrap_or_default()
    }

    fn of(&self, name: &[u8]) -> Option<&[u8]> {
        if self.lengths & bit(name.len()) == 0 {
            return None;
        }
        self.names
            .split(|byte| *byte == b':')
            .find(|noted| noted.eq_ignore_ascii_case(name))
    }
}

fn bit(length: usize) -> u64 {
    1 << (length % 64)
}

/// The name at the start of a line, as far as it is one (RFC 9110 § 5.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) length: usize,
    /// Whether it is written in the usual way, `Like-This`.
    is_usual: bool,
}

impl Name {
    pub(crate) fn of(line: &[u8]) -> Self {
        let mut state = BEGINS;
        for (length, byte) in line.iter().enumerate() {
            let next = STEPS[(usize::from(state) + usize::from(*byte)) % STEPS.len()];
            if next == ENDS {
                let is_usual = state != UNUSUAL;
                return Self { length, is_usual };
            }
            state = next;
        }
        Self {
            length: line.len(),
            is_usual: state != UNUSUAL,
        }
    }
}

/// A word of a usual name begins, or goes on. The numbers are places in the table.
const BEGINS: u16 = 0;
const GOES_ON: u16 = 256;
const UNUSUAL: u16 = 512;
const ENDS: u16 = 768;

/// What follows after which state with which byte. As a table: every byte of every name is asked for.
const STEPS: [u16; 1024] = {
    const fn step(state: u16, byte: u8) -> u16 {
        let is_unusual = match byte {
            // A capital only where a word begins, a small letter only where none does.
            b'a'..=b'z' => state == BEGINS,
            b'A'..=b'Z' => state == GOES_ON,
            b'0'..=b'9'
            | b'!'
            | b'#'..=b'\''
            | b'*'
            | b'+'
            | b'-'
            | b'.'
            | b'^'..=b'`'
            | b'|'
            | b'~' => false,
            _ => return ENDS,
        };
        if is_unusual || state == UNUSUAL {
            UNUSUAL
        } else if byte == b'-' {
            BEGINS
        } else {
            GOES_ON
        }
    }
    let mut table = [ENDS; 1024];
    let mut state = BEGINS;
    while state < ENDS {
        let mut byte = 0;
        while byte < u8::MAX {
            table[state as usize + byte as usize] = step(state, byte);
            byte += 1;
        }
        state += 256;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a message that has these.
    pub(super) fn noted(names: &[&str]) -> Spelling {
        let mut spelling = Spelling::default();
        for name in names {
            spelling.note(name.as_bytes(), Name::of(name.as_bytes()));
        }
        spelling
    }

    #[test]
    fn usual_names_need_no_note() {
        assert!(noted(&["Host", "User-Agent", "X-1-A", "Accept"]).is_usual());
        for name in [
            "host",
            "DNT",
            "sec-ch-ua",
            "ETag",
            "X-xss-Protection",
            "Sec-CH-UA",
        ] {
            assert!(!noted(&[name]).is_usual(), "{name}");
        }
    }
}
