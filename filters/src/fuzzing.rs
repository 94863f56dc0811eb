//! Entry points for the fuzz targets in `fuzz/`. Only with the feature `fuzzing`; not part of the API.

use crate::html::parse::comparison::{NoscriptMode, difference};

/// Parses a text in pieces and compares its tree with the one that html5ever builds alone, in each way in which `<noscript>` can
/// be read.
///
/// # Panics
///
/// If the trees differ.
pub fn tree(text: &str, piece: usize) {
    for noscript in [NoscriptMode::Text, NoscriptMode::Element, NoscriptMode::Confined] {
        if let Some([got, wanted]) = difference(text, noscript, || piece.max(1)) {
            let pair = got.lines().zip(wanted.lines()).find(|(got, wanted)| got != wanted);
            panic!("{noscript:?}, pieces of {piece}: {pair:?} in {text:?}");
        }
    }
}
