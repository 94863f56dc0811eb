//! The words of addresses and the programs that tell the kind of a page. Each means the same on most sites of the web; none is
//! a site's own.

use crate::vocabulary::lists::{WordList, words};

/// First names of hosts with discussions.
pub(super) static FORUM_HOSTS: WordList = words!("type_forum_hosts");
/// Names in the addresses of discussions.
pub(super) static FORUM_PATHS: WordList = words!("type_forum_paths");
/// Names in them before a number: `/topic/12-the-bridge` is a discussion, `/topic/bridges` what a paper has on bridges.
pub(super) static NUMBERED_PATHS: WordList = words!("type_numbered_paths");
/// How names in the addresses of discussions begin: showthread.php, showthread-12.
pub(super) static FORUM_SCRIPTS: WordList = words!("type_forum_scripts");
/// Programs that make them.
pub(super) static FORUM_PROGRAMS: WordList = words!("type_forum_programs");
/// First names of hosts with manuals.
pub(super) static MANUAL_HOSTS: WordList = words!("type_manual_hosts");
/// Names in the addresses of manuals.
pub(super) static MANUAL_PATHS: WordList = words!("type_manual_paths");
/// Programs that make them.
pub(super) static MANUAL_PROGRAMS: WordList = words!("type_manual_programs");
/// Names in the addresses of shelves.
pub(super) static SHELVES: WordList = words!("type_shelves");
/// Names in the addresses of single products.
pub(super) static PRODUCTS: WordList = words!("type_products");
/// Names in the addresses of lists.
pub(super) static LISTS: WordList = words!("type_lists");
/// Names in the addresses of what somebody offers.
pub(super) static OFFERS: WordList = words!("type_offers");
/// Names in the addresses of texts.
pub(super) static TEXTS: WordList = words!("type_texts");
