//! Writes, for every text block of every page, its features and how much of it belongs to the main content.

use std::{
    fs,
    io::{BufWriter, Write},
    path::Path,
    sync::Arc,
};

use gleaner_filters::{Chain, training};
use serde::Serialize;

use super::{align, dataset};

#[derive(Serialize)]
struct Line {
    id: String,
    kind: String,
    fold: u64,
    blocks: usize,
    reference_words: usize,
}

pub(super) fn run(chain: &Arc<Chain>, dataset: &Path, out: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(out)?;
    let create = |name| fs::File::create(out.join(name)).map(BufWriter::new);
    let (mut features, mut labels) = (create("features.f32")?, create("labels.f32")?);
    let mut texts = create("texts.txt")?;
    let (mut pages, mut names, mut count) = (Vec::new(), Vec::new(), 0);
    for annotation in dataset::annotations(dataset)? {
        let page = dataset::page(dataset, &annotation)?;
        let sample = match training::sample(chain, &page.html, &page.url) {
            Ok(sample) => sample,
            Err(error) => {
                eprintln!("{}: {error}", page.id);
                continue;
            }
        };
        let blocks = align::align(&sample.texts, &page.reference);
        for value in &sample.values {
            features.write_all(&value.to_le_bytes())?;
        }
        for (text, block) in sample.texts.iter().zip(&blocks) {
            labels.write_all(&(block.matched as f32).to_le_bytes())?;
            labels.write_all(&(block.words as f32).to_le_bytes())?;
            writeln!(texts, "{text}")?;
        }
        count += blocks.len();
        names = sample.names;
        pages.push(Line {
            id: page.id,
            kind: page.kind,
            fold: page.fold,
            blocks: blocks.len(),
            reference_words: align::tokens(&page.reference).len(),
        });
    }
    println!("{} pages, {count} blocks, {} features", pages.len(), names.len());
    let meta = serde_json::json!({ "names": names, "pages": pages });
    fs::write(out.join("meta.json"), serde_json::to_vec(&meta)?)?;
    Ok(())
}
