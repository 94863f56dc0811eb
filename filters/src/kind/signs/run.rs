//! Paragraphs without an element of their own: what stands between two breaks in a row, as pages were written until about 2010.

use super::LONG;

/// Words of a paragraph of news.
const MEAN: u32 = 30;

/// The text since the last two breaks, and the long paragraphs before it.
#[derive(Default)]
pub(super) struct Run {
    words: u32,
    breaks: u32,
    pub(super) long: usize,
}

impl Run {
    pub(super) fn text(&mut self, words: u32) {
        self.breaks = 0;
        self.words += words;
    }

    pub(super) fn line_break(&mut self) {
        self.breaks += 1;
        if self.breaks == 2 {
            if self.words >= LONG {
                // Where single breaks divide the paragraphs, several are one.
                self.long += (self.words / MEAN).max(1) as usize;
            }
            self.words = 0;
        }
    }

    /// Another part of the page begins: what stands before it may be a menu.
    pub(super) fn part(&mut self) {
        self.words = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_between_two_breaks_are_paragraphs() {
        let mut run = Run::default();
        for words in [25, 5, 95] {
            run.text(words);
            run.line_break();
            run.line_break();
        }
        assert_eq!(run.long, 1 + 3);
        run.text(15);
        run.line_break();
        run.text(15);
        run.part();
        run.line_break();
        run.line_break();
        assert_eq!(run.long, 4, "a part that ends without two breaks");
    }
}
