//! What `gleaner explain` says of a page.

use std::{fmt::Write as _, path::Path, sync::Arc};

use anyhow::Context;
use clap::ValueEnum;
use gleaner_filters::{Explanation, RemovedPart};
use url::Url;

use crate::{
    Config,
    cli::{EX_UNAVAILABLE, Failure, extract::with_base, offline::input, overlay::Overlay, page_failure, say},
    client::fetch,
    rewrite::decode_fetched,
    state::loaded_config::LoadedConfig,
};

/// In which form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainFormat {
    /// A line for each filter, block and removed part
    #[default]
    Text,
    /// All figures, with the tree of blocks
    Json,
    /// The page with what was removed marked in its place, without scripts
    Html,
}

pub(super) fn read(file: &Path, config: &Config) -> anyhow::Result<String> {
    let bytes = input::read(file, config.rewrite.max_html_bytes).with_context(|| file.display().to_string())?;
    Ok(input::decode(&bytes))
}

pub(super) fn fetch(url: &Url, config: &Config) -> anyhow::Result<String> {
    let fetched = tokio::runtime::Runtime::new()?.block_on(fetch::page(config, url));
    fetched
        .map(|page| decode_fetched(&page.headers, &page.bytes))
        .map_err(|problem| Failure::error(EX_UNAVAILABLE, problem))
}

pub(super) fn explain(
    html: &str,
    url: &Url,
    overlay: &Overlay,
    loaded: &LoadedConfig,
    format: ExplainFormat,
) -> anyhow::Result<()> {
    let chain = loaded.chain(&overlay.over(&loaded.config.filters)?)?;
    let explanation = Arc::new(chain).why(html, url).map_err(page_failure).with_context(|| url.to_string())?;
    say(&match format {
        ExplainFormat::Text => text(&explanation),
        ExplainFormat::Json => serde_json::to_string_pretty(&explanation)? + "\n",
        ExplainFormat::Html => with_base(explanation.html, url),
    })
}

fn text(page: &Explanation) -> String {
    let report = &page.report;
    let kept = report.kept_share() * 100.0;
    let mut out = format!("kept       {kept:.0}%: {} of {} characters\n", report.text_after, report.text_before);
    // Writing to a `String` cannot fail, here and below.
    let _ = writeln!(out, "main block {}", page.main_block.as_deref().unwrap_or("none: the page is kept whole"));
    let _ = writeln!(out, "\n{:<14}{:>7}{:>12}", "filter", "parts", "characters");
    for filter in &report.filters {
        let note = filter.note.as_deref().unwrap_or_default();
        let line = format!("{:<14}{:>7}{:>12}  {note}", filter.filter, filter.removed, filter.removed_chars);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(out, "\nblock  share  characters     CNR  links  probability  begins");
    for (number, block) in page.page.blocks.iter().enumerate() {
        let probability = block.probability.map(|value| format!("{value:.2}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "{:>5}{:>6.0}%{:>12}{:>8.1}{:>7}{probability:>13}  {}",
            number + 1,
            block.share * 100.0,
            block.chars,
            block.ratio,
            block.links,
            block.start
        );
    }
    let (seen, unseen) =
        ("removed, in the order of the page", "advertisements and trackers without a place on the page");
    for (title, parts) in [(seen, &page.removed), (unseen, &page.unseen)] {
        if !parts.is_empty() {
            let _ = writeln!(out, "\n{title}");
        }
        for part in parts {
            write_part(part, &mut out);
        }
    }
    out
}

fn write_part(part: &RemovedPart, out: &mut String) {
    let RemovedPart { filter, rule, path, chars, links, start, .. } = part;
    let _ = writeln!(out, "{filter}: {rule}: {chars} characters, {links} links\n    {path}");
    if !start.is_empty() {
        let _ = writeln!(out, "    {start}");
    }
}
