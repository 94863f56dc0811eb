//! What goes: texts whose chance was good enough and that are not what the page is for, or that it shows twice.
//!
//! | what | where | file |
//! |---|---|---|
//! | what buyers say, other goods, overlays | on products | `clear/product.rs`: `reviews`, `others`, `overlays` |
//! | comments and latest news below the text | on articles | `clear/entries.rs` |
//! | what speaks of the page: "follow us", "found a mistake?" | on articles | `clear/pleas.rs` |
//! | "Book a demo" and its box | on articles | `clear/calls.rs` |
//! | the author's life, what is for lawyers | on articles | `clear/afterwords.rs` |
//! | what is announced above the headline | everywhere | `clear/announcements.rs` |
//! | what is shown twice | everywhere | `clear/copies.rs` |
//! | what stands twice on a card, the same button on every card | on shelves and lists | `clear/twice.rs`, `clear/buttons.rs` |
//! | tables of contents, whose words the headings say again | everywhere | `clear/contents.rs` |
//! | lists of other articles, of subjects and buttons, boxes for letters | on articles, the first on manuals too | `clear/related.rs` |
//! | what the publisher says in each of its articles | on articles | `clear/lines.rs` |
//! | menus and dialogs | everywhere | `clear/dialogs.rs` |
//! | "Lorem ipsum dolor sit amet" | everywhere | `clear/dummy.rs` |
//! | the way to the text before and behind | everywhere | `clear/neighbours.rs` |
//! | cells of links beside the cell of a text | everywhere but on front pages | `clear/columns.rs` |
//! | "Print, send to a friend, back to top" | everywhere | `clear/tools.rs` |
//!
//! `auto/called.rs` finds parts by what their author calls them.

mod afterwords;
mod announcements;
mod buttons;
mod calls;
mod columns;
mod contents;
mod copies;
mod dialogs;
mod dummy;
mod entries;
mod lines;
mod neighbours;
mod others;
mod overlays;
mod phrases;
mod pleas;
mod product;
mod related;
mod reviews;
mod tools;
mod twice;

use super::{Favor, blocks::Blocks, thread::Talk};
use crate::{kind::KindNow, page::Page};
pub(crate) use afterwords::WORDS as AFTERWORDS;
pub(crate) use announcements::WORDS as ANNOUNCEMENTS;
pub(crate) use overlays::WORDS as OVERLAYS;
pub(crate) use reviews::WORDS as REVIEWS;

/// Drops all that from the kept blocks; with [`Favor::Recall`] nothing for being a product's or an article's surroundings.
pub(super) fn clear(
    page: &Page,
    blocks: &Blocks,
    kind: &KindNow<'_>,
    favor: Favor,
    talk: Option<&Talk>,
    kept: &mut [bool],
) {
    if favor != Favor::Recall {
        product::tidy(page, blocks, kind, kept);
        entries::drop(page, blocks, kind, kept);
        afterwords::drop(page, blocks, kind, kept);
        pleas::drop(page, blocks, kind, kept);
        calls::drop(page, blocks, kind, kept);
    }
    columns::drop(page, blocks, kept);
    announcements::drop(page, blocks, kept);
    copies::drop(page, blocks, talk, kept);
    twice::drop(page, blocks, kind, kept);
    buttons::drop(page, blocks, kept);
    contents::drop(page, blocks, kind, kept);
    related::drop(page, blocks, kind, kept);
    if favor != Favor::Recall {
        lines::drop(page, blocks, kind, kept);
    }
    dialogs::drop(page, blocks, kept);
    dummy::drop(page, blocks, kept);
    neighbours::drop(page, blocks, kept);
    tools::drop(page, blocks, kept);
}
