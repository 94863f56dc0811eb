//! Counts paragraphs without an element of their own: texts between two `<br>` in a row, as pages were written until
//! about 2010.

use super::LONG;
use crate::html::NodeId;

/// Words of a paragraph of news.
const MEAN: u32 = 30;

/// The text since the last two breaks, and the long paragraphs before it.
#[derive(Default)]
pub(super) struct Run {
    /// Text nodes, counted when they turn out to be a paragraph.
    texts: Vec<NodeId>,
    breaks: u32,
    pub(super) long: usize,
}

impl Run {
    pub(super) fn text(&mut self, id: NodeId) {
        self.breaks = 0;
        self.texts.push(id);
    }

    pub(super) fn line_break(&mut self, words: impl Fn(NodeId) -> u32) {
        self.breaks += 1;
        if self.breaks == 2 {
            let words: u32 = self.texts.drain(..).map(words).sum();
            if words >= LONG {
                // Where single breaks divide the paragraphs, several are one.
                self.long += (words / MEAN).max(1) as usize;
            }
        }
    }

    /// Another part of the page begins: what stands before it may be a menu.
    pub(super) fn part(&mut self) {
        self.texts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_between_two_breaks_are_paragraphs() {
        let mut run = Run::default();
        let words = |id: NodeId| id.0;
        for words_of in [25, 5, 95] {
            run.text(NodeId(words_of));
            run.line_break(words);
            run.line_break(words);
        }
        assert_eq!(run.long, 1 + 3);
        run.text(NodeId(15));
        run.line_break(words);
        run.text(NodeId(15));
        run.part();
        run.line_break(words);
        run.line_break(words);
        assert_eq!(run.long, 4, "a part that ends without two breaks");
    }
}
