//! What stands around the names of authors, in the languages of the web: the words before them, and those in the classes and
//! addresses of their elements.

use std::sync::LazyLock;

use crate::text::starts::Starts;
use crate::wordlist::{Words, words};

/// What stands before a name in a byline: sure ones, those that are the beginning of no name, and words of names and of ordinary text.
static SURE: Words = words!("byline_sure");
static CLEAR: Words = words!("byline_clear");
static NEAR: Words = words!("byline_near");

fn starts(lists: &[&[&'static str]]) -> Starts {
    Starts::new(lists.concat().leak())
}

/// All of them.
pub(super) fn openers() -> &'static Starts {
    static ALL: LazyLock<Starts> = LazyLock::new(|| starts(&[&SURE, &CLEAR, &NEAR]));
    &ALL
}

/// Those that stand before the name of an author wherever they are.
pub(super) fn sure_openers() -> &'static Starts {
    static ALL: LazyLock<Starts> = LazyLock::new(|| starts(&[&SURE]));
    &ALL
}

/// Those that are the beginning of no name.
pub(in crate::metadata) fn clear_openers() -> &'static Starts {
    static ALL: LazyLock<Starts> = LazyLock::new(|| starts(&[&SURE, &CLEAR]));
    &ALL
}

/// Words in the classes of authors, and those of what stands beside their names.
pub(crate) const AUTHORS: [&str; 20] = [
    "byline",
    "createdby",
    "author",
    "authors",
    "authorname",
    "writer",
    "writers",
    "columnist",
    "contributor",
    "autor",
    "autores",
    "auteur",
    "auteurs",
    "autore",
    "redakteur",
    "journalist",
    "reporter",
    "yazar",
    "penulis",
    "avtor",
];
pub(super) static BESIDE: Words = words!("beside_authors");

/// Folders in the addresses of authors' pages.
pub(crate) const FOLDERS: [&str; 39] = [
    "author",
    "authors",
    "writer",
    "writers",
    "contributor",
    "contributors",
    "journalist",
    "journalists",
    "byline",
    "columnists",
    "autor",
    "autores",
    "autora",
    "autoren",
    "auteur",
    "auteurs",
    "autore",
    "autori",
    "autorzy",
    "redakteur",
    "periodista",
    "journaliste",
    "signature",
    "signatures",
    "colunista",
    "colunistas",
    "columnista",
    "reporter",
    "reporters",
    "yazar",
    "yazarlar",
    "penulis",
    "avtor",
    "avtory",
    "forfatter",
    "skribent",
    "kirjoittaja",
    "szerzo",
    "tac-gia",
];
