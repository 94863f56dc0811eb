//! `gleaner mcp`: a server of the Model Context Protocol over standard input and output, a message a line
//! (<https://modelcontextprotocol.io/specification/2025-06-18/basic/transports>).

use std::{
    io::{self, BufRead, Write},
    sync::Arc,
};

use gleaner_filters::Chain;
use tokio::runtime::Runtime;
use url::Url;

use super::offline::chains::WithFallback;
use crate::{
    Config,
    client::fetch::{self, FetchedResource},
    http::headers::Media,
    rewrite::{
        Excerpt, Presentation, SentForm, decode_fetched,
        mcp::{MAX_BLOCKS, McpMessage, NO_PAGE, NO_TEXT, Tool, ToolCall},
        outline,
    },
    state::loaded_config::LoadedConfig,
};

struct McpServer<'a> {
    loaded: &'a LoadedConfig,
    /// With the rules of the reader's address.
    config: Config,
    chain: WithFallback,
    runtime: Runtime,
}

/// Answers until standard input ends.
pub(super) fn run(loaded: &LoadedConfig) -> anyhow::Result<()> {
    let mut config = loaded.config.clone();
    config.access = config.access.for_reader(&config.read.targets);
    let mut filters = loaded.config.filters.clone();
    filters.main_block.favor = config.agents.favor;
    let chain = WithFallback::new(loaded, &filters)?;
    let server = McpServer { loaded, config, chain, runtime: Runtime::new()? };
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match McpMessage::parse(&line) {
            McpMessage::Notification => continue,
            McpMessage::Answer(answer) => answer,
            McpMessage::Call(call) => call.answer(server.call(&call)),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
}

impl McpServer<'_> {
    fn call(&self, call: &ToolCall) -> Result<String, String> {
        match &call.tool {
            Tool::ReadPage { form, excerpt } => self.read_page(&call.page, *form, excerpt.clone()),
            Tool::PageOutline => self.outline(&call.page),
        }
    }

    fn read_page(&self, url: &Url, form: SentForm, excerpt: Excerpt) -> Result<String, String> {
        let page = self.fetch(url)?;
        let text = decode_fetched(&page.headers, &page.bytes);
        match Media::from_headers(&page.headers) {
            Media::Html => {}
            Media::Text => return excerpt.take(&text).map_err(|beyond| beyond.to_string()),
            _ => return Err(format!("{url}: {NO_PAGE}")),
        }
        let url = &page.address;
        let extract = |chain: &Arc<Chain>| chain.extract_seen(&text, url);
        let (extract, _) = self.chain.run(extract).map_err(|problem| problem.to_string())?;
        if extract.text.trim().is_empty() {
            return Err(NO_TEXT.to_owned());
        }
        let front_matter = self.config.agents.front_matter;
        let presentation = Presentation { form, front_matter, excerpt, ..Presentation::default() };
        presentation.text(&extract, url).map_err(|beyond| beyond.to_string())
    }

    fn outline(&self, url: &Url) -> Result<String, String> {
        let page = self.fetch(url)?;
        if Media::from_headers(&page.headers) != Media::Html {
            return Err(format!("{url}: {NO_PAGE}"));
        }
        let html = decode_fetched(&page.headers, &page.bytes);
        let blocks =
            self.chain.chain.blocks(&html, &page.address, MAX_BLOCKS).map_err(|problem| problem.to_string())?;
        Ok(outline::render(&blocks))
    }

    fn fetch(&self, url: &Url) -> Result<FetchedResource, String> {
        if let Some(rule) = self.loaded.blocker.forbids_page(url) {
            return Err(format!("{url}: it is blocked by {rule}"));
        }
        self.runtime.block_on(fetch::page(&self.config, url))
    }
}
