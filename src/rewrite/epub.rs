//! Writes pages as an EPUB 3.3 book (<https://www.w3.org/TR/epub-33/>): each page is a chapter, with the pictures that
//! were fetched for it.
//!
//! The archive is written by hand: a ZIP of stored and deflated entries (PKWARE APPNOTE 6.3.3) is shorter than what the crates for it
//! bring along.

use std::{
    fmt::Write as _,
    io::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use flate2::{Compression, Crc, write::DeflateEncoder};
use gleaner_filters::Metadata;
use time::OffsetDateTime;

const CONTAINER: &str = "<?xml version=\"1.0\"?>\n<container version=\"1.0\" xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\">\
<rootfiles><rootfile full-path=\"book.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>\n";

/// A book on its way.
#[derive(Default)]
pub(crate) struct Book {
    chapters: Vec<Chapter>,
    /// By their numbers, with their media type.
    pictures: Vec<(usize, &'static str, Vec<u8>)>,
}

struct Chapter {
    title: String,
    author: Option<String>,
    date: Option<String>,
    language: Option<String>,
    content: String,
}

impl Book {
    /// The address of a picture in a chapter before the book is written.
    pub(crate) fn picture_address(number: usize) -> String {
        format!("images/{number}")
    }

    pub(crate) fn add_picture(&mut self, number: usize, kind: &'static str, bytes: Vec<u8>) {
        self.pictures.push((number, kind, bytes));
    }

    /// Adds a page, written as a chapter.
    pub(crate) fn add(&mut self, content: String, metadata: &Metadata) {
        let title = metadata.title.trim();
        let number = self.chapters.len() + 1;
        self.chapters.push(Chapter {
            title: if title.is_empty() { format!("Page {number}") } else { title.to_owned() },
            author: metadata.author.clone(),
            date: metadata.date.clone().filter(|date| is_day(date)),
            language: metadata.language.clone().filter(|tag| is_language(tag)),
            content,
        });
    }

    pub(crate) fn file_name(&self) -> String {
        let title = self.chapters.first().map_or("", |chapter| &chapter.title);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let name: String = title.chars().map(plain).take(60).collect();
        let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
        format!("{}.epub", if words.is_empty() { "page".to_owned() } else { words.join("-") })
    }

    pub(crate) fn write(mut self) -> Vec<u8> {
        let pictures: Vec<(usize, String)> = self
            .pictures
            .iter()
            .map(|(number, kind, _)| (*number, format!("images/{number}.{}", kind.trim_start_matches("image/"))))
            .collect();
        for chapter in &mut self.chapters {
            chapter.content = with_pictures(&chapter.content, &pictures);
        }
        let mut archive = Archive::default();
        // First and as it is, so that the kind of the file is seen at its beginning (EPUB 3.3 § 4.2.3).
        archive.add("mimetype", b"application/epub+zip", false);
        archive.add("META-INF/container.xml", CONTAINER.as_bytes(), true);
        archive.add("book.opf", self.package(&pictures).as_bytes(), true);
        archive.add("contents.xhtml", self.contents().as_bytes(), true);
        for (number, chapter) in self.chapters.iter().enumerate() {
            archive.add(&format!("page-{}.xhtml", number + 1), chapter.content.as_bytes(), true);
        }
        for ((_, name), (_, _, bytes)) in pictures.iter().zip(&self.pictures) {
            archive.add(name, bytes, false);
        }
        archive.finish()
    }

    fn package(&self, pictures: &[(usize, String)]) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" \
             unique-identifier=\"id\">\n<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n",
        );
        let first = self.chapters.first();
        let title = first.map_or("Pages", |chapter| &chapter.title);
        let language = first.and_then(|chapter| chapter.language.as_deref()).unwrap_or("und");
        let mut sum = Crc::new();
        let mut length = 0;
        for chapter in &self.chapters {
            sum.update(chapter.content.as_bytes());
            length += chapter.content.len();
        }
        // Writing to a `String` cannot fail, here and below.
        let _ = writeln!(out, "<dc:identifier id=\"id\">urn:gleaner:{:08x}-{length}</dc:identifier>", sum.sum());
        let _ = writeln!(out, "<dc:title>{}</dc:title>\n<dc:language>{}</dc:language>", xml(title), xml(language));
        if let Some(author) = first.and_then(|chapter| chapter.author.as_deref()) {
            let _ = writeln!(out, "<dc:creator>{}</dc:creator>", xml(author));
        }
        if let Some(date) = first.and_then(|chapter| chapter.date.as_deref()) {
            let _ = writeln!(out, "<dc:date>{}</dc:date>", xml(date));
        }
        let _ = writeln!(out, "<meta property=\"dcterms:modified\">{}</meta>\n</metadata>\n<manifest>", now());
        out.push_str(
            "<item id=\"contents\" href=\"contents.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\n",
        );
        for number in 1..=self.chapters.len() {
            let _ = writeln!(
                out,
                "<item id=\"page-{number}\" href=\"page-{number}.xhtml\" media-type=\"application/xhtml+xml\"/>"
            );
        }
        for ((number, name), (_, kind, _)) in pictures.iter().zip(&self.pictures) {
            let _ = writeln!(out, "<item id=\"picture-{number}\" href=\"{name}\" media-type=\"{kind}\"/>");
        }
        out.push_str("</manifest>\n<spine>\n");
        for number in 1..=self.chapters.len() {
            let _ = writeln!(out, "<itemref idref=\"page-{number}\"/>");
        }
        out.push_str("</spine>\n</package>\n");
        out
    }

    fn contents(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" \
             xmlns:epub=\"http://www.idpf.org/2007/ops\"><head><title>Contents</title></head><body>\
             <nav epub:type=\"toc\"><h1>Contents</h1><ol>\n",
        );
        for (number, chapter) in self.chapters.iter().enumerate() {
            let _ = writeln!(out, "<li><a href=\"page-{}.xhtml\">{}</a></li>", number + 1, xml(&chapter.title));
        }
        out.push_str("</ol></nav></body></html>\n");
        out
    }
}

/// A chapter whose pictures are those of the book; where one did not come, its words stand in its place.
fn with_pictures(content: &str, pictures: &[(usize, String)]) -> String {
    const START: &str = "<img src=\"images/";
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find(START) {
        let (before, element) = rest.split_at(at);
        out.push_str(before);
        let end = element.find("/>").map_or(element.len(), |end| end + 2);
        let (element, after) = element.split_at(end);
        let mut values = element.split('"').skip(1).step_by(2);
        let number = values.next().and_then(|address| address.strip_prefix("images/")?.parse::<usize>().ok());
        let alt = values.next().unwrap_or_default();
        match pictures.iter().find(|(known, _)| Some(*known) == number) {
            Some((_, name)) => {
                let behind = element[START.len()..].find('"').map_or("", |quote| &element[START.len() + quote..]);
                out.extend(["<img src=\"", name, behind]);
            }
            None => out.push_str(&alt.replace("&#34;", "\"")),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn xml(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A tag of a language, as far as its form tells (BCP 47).
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let is_first = |part: &str| (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    parts.next().is_some_and(is_first)
        && parts.all(|part| (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_day(date: &str) -> bool {
    let parts: Vec<&str> = date.split('-').collect();
    [4, 2, 2].iter().eq(parts.iter().map(|part| part.len()).collect::<Vec<_>>().iter())
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn now() -> String {
    timestamp(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

/// A time in seconds since 1970 as EPUB and Atom want it.
pub(crate) fn timestamp(seconds: u64) -> String {
    let now = OffsetDateTime::from_unix_timestamp(i64::try_from(seconds).unwrap_or_default());
    let now = now.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (date, month) = (now.date(), u8::from(now.month()));
    format!(
        "{:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z",
        date.year(),
        date.day(),
        now.hour(),
        now.minute(),
        now.second()
    )
}

/// A ZIP archive.
#[derive(Default)]
struct Archive {
    out: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

impl Archive {
    fn add(&mut self, name: &str, content: &[u8], is_deflated: bool) {
        let mut crc = Crc::new();
        crc.update(content);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let deflated = is_deflated.then(|| encoder.write_all(content).and_then(|()| encoder.finish()).ok()).flatten();
        let packed = deflated.as_deref().unwrap_or(content);
        let method: u16 = if deflated.is_some() { 8 } else { 0 };
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let offset = size(&self.out);
        let mut head = Vec::new();
        // Version 2.0; names in UTF-8 where that is not ASCII; 1 January 1980, the first day that the format knows.
        for field in [20, 0x0800, method, 0, 0x0021] {
            head.extend(u16::to_le_bytes(field));
        }
        for field in [crc.sum(), size(packed), size(content)] {
            head.extend(field.to_le_bytes());
        }
        head.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
        head.extend([0, 0]);
        self.out.extend(b"PK\x03\x04");
        self.out.extend(&head);
        self.out.extend(name.as_bytes());
        self.out.extend(packed);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(20_u16.to_le_bytes());
        self.directory.extend(&head);
        // No comment, disk 0, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;
    }

    fn finish(mut self) -> Vec<u8> {
        let [start, length] =
            [self.out.len(), self.directory.len()].map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        self.out.extend(&self.directory);
        self.out.extend(b"PK\x05\x06\0\0\0\0");
        self.out.extend(self.entries.to_le_bytes());
        self.out.extend(self.entries.to_le_bytes());
        self.out.extend(length.to_le_bytes());
        self.out.extend(start.to_le_bytes());
        self.out.extend([0, 0]);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_did_not_come_is_its_words() {
        let content = "<p>a<img src=\"images/0\" alt=\"one\" width=\"3\"/>b<img src=\"images/1\" alt=\"&#34;two&#34; &amp;\"/>c</p>";
        let placed = with_pictures(content, &[(0, "images/0.png".to_owned())]);
        assert_eq!(placed, "<p>a<img src=\"images/0.png\" alt=\"one\" width=\"3\"/>b\"two\" &amp;c</p>");
    }

    #[test]
    fn names_and_tags_are_plain() {
        for (tag, is_right) in
            [("en", true), ("de-AT", true), ("zh-Hant-TW", true), ("english", false), ("", false), ("en_US", false)]
        {
            assert_eq!(is_language(tag), is_right, "{tag}");
        }
        assert!(is_day("2026-11-28") && !is_day("2026-11") && !is_day("28.11.2026"));
        let mut book = Book::default();
        let mut metadata = Metadata::default();
        "A \"clock\", part 2: Größe".clone_into(&mut metadata.title);
        book.add(String::new(), &metadata);
        assert_eq!(book.file_name(), "a-clock-part-2-gr-e.epub");
    }
}
