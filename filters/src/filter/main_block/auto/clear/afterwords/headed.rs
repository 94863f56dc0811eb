//! Parts below an article that only their heading tells: "About the author", and what is under it.

use std::ops::Range;

use super::super::{super::blocks::Blocks, related::trim};
use crate::{
    page::{NodeId, Page, tag::Tag},
    text::{lower, one_line},
};

/// Such headings, in lower case and whole.
#[rustfmt::skip]
const HEADINGS: &[&str] = &[
    "about the author", "about the authors", "about the writer", "about the reviewer", "about the contributor", "about the contributors",
    "about the editor", "author bio", "meet the author", "über den autor", "über die autorin", "über die autoren",
    "zum autor", "zur autorin", "à propos de l'auteur", "à propos de l’auteur",
    "à propos de l'autrice", "à propos de l’autrice", "sobre el autor", "sobre la autora", "acerca del autor", "sobre o autor", "sobre a autora",
    "informazioni sull'autore", "informazioni sull’autore", "l'autore", "l’autore", "chi è l'autore", "over de auteur", "over de schrijver",
    "om författaren", "om skribenten", "om forfatteren", "kirjoittajasta", "o autorze", "o autorce", "o autorovi", "o autorke", "a szerzőről",
    "despre autor", "o autoru", "yazar hakkında", "об авторе", "про автора", "за автора", "σχετικά με τον συγγραφέα", "نبذة عن الكاتب",
    "על המחבר", "על הכותב", "درباره نویسنده", "लेखक के बारे में", "เกี่ยวกับผู้เขียน", "về tác giả", "tentang penulis", "mengenai penulis",
    "关于作者", "作者简介", "關於作者", "作者簡介", "著者について", "著者プロフィール", "この記事を書いた人", "저자 소개", "글쓴이 소개",
];

/// Visible characters of such a heading, at most.
const CHARS: f32 = 45.0;

/// Such headings that are looked at: a bound on the work. A page with as many is a list of authors.
const MOST: usize = 20;

/// Elements around a heading among which the box of its part is looked for.
const LEVELS: usize = 3;

/// The headings, each with what is under it, up to the next heading or the end of the box that it opens.
pub(super) fn parts(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<Range<usize>> {
    let is_heading = |at: usize| {
        let block = &blocks.list[at];
        page.tag(block.container).is_some_and(Tag::is_heading)
    };
    let is_headed = |&at: &usize| {
        let block = &blocks.list[at];
        kept[at] && block.chars <= CHARS && is_heading(at) && {
            is_label(&one_line(&blocks.text(page, block)))
        }
    };
    let end = |at: usize| {
        let box_end = box_end(page, blocks, at);
        let next = (at + 1..box_end).find(|&next| is_heading(next));
        next.unwrap_or(box_end)
    };
    (0..kept.len())
        .filter(is_headed)
        .take(MOST)
        .map(|at| at..end(at))
        .filter(|part| part.len() > 1)
        .collect()
}

/// Whether a line is such a heading, and names nobody.
pub(super) fn is_label(line: &str) -> bool {
    HEADINGS.contains(&trim(&lower(line)))
}

/// Where the box ends that a heading opens: the innermost element that holds more than the heading.
fn box_end(page: &Page, blocks: &Blocks, heading: usize) -> usize {
    let container = blocks.list[heading].container;
    let ends = |up: NodeId| blocks.inside(page, up).end;
    page.ancestors(container)
        .take(LEVELS)
        .map(ends)
        .find(|&end| end > heading + 1)
        .unwrap_or(heading + 1)
}
