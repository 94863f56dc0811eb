//! Overrides a profile's output for one request (another format, other link targets, an excerpt): for the reader's
//! address and for programs that read pages for a language model.

use std::fmt::Write as _;

use gleaner_filters::{Extract, Form, Links, SharedAddresses, output::LinkForm};
use serde::Serialize;
use url::Url;

/// The form in which a page is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum SentForm {
    /// The form that the profile has.
    #[default]
    Page,
    Markdown,
    Text,
    Json,
    /// A chapter of a book.
    Chapter,
}

/// How a page is presented.
#[derive(Clone, Debug, Default)]
pub(crate) struct Presentation {
    pub(crate) form: SentForm,
    /// Where its addresses lead, if not where the page says.
    pub(crate) addresses: Option<SharedAddresses>,
    /// The links of the bar, if not those of the proxy.
    pub(crate) links: Option<Links>,
    /// Which part of a page in parts, from 1.
    pub(crate) number: usize,
    /// Whether Markdown begins with what is known about the page.
    pub(crate) front_matter: bool,
    pub(crate) links_as: LinkForm,
    pub(crate) without_images: bool,
    pub(crate) excerpt: Excerpt,
}

/// A stretch of a text, cut between blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excerpt {
    /// Characters before it.
    pub(crate) start: usize,
    /// Most characters; none for all.
    pub(crate) most: Option<usize>,
    /// The address of the text up to the number of characters before the excerpt.
    pub(crate) address: String,
}

/// An excerpt that would begin after this many characters, which are all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("start is beyond the end, which is {0}")]
pub(crate) struct BeyondEnd(usize);

/// The number of characters that a parameter of this name has, `least` at least.
pub(crate) fn parse_chars(name: &str, written: &str, least: usize) -> Result<usize, String> {
    let chars = written.trim().parse().ok().filter(|chars| *chars >= least);
    chars.ok_or_else(|| format!("{name} is {written}; expected a whole number from {least} to {}", usize::MAX))
}

impl SentForm {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "markdown" => Self::Markdown,
            "text" => Self::Text,
            "json" => Self::Json,
            "epub" => Self::Chapter,
            "reader" | "plain" => Self::Page,
            _ => return None,
        })
    }

    /// Whether it is for programs that read for a language model.
    pub(crate) fn is_for_agent(self) -> bool {
        self.written() == Form::Extract
    }

    /// The form in which the filters write it.
    pub(super) fn written(self) -> Form {
        match self {
            Self::Page => Form::Configured,
            Self::Chapter => Form::Chapter,
            Self::Markdown | Self::Text | Self::Json => Form::Extract,
        }
    }

    /// The media type, where it is not that of the profile's format.
    pub(crate) fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Page => None,
            Self::Markdown => Some("text/markdown; charset=utf-8"),
            Self::Text => Some("text/plain; charset=utf-8"),
            Self::Json => Some("application/json"),
            Self::Chapter => Some("application/xhtml+xml"),
        }
    }
}

impl Presentation {
    /// What is written of a page of which everything is known.
    pub(crate) fn text(&self, extract: &Extract, url: &Url) -> Result<String, BeyondEnd> {
        Ok(match self.form {
            SentForm::Json => self.record(extract, url)?,
            SentForm::Text => self.excerpt.take(&extract.text)?,
            _ => {
                let mut text = if self.front_matter && self.excerpt.start == 0 {
                    front_matter(extract, url)
                } else {
                    String::new()
                };
                text.push_str(&self.excerpt.take(&extract.markdown)?);
                if self.links_as == LinkForm::List && !extract.links.is_empty() {
                    text.push_str("\n## Links\n\n");
                    for link in &extract.links {
                        let _ = writeln!(text, "- {} <{}>", link.text.replace(['<', '>', '\n'], " "), link.url);
                    }
                }
                text
            }
        })
    }

    fn record(&self, extract: &Extract, url: &Url) -> Result<String, BeyondEnd> {
        #[derive(Serialize)]
        struct ReadRecord<'a> {
            url: &'a str,
            #[serde(flatten)]
            extract: &'a Extract,
            confidence: Option<f64>,
            /// The address of what follows the excerpt.
            next: Option<String>,
        }
        let CutText { text: markdown, next } = self.excerpt.cut(&extract.markdown)?;
        let extract = Extract { markdown, ..extract.clone() };
        let confidence = extract.report.confidence;
        let record = ReadRecord { url: url.as_str(), extract: &extract, confidence, next };
        // Plain data cannot fail.
        let mut record = serde_json::to_value(&record).unwrap_or_default();
        if let Some(record) = record.as_object_mut() {
            // The same again, and longer.
            record.remove("html");
            if !self.excerpt.is_all() {
                // One number counts the characters of one text.
                record.remove("text");
            }
        }
        Ok(record.to_string())
    }
}

/// An excerpt, and the address of what follows it.
struct CutText {
    text: String,
    next: Option<String>,
}

impl CutText {
    fn with_next_line(self) -> String {
        match self.next {
            Some(next) => format!("{}\n\nNext part: {next}\n", self.text.trim_end()),
            None => self.text,
        }
    }
}

impl Excerpt {
    /// Cuts a text that is sent as it is, and names its next part.
    pub(crate) fn take(&self, text: &str) -> Result<String, BeyondEnd> {
        self.cut(text).map(CutText::with_next_line)
    }

    fn is_all(&self) -> bool {
        self.start == 0 && self.most.is_none()
    }

    /// Whole blocks, at least one: as many as have room. A block that is longer than the room is cut.
    fn cut(&self, text: &str) -> Result<CutText, BeyondEnd> {
        let chars = text.chars().count();
        if self.start > chars {
            return Err(BeyondEnd(chars));
        }
        let begin = char_index(text, self.start);
        let rest = &text[begin..];
        let Some(most) = self.most.filter(|most| rest.chars().nth(*most).is_some()) else {
            return Ok(CutText { text: rest.to_owned(), next: None });
        };
        let room = char_index(rest, most);
        let end = last_block_end(rest, room).unwrap_or(room);
        let next = self.start + rest[..end].chars().count();
        Ok(CutText { text: rest[..end].to_owned(), next: Some(format!("{}{next}", self.address)) })
    }
}

fn char_index(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The end of the last whole block within the room; a block of code is one block, whatever lines it has.
fn last_block_end(text: &str, room: usize) -> Option<usize> {
    let (mut at, mut in_code, mut end) = (0, false, None);
    for line in text.split_inclusive('\n') {
        at += line.len();
        if at > room {
            break;
        }
        in_code ^= line.trim_start().starts_with("```");
        if line.trim().is_empty() && !in_code {
            end = Some(at);
        }
    }
    end.filter(|end| *end > 0)
}

/// Title, author, date, address and language as YAML.
fn front_matter(extract: &Extract, url: &Url) -> String {
    let metadata = &extract.metadata;
    let known = [
        ("title", Some(metadata.title.as_str()).filter(|title| !title.is_empty())),
        ("author", metadata.author.as_deref()),
        ("date", metadata.date.as_deref()),
        ("url", Some(url.as_str())),
        ("language", metadata.language.as_deref()),
    ];
    let mut out = "---\n".to_owned();
    for (name, value) in known {
        if let Some(value) = value {
            // A string of JSON is one of YAML (YAML 1.2 § 1.3).
            let _ = writeln!(out, "{name}: {}", serde_json::to_string(value).unwrap_or_default());
        }
    }
    out.push_str("---\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_ends_between_blocks_and_says_what_follows() {
        let text = "one two\n\nthree four\n\n```\na\n\nb\n```\n\nfive";
        let cut = |start, most| {
            let cut = Excerpt { start, most: Some(most), address: "/n=".to_owned() }.cut(text);
            cut.map(|cut| (cut.text, cut.next))
        };
        assert_eq!(cut(0, 12), Ok(("one two\n\n".to_owned(), Some("/n=9".to_owned()))));
        assert_eq!(cut(9, 18), Ok(("three four\n\n".to_owned(), Some("/n=21".to_owned()))));
        assert_eq!(cut(21, 100), Ok(("```\na\n\nb\n```\n\nfive".to_owned(), None)));
        assert_eq!(cut(0, 4), Ok(("one ".to_owned(), Some("/n=4".to_owned()))));
        let end = text.chars().count();
        assert_eq!((cut(end, 4), cut(end + 1, 4)), (Ok((String::new(), None)), Err(BeyondEnd(end))));
        // All parts are the text.
        let (mut all, mut start) = (String::new(), 0);
        loop {
            let part = Excerpt { start, most: Some(13), address: String::new() }.cut(text).unwrap();
            all.push_str(&part.text);
            match part.next {
                Some(next) => start = next.parse().unwrap(),
                None => break,
            }
        }
        assert_eq!(all, text);
    }
}
