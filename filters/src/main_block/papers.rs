//! The algorithms of the papers and their rivals, a file each with its citation: they only read the page and name nodes.

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
