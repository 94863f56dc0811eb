//! The word F1 of the whole chain, each page by the forest that has not seen its domain.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use gleaner_filters::{ChainConfig, Extract, training};

use super::{
    chain,
    folds::{domain, fold},
    forests,
};
use crate::{
    dataset::{self, Sample},
    measure::{WordScore, bag},
};

/// The columns of the file with a line per page; `in page` is the recall of the page that is cleaned and kept whole,
/// `prices` how many are kept and how many it has, `read as` the kind that the chain takes it for.
const COLUMNS: &str = "page\tkind\tF1\tprecision\trecall\tselected\treference\tin page\tprices\tread as\tnote";

#[derive(Clone, Default)]
struct Sum {
    pages: f64,
    f1: f64,
    precision: f64,
    recall: f64,
    harmed: f64,
    whole: f64,
}

/// Files that are written besides the table.
pub(super) struct Out<'a> {
    /// A file with a line per page.
    pub(super) pages: Option<&'a Path>,
    /// A folder with each page that comes out, as text and as HTML.
    pub(super) texts: Option<&'a Path>,
}

pub(super) fn run(config: &ChainConfig, dataset: &Path, folds: &Path, out: &Out<'_>) -> anyhow::Result<()> {
    if let Some(texts) = out.texts {
        fs::create_dir_all(texts)?;
    }
    let chains = forests(config, Some(folds))?;
    let mut cleaned = config.clone();
    cleaned.main_block.enabled = false;
    let cleaned = chain(&cleaned, None)?;
    let pairs = dataset::all(dataset)?;
    let next = AtomicUsize::new(0);
    let without_prices = AtomicUsize::new(0);
    let sums: Mutex<BTreeMap<String, Sum>> = Mutex::default();
    let lines: Mutex<Vec<String>> = Mutex::default();
    let work = || -> anyhow::Result<()> {
        while let Some(pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let page = Sample::read(pair, usize::MAX)?;
            let fold = usize::try_from(fold(&domain(&page.url)))?;
            let Ok(extract) = chains[fold % chains.len()].extract(&page.html, &page.url) else {
                continue;
            };
            if let Some(texts) = out.texts {
                write(texts, &page.id, &extract)?;
            }
            let reference = &page.reference.words;
            let WordScore { precision, recall, f1, harmed } = WordScore::new(&bag(&extract.text), reference);
            let whole = cleaned.extract(&page.html, &page.url);
            let (in_page, offered) = whole.map_or((0.0, 0), |whole| {
                (WordScore::new(&bag(&whole.text), reference).recall, training::prices(&whole.text))
            });
            let is_shop = matches!(page.page_type.as_str(), "product" | "collection");
            let left = training::prices(&extract.text);
            if is_shop && offered >= 3 && left == 0 {
                without_prices.fetch_add(1, Ordering::Relaxed);
            }
            let one = Sum {
                pages: 1.0,
                f1,
                precision,
                recall,
                harmed: f64::from(u8::from(harmed)),
                whole: f64::from(u8::from(!extract.report.selected)),
            };
            let note = extract
                .report
                .filters
                .iter()
                .find(|f| f.filter == "main_block")
                .and_then(|f| f.note.clone())
                .unwrap_or_default();
            if let Ok(mut lines) = lines.lock() {
                lines.push(format!(
                    "{}\t{}\t{f1:.4}\t{precision:.4}\t{recall:.4}\t{}\t{}\t{in_page:.4}\t{left}/{offered}\t{}\t{note}",
                    page.id,
                    page.page_type,
                    extract.report.selected,
                    reference.values().sum::<usize>(),
                    extract.metadata.kind.map_or_else(String::new, |kind| format!("{kind:?}").to_lowercase()),
                ));
            }
            if let Ok(mut sums) = sums.lock() {
                for name in ["all".to_owned(), page.page_type] {
                    let sum = sums.entry(name).or_default();
                    sum.pages += one.pages;
                    sum.f1 += one.f1;
                    sum.precision += one.precision;
                    sum.recall += one.recall;
                    sum.harmed += one.harmed;
                    sum.whole += one.whole;
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))?)
    })?;
    print(&sums)?;
    println!("shop pages with three prices or more that keep none: {}", without_prices.into_inner());
    if let (Some(out), Ok(mut lines)) = (out.pages, lines.lock()) {
        lines.sort();
        lines.insert(0, COLUMNS.to_owned());
        fs::write(out, lines.join("\n") + "\n")?;
    }
    Ok(())
}

/// Writes a page as text and as HTML, for what counts words, pictures and lists in them.
pub(super) fn write(folder: &Path, name: &str, extract: &Extract) -> anyhow::Result<()> {
    fs::write(folder.join(format!("{name}.txt")), &extract.text)?;
    Ok(fs::write(folder.join(format!("{name}.html")), &extract.html)?)
}

/// The table, a line for each kind of page.
fn print(sums: &Mutex<BTreeMap<String, Sum>>) -> anyhow::Result<()> {
    println!("| pages | F1 | precision | recall | harmed | whole | n |\n|---|---|---|---|---|---|---|");
    for (name, sum) in sums.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?.iter() {
        println!(
            "| {name} | {:.4} | {:.3} | {:.3} | {:.1} % | {:.1} % | {} |",
            sum.f1 / sum.pages,
            sum.precision / sum.pages,
            sum.recall / sum.pages,
            100.0 * sum.harmed / sum.pages,
            100.0 * sum.whole / sum.pages,
            sum.pages
        );
    }
    Ok(())
}
