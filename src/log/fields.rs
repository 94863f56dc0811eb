//! The fields of a line of log where nobody looks at colours: the same text as `tracing_subscriber`'s own, written without
//! the empty styles around every name, which cost more than half of the line (2026-11-21, callgrind: 12,000 of 139,000
//! instructions per forwarded request).

use std::fmt::{self, Debug, Write as _};

use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{FormatFields, format::Writer},
};

/// The field that is written without its name.
const MESSAGE: &str = "message";

/// `message name=value name="text"`.
pub(super) struct PlainFields;

impl<'w> FormatFields<'w> for PlainFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        // Through the writer each of some sixty pieces would be a call through a pointer.
        let mut line = Line(String::with_capacity(ROOM));
        fields.record(&mut line);
        writer.write_str(&line.0)
    }
}

/// Bytes of a usual line.
pub(super) const ROOM: usize = 256;

/// A line that is being written. Writing to a string cannot fail.
pub(super) struct Line(String);

impl Line {
    fn name(&mut self, name: &str) -> &mut String {
        let line = &mut self.0;
        if !line.is_empty() {
            line.push(' ');
        }
        if name != MESSAGE {
            line.push_str(name.strip_prefix("r#").unwrap_or(name));
            line.push('=');
        }
        line
    }
}

/// Text in quotes.
pub(super) fn quote(line: &mut String, text: &str) {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    // To the end whatever is found, because that is done many bytes at once.
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        line.push('"');
        line.push_str(text);
        line.push('"');
    } else {
        let _ = write!(line, "{text:?}");
    }
}

/// Digits.
pub(super) fn push_number(line: &mut String, number: u64) {
    if number >= 10 {
        push_number(line, number / 10);
    }
    line.push(char::from(b'0' + (number % 10) as u8));
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let line = self.name(field.name());
        let _ = if field.name() == MESSAGE {
            write!(Escaped(line), "{value:?}")
        } else {
            write!(line, "{value:?}")
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == MESSAGE {
            let _ = Escaped(self.name(MESSAGE)).write_str(value);
        } else {
            quote(self.name(field.name()), value);
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        push_number(self.name(field.name()), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        *self.name(field.name()) += if value { "true" } else { "false" };
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let _ = write!(Escaped(self.name(field.name())), "{value}");
    }
}

/// What a terminal would obey is written as its number: a message may hold what a stranger sent.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
        let mut rest = text;
        while let Some(at) = rest.find(is_obeyed) {
            let (plain, from) = rest.split_at(at);
            self.0.write_str(plain)?;
            let mut after = from.chars();
            match after.next().map(u32::from) {
                Some(ascii @ 0..=0x7f) => write!(self.0, "\\x{ascii:02x}")?,
                Some(obeyed) => write!(self.0, "\\u{{{obeyed:x}}}")?,
                None => {}
            }
            rest = after.as_str();
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use tracing::{error, info, info_span};
    use tracing_subscriber::fmt::{MakeWriter, SubscriberBuilder, format};

    use super::{super::line::PlainLine, *};

    #[derive(Clone, Default)]
    pub(in crate::log) struct Kept(pub(in crate::log) Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Kept {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    fn say() {
        let span = info_span!("conn", client.addr = %"127.0.0.1:1");
        let _entered = span.enter();
        info!(client = %"::1", host = "a\"b", status = 200, broke_off = false, "request");
        info!(
            empty = "",
            zero = 0_u64,
            most = u64::MAX,
            tab = "\t",
            accent = "\u{e9}",
            back = "\\"
        );
        info!(r#type = ?Some("x"), share = 0.5, left = -1, "a {} of \x1b[31m and \u{9b}", "message");
        let broken = io::Error::other("it broke");
        error!(error = &broken as &dyn std::error::Error, %broken);
    }

    #[test]
    fn lines_read_as_with_the_librarys_own_fields() {
        let builder = || {
            SubscriberBuilder::default()
                .with_ansi(false)
                .with_target(false)
        };
        let (ours, theirs) = (Kept::default(), Kept::default());
        let subscriber = builder()
            .event_format(PlainLine)
            .fmt_fields(PlainFields)
            .with_writer(ours.clone());
        tracing::subscriber::with_default(subscriber.finish(), say);
        let subscriber = builder()
            .without_time()
            .fmt_fields(format::DefaultFields::new())
            .with_writer(theirs.clone());
        tracing::subscriber::with_default(subscriber.finish(), say);
        let [ours, theirs] =
            [ours, theirs].map(|kept| String::from_utf8(kept.0.lock().unwrap().clone()).unwrap());
        let after_the_time = |line: &str| {
            line.split_at("2026-11-21T17:46:01.123456Z ".len())
                .1
                .to_owned()
        };
        let untimed: Vec<_> = ours.lines().map(after_the_time).collect();
        assert_eq!(untimed, theirs.lines().collect::<Vec<_>>());
        assert_eq!(untimed.len(), 4);
        assert!(
            ours.contains("client=::1 host=\"a\\\"b\" status=200"),
            "{ours}"
        );
    }
}
