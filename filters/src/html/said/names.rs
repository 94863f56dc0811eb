//! Words in the classes and addresses of those who write, of days and of quotations.

pub(crate) const POSTERS: &[&str] = &[
    "author",
    "username",
    "creator",
    "poster",
    "nickname",
    "commenter",
    "postername",
    "authorname",
    "displayname",
    "byline",
];

pub(crate) const QUOTES: &[&str] = &["quote", "blockquote", "quoteheader", "quotetitle"];

/// Folders, files and parameters of addresses of profiles.
pub(crate) const PROFILES: [&str; 17] = [
    "user",
    "users",
    "u",
    "member",
    "members",
    "profile",
    "profiles",
    "author",
    "authors",
    "people",
    "account",
    "member.php",
    "memberlist.php",
    "profile.php",
    "viewprofile",
    "showuser",
    "uid",
];

/// Words in the class of a date, and in the properties of one.
pub(crate) const DATES: [&[&str]; 2] = [
    &["date", "time", "postdate", "timestamp", "relativetime", "datetime", "postdetails"],
    &["datecreated", "datepublished", "date"],
];

/// Words in the classes of authors.
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

/// Folders in the addresses of authors' pages.
pub(crate) const AUTHOR_FOLDERS: [&str; 39] = [
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
