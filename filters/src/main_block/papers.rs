//! Main-block algorithms from papers, one file each, with its citation. They only read the page and name nodes. `menus`
//! finds menus, `source` gives the page as a sequence of tags and texts.

pub mod article_subtree;
pub mod bte;
pub mod ccb;
pub mod cetr;
pub mod cnr;
pub mod core_ex;
pub(super) mod dsc;
pub(crate) mod menus;
mod source;
pub mod text_density;
