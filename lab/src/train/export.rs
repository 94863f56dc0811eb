//! Writes, for every text block of every page, its features and how much of it belongs to the main content.

use std::{
    fs,
    io::{BufWriter, Write},
    path::Path,
    sync::Arc,
};

use gleaner_filters::{
    Chain,
    training::{self, Sample},
};
use serde::Serialize;

use super::{
    align::{self, Aligned},
    folds::{domain, fold},
    snippets::Labels,
};
use crate::dataset;

#[derive(Serialize)]
struct Line {
    id: String,
    kind: String,
    fold: u64,
    blocks: usize,
}

pub(super) fn run(chain: &Arc<Chain>, dataset: &Path, out: &Path, snippets: Option<&Path>) -> anyhow::Result<()> {
    fs::create_dir_all(out)?;
    let create = |name| fs::File::create(out.join(name)).map(BufWriter::new);
    let (mut features, mut labels) = (create("features.f32")?, create("labels.f32")?);
    let mut texts = create("texts.txt")?;
    let (mut pages, mut names, mut count) = (Vec::new(), Vec::new(), 0);
    let mut add = |id: String, kind: String, fold: u64, sample: Sample, blocks: &[Aligned]| -> anyhow::Result<()> {
        for value in &sample.values {
            features.write_all(&value.to_le_bytes())?;
        }
        for (text, block) in sample.texts.iter().zip(blocks) {
            labels.write_all(&(block.matched as f32).to_le_bytes())?;
            labels.write_all(&(block.words as f32).to_le_bytes())?;
            writeln!(texts, "{text}")?;
        }
        count += blocks.len();
        names = sample.names;
        pages.push(Line { id, kind, fold, blocks: blocks.len() });
        Ok(())
    };
    for pair in dataset::all(dataset)? {
        let page = dataset::Sample::read(&pair, usize::MAX)?;
        match training::sample(chain, &page.html, &page.url) {
            Ok(sample) => {
                let blocks = align::align(&sample.texts, &page.reference.text);
                add(page.id, page.page_type, fold(&domain(&page.url)), sample, &blocks)?;
            }
            Err(error) => eprintln!("{}: {error}", page.id),
        }
    }
    if let Some(folder) = snippets {
        for (name, labels) in Labels::all(folder)? {
            let (html, url) = labels.page(folder, &name)?;
            match training::sample(chain, &html, &url) {
                Ok(sample) => {
                    let blocks: Vec<_> = sample.texts.iter().map(|text| labels.judge(text)).collect();
                    let fold = labels.fold(&name);
                    add(name, "snippets".to_owned(), fold, sample, &blocks)?;
                }
                Err(error) => eprintln!("{name}: {error}"),
            }
        }
    }
    println!("{} pages, {count} blocks, {} features", pages.len(), names.len());
    let meta = serde_json::json!({ "names": names, "pages": pages });
    fs::write(out.join("meta.json"), serde_json::to_vec(&meta)?)?;
    Ok(())
}
