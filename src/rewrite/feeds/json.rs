//! JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>).

use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::{FeedItem, page};

pub(super) fn parse(text: &str, base: &Url) -> Option<(Value, Vec<FeedItem>)> {
    let feed: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    feed.get("version")?.as_str().filter(|version| version.contains("jsonfeed.org/version/"))?;
    let items = feed.get("items")?.as_array()?;
    let items = items.iter().map(|item| {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        let html = if text("content_html").is_empty() { text("content_text") } else { text("content_html") };
        FeedItem::new(page(text("url"), base).or_else(|| page(text("external_url"), base)), text("summary"), html)
    });
    let items = items.collect();
    Some((feed, items))
}

pub(super) fn with_texts(mut feed: Value, texts: &[Option<Arc<str>>]) -> String {
    let items = feed.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten();
    for (item, text) in items.zip(texts) {
        if let (Some(item), Some(text)) = (item.as_object_mut(), text) {
            item.insert("content_html".to_owned(), Value::from(&**text));
        }
    }
    feed.to_string()
}
