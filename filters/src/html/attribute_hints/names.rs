//! Word lists for class names and addresses that mark authors, user profiles, dates and quotations.

use crate::vocabulary::lists::{WordList, words};

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
pub(crate) static PROFILES: WordList = words!("profile_folders");

/// Words in the class of a date, and in the properties of one.
pub(crate) const DATES: [&[&str]; 2] = [
    &["date", "time", "postdate", "timestamp", "relativetime", "datetime", "postdetails"],
    &["datecreated", "datepublished", "date"],
];

/// Words in the classes of authors.
pub(crate) static AUTHORS: WordList = words!("class_authors");

/// Folders in the addresses of authors' pages.
pub(crate) static AUTHOR_FOLDERS: WordList = words!("author_folders");
