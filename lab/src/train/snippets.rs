//! Labelled snippets: texts that a page's main content must and must not contain (`labels.json` and `html/`). Scores the chain by them, and
//! labels text blocks for training.

use std::{collections::BTreeMap, fs, io::Read, path::Path, sync::Arc};

use gleaner_filters::Chain;
use serde::Deserialize;
use url::Url;

use super::{align::Aligned, check, folds};
use crate::measure::words;

/// Texts that the main content of a page must and must not hold.
#[derive(Deserialize)]
pub(super) struct Labels {
    url: Option<String>,
    pub(super) with: Vec<String>,
    pub(super) without: Vec<String>,
}

impl Labels {
    /// The labels of every page of a set, by the name of its file.
    pub(super) fn all(folder: &Path) -> anyhow::Result<BTreeMap<String, Labels>> {
        Ok(serde_json::from_slice(&fs::read(folder.join("labels.json"))?)?)
    }

    /// How much of a text block belongs to the main content, where that is known: no words are counted of any other.
    pub(super) fn judge(&self, block: &str) -> Aligned {
        let block = squeezed(block);
        let holds = |texts: &[String]| {
            texts.iter().map(|text| squeezed(text)).any(|text| {
                block.contains(&text) || !block.is_empty() && text.contains(&block) && block.len() * 3 >= text.len()
            })
        };
        let words = words(&block).count();
        match (holds(&self.with), holds(&self.without)) {
            (true, false) => Aligned { words, matched: words },
            (false, true) => Aligned { words, matched: 0 },
            _ => Aligned { words: 0, matched: 0 },
        }
    }

    /// By the page's domain, as for pages of the other set; by the name of the file where no address is known.
    pub(super) fn fold(&self, name: &str) -> u64 {
        let url = self.url.as_deref().and_then(|url| Url::parse(url).ok());
        folds::fold(&url.map_or_else(|| name.to_owned(), |url| folds::domain(&url)))
    }

    /// The page and its address.
    pub(super) fn page(&self, folder: &Path, name: &str) -> anyhow::Result<(String, Url)> {
        let mut html = Vec::new();
        let packed = fs::read(folder.join("html").join(format!("{name}.gz")))?;
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut html)?;
        let url = self.url.as_deref().and_then(|url| Url::parse(url).ok());
        let url = match url {
            Some(url) => url,
            None => Url::parse("https://page.invalid/page")?,
        };
        Ok((String::from_utf8_lossy(&html).into_owned(), url))
    }
}

/// Texts found that should be (`hit`), should not be (`extra`), and not found that should be (`missed`).
#[derive(Clone, Copy, Default)]
struct Counts {
    hit: f64,
    extra: f64,
    missed: f64,
}

/// Prints F1, precision and recall over all texts of a set; `chains` are asked in turn by the fold of a page.
pub(super) fn run(chains: &[Arc<Chain>], folder: &Path, list: bool, texts: Option<&Path>) -> anyhow::Result<()> {
    if let Some(texts) = texts {
        fs::create_dir_all(texts)?;
    }
    let mut all = Counts::default();
    for (name, labels) in Labels::all(folder)? {
        let (html, url) = labels.page(folder, &name)?;
        let chain = &chains[usize::try_from(labels.fold(&name))? % chains.len()];
        let extract = chain.extract(&html, &url).ok();
        if let Some((texts, extract)) = texts.zip(extract.as_ref()) {
            check::write(texts, &name, extract)?;
        }
        let text = extract.map_or_else(String::new, |extract| squeezed(&extract.text));
        let found = |snippet: &&String| text.contains(&squeezed(snippet));
        let extra: Vec<_> = labels.without.iter().filter(found).collect();
        let missed: Vec<_> = labels.with.iter().filter(|s| !found(s)).collect();
        all.hit += (labels.with.len() - missed.len()) as f64;
        all.extra += extra.len() as f64;
        all.missed += missed.len() as f64;
        if list {
            for (what, texts) in [("extra", extra), ("missed", missed)] {
                for text in texts {
                    println!("{name}\t{what}\t{}", squeezed(text));
                }
            }
        }
    }
    let (precision, recall) = (all.hit / (all.hit + all.extra), all.hit / (all.hit + all.missed));
    println!(
        "snippets: F1 {:.4}, precision {precision:.4}, recall {recall:.4}",
        2.0 * precision * recall / (precision + recall)
    );
    Ok(())
}

pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
