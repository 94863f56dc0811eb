//! Parses a request for the reader's address, and writes the links of its page.

use std::sync::Arc;

use encoding_rs::WINDOWS_1252;
use gleaner_filters::{Addresses, Links, Shape, SharedAddresses, View, output::LinkForm};
use http::{HeaderMap, Uri, header};
use url::{Url, form_urlencoded};

use crate::{
    config::Config,
    http::headers::{accept::AcceptedMedia, members},
    net::control_host::LOOK,
    pages::{
        form_fields::FormFields,
        reading::{PICTURE, READ},
        shelf::keep_path,
    },
    rewrite::{Excerpt, Presentation, SentForm, in_utf_8, parse_chars},
    util::tokens::{self, Tokens},
};

/// The field of a form of a site that names where its answers go.
const FORM: &str = "gleaner-form";

/// The purpose of the tokens of pictures.
pub(super) const PICTURE_PURPOSE: &str = "read-picture";

/// A request for a page.
pub(super) struct ReadRequest {
    /// The address or the words.
    pub(super) subject: String,
    pub(super) url: Option<Url>,
    /// The feed that is asked for with its full text, and one for whose address here is asked.
    pub(super) feed: Option<Url>,
    pub(super) subscribed: Option<Url>,
    /// Key of a link of the bar in the proxy, to the page as a book.
    pub(super) key: String,
    pub(super) view: View,
    pub(super) form: SentForm,
    /// What is wrong with a parameter.
    pub(super) problem: Option<String>,
    /// Whether HTML 3.2 was asked for, or the reader page.
    pub(super) is_plain: Option<bool>,
    number: usize,
    links_as: LinkForm,
    pub(super) without_images: bool,
    start: usize,
    most: Option<usize>,
    /// What an agent is told before the number that the next part begins with, in the place of an address.
    next: Option<String>,
    /// Parameters that links on the page keep.
    kept: Vec<(&'static str, String)>,
}

impl ReadRequest {
    pub(super) fn parse(uri: &Uri, headers: &HeaderMap) -> Self {
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        // The address as a part of the path, with all of its query; some clients join slashes.
        let in_path = path.strip_prefix(READ).and_then(|rest| rest.strip_prefix('/'));
        let in_path = in_path
            .filter(|rest| rest.starts_with("http:/") || rest.starts_with("https:/") || page_address(rest).is_some());
        let fields = match in_path {
            Some(_) => FormFields::default(),
            None => FormFields::parse(in_utf_8(uri.query().unwrap_or_default(), WINDOWS_1252).as_bytes()),
        };
        let (url, fields) = match (in_path, fields.find(FORM)) {
            (Some(rest), _) => (page_address(rest).or_else(|| Url::parse(rest).ok().filter(is_readable)), fields),
            // The fields of a site's form are no parameters of ours.
            (None, Some(action)) => (form_address(action, &fields), FormFields::default()),
            (None, None) => (page_address(fields.get("url")), fields),
        };
        let named = fields.find("as").and_then(|name| Some((name, SentForm::parse(name)?)));
        let form = named.map_or_else(|| wanted_form(headers), |(_, form)| form);
        let unknown = fields.find("as").filter(|name| !name.is_empty() && named.is_none());
        let unknown = unknown.map(|name| format!("as is {name}; expected reader, plain, text, markdown, json or epub"));
        let chars = |name: &str, least| match fields.get(name) {
            "" => Ok(None),
            written => parse_chars(name, written, least).map(Some),
        };
        let (start, most) = (chars("start", 0), chars("max_chars", 1));
        let number = match fields.get("part") {
            "" => Ok(Some(1)),
            written => parse_chars("part", written, 1).map(Some),
        };
        let shape = if form == SentForm::Page { fields.get("view").parse().ok() } else { None };
        let is_plain = match named {
            Some(("plain", _)) => Some(true),
            Some(("reader", _)) => Some(false),
            _ => None,
        };
        let links_as = match fields.get("links") {
            "" => Ok(LinkForm::Inline),
            "list" => Ok(LinkForm::List),
            "none" => Ok(LinkForm::None),
            other => Err(format!("links is {other}; expected list or none")),
        };
        let without_images = fields.get("images") == "none";
        let unknown_images = fields.find("images").filter(|name| !["", "none"].contains(name));
        let unknown_images = unknown_images.map(|name| format!("images is {name}; expected none"));
        let wrong = wrong_address(&fields);
        let numbers = [&start, &most, &number].into_iter().find_map(|number| number.as_ref().err().cloned());
        let problem = unknown.or(numbers).or_else(|| links_as.as_ref().err().cloned()).or(unknown_images).or(wrong);
        let mut kept = Vec::new();
        if let Some((name, _)) = named.filter(|(_, form)| *form == SentForm::Page) {
            kept.push(("as", name.to_owned()));
        }
        if without_images {
            kept.push(("images", "none".to_owned()));
        }
        Self {
            subject: in_path.unwrap_or_else(|| fields.get("url")).trim().to_owned(),
            url,
            feed: page_address(fields.get("feed")),
            subscribed: page_address(fields.get("subscribe")),
            key: fields.get("key").to_owned(),
            // What explains a page shows its own markup.
            view: shape.filter(|view: &View| matches!(view.shape, Shape::Page | Shape::Text)).unwrap_or_default(),
            form,
            problem,
            is_plain,
            number: number.ok().flatten().unwrap_or(1),
            links_as: links_as.unwrap_or_default(),
            without_images,
            start: start.ok().flatten().unwrap_or(0),
            most: most.ok().flatten(),
            next: None,
            kept,
        }
    }

    /// A page as the chapter of a book.
    pub(super) fn chapter(url: Url) -> Self {
        Self {
            subject: String::new(),
            url: Some(url),
            feed: None,
            subscribed: None,
            key: String::new(),
            view: View::default(),
            form: SentForm::Chapter,
            problem: None,
            is_plain: None,
            number: 1,
            links_as: LinkForm::Inline,
            without_images: false,
            start: 0,
            most: None,
            next: None,
            kept: Vec::new(),
        }
    }

    /// A page for a program that has called a tool.
    pub(super) fn for_agent(url: Url, form: SentForm, excerpt: Excerpt) -> Self {
        Self { form, start: excerpt.start, most: excerpt.most, next: Some(excerpt.address), ..Self::chapter(url) }
    }

    /// The address of a page here, in the form of this one.
    pub(super) fn link(&self, page: &Url) -> String {
        link(page, &self.kept, &[])
    }

    /// How the page is presented. `base` is our own address as the client names it.
    pub(super) fn presentation(
        &self,
        addresses: &SharedAddresses,
        page: &Url,
        base: Option<&Url>,
        config: &Config,
    ) -> Presentation {
        let links = base.filter(|_| self.form == SentForm::Page).map(|base| self.bar(page, base, config.shelf.enabled));
        let most = self.most.map(|most| ("max_chars", most.to_string()));
        let kept: Vec<(&str, String)> = [("as", self.name().to_owned())].into_iter().chain(most).collect();
        let excerpt = link(page, &kept, &[("start", "")]);
        let address = base.and_then(|base| base.join(&excerpt).ok()).map_or(excerpt, String::from);
        let address = self.next.clone().unwrap_or(address);
        Presentation {
            form: self.form,
            // A text names the sites' own addresses.
            addresses: matches!(self.form, SentForm::Page | SentForm::Chapter).then(|| Arc::clone(addresses)),
            links,
            number: self.number,
            front_matter: config.agents.front_matter,
            links_as: self.links_as,
            without_images: self.without_images,
            excerpt: Excerpt { start: self.start, most: self.most, address },
        }
    }

    fn name(&self) -> &'static str {
        match self.form {
            SentForm::Page => "reader",
            SentForm::Markdown => "markdown",
            SentForm::Text => "text",
            SentForm::Json => "json",
            SentForm::Chapter => "epub",
        }
    }

    /// The links of the bar.
    fn bar(&self, page: &Url, base: &Url, has_shelf: bool) -> Links {
        let (this, kept) = (page.clone(), self.kept.clone());
        let to = move |view: View| link(&this, &kept, &[("view", &view.to_string())]);
        let join = |path: &str, pairs: &[(&str, &str)]| {
            let mut url = base.join(path).unwrap_or_else(|_| base.clone());
            url.query_pairs_mut().extend_pairs(pairs);
            url
        };
        let here = base.join(&self.link(page)).map(String::from).unwrap_or_default();
        let without_form: Vec<_> = self.kept.iter().filter(|(name, _)| *name != "as").cloned().collect();
        Links {
            view: self.view,
            to: Some(Arc::new(to)),
            // What is asked for here is always rewritten.
            site: None,
            look: join(LOOK, &[("page", &here)]),
            book: Some(link(page, &without_form, &[("as", "epub")])),
            keep: has_shelf.then(|| keep_path(page.as_str())),
        }
    }
}

/// The form that `Accept` asks for.
fn wanted_form(headers: &HeaderMap) -> SentForm {
    if AcceptedMedia::from_headers(headers).prefers_markdown() {
        return SentForm::Markdown;
    }
    let first = members(headers, &header::ACCEPT).next().unwrap_or_default();
    match first.split(';').next().unwrap_or_default().trim() {
        "application/json" => SentForm::Json,
        "text/plain" => SentForm::Text,
        "application/epub+zip" => SentForm::Chapter,
        _ => SentForm::Page,
    }
}

/// The address that a person has written, as a browser's field takes it.
fn page_address(text: &str) -> Option<Url> {
    let text = text.trim();
    if text.is_empty() || text.contains(char::is_whitespace) {
        return None;
    }
    if text.starts_with("http://") || text.starts_with("https://") {
        return Url::parse(text).ok().filter(is_readable);
    }
    let host = text.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let is_host = host.contains('.') && !host.starts_with('.') && !host.ends_with('.');
    is_host.then(|| Url::parse(&format!("https://{text}")).ok()).flatten().filter(is_readable)
}

/// What is wrong with an address among the fields. Words are searched for, where they are no address.
fn wrong_address(fields: &FormFields) -> Option<String> {
    let is_address = |text: &str| text.contains("://") && !text.contains(char::is_whitespace);
    let mut named = ["url", "feed", "subscribe"].into_iter().map(|name| (name, fields.get(name).trim()));
    let (name, text) = named.find(|(name, text)| {
        !text.is_empty() && page_address(text).is_none() && (*name != "url" || is_address(text))
    })?;
    Some(format!("{name} is {text}; expected an address of http or https, without a user's name and password"))
}

/// The address that a site's form leads to (HTML Standard § 4.10.21.3: the fields take the place of its query).
fn form_address(action: &str, fields: &FormFields) -> Option<Url> {
    let mut url = Url::parse(action).ok().filter(is_readable)?;
    let pairs = fields.0.iter().filter(|(name, _)| name != FORM);
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    url.set_query(Some(&query));
    Some(url)
}

/// A name before an @ could look like another site.
fn is_readable(url: &Url) -> bool {
    ["http", "https"].contains(&url.scheme()) && url.username().is_empty() && url.password().is_none()
}

/// The address of a page here. Its place on the page stays one.
fn link(page: &Url, kept: &[(&str, String)], more: &[(&str, &str)]) -> String {
    let mut bare = page.clone();
    bare.set_fragment(None);
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("url", bare.as_str()).extend_pairs(kept).extend_pairs(more);
    let place = page.fragment().map(|place| format!("#{place}")).unwrap_or_default();
    format!("{READ}?{}{place}", query.finish())
}

/// The addresses of a page that is read here.
pub(super) struct ReadAddresses {
    page: Url,
    kept: Vec<(&'static str, String)>,
    without_images: bool,
    tokens: Arc<Tokens>,
}

impl ReadAddresses {
    pub(super) fn new(asked: &ReadRequest, page: &Url, tokens: Arc<Tokens>) -> Self {
        let (kept, without_images) = (asked.kept.clone(), asked.without_images);
        Self { page: page.clone(), kept, without_images, tokens }
    }
}

impl std::fmt::Debug for ReadAddresses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadAddresses").field("page", &self.page).finish_non_exhaustive()
    }
}

impl Addresses for ReadAddresses {
    fn page(&self, url: &Url) -> String {
        link(url, &self.kept, &[])
    }

    fn picture(&self, url: &Url) -> Option<String> {
        if self.without_images {
            return None;
        }
        let key = tokens::text(self.tokens.token(PICTURE_PURPOSE, &[url.as_str()]));
        let mut query = form_urlencoded::Serializer::new(String::new());
        let query = query.append_pair("url", url.as_str()).append_pair("page", self.page.as_str());
        Some(format!("{PICTURE}?{}", query.append_pair("key", &key).finish()))
    }

    fn form(&self, action: &Url) -> Option<(String, (String, String))> {
        Some((READ.to_owned(), (FORM.to_owned(), action.to_string())))
    }

    fn part(&self, number: usize) -> String {
        link(&self.page, &self.kept, &[("part", &number.to_string())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_as_in_the_field_of_a_browser() {
        for (address, wanted) in [
            ("/read?url=http://a.example/x%3Fy%3D1", Some("http://a.example/x?y=1")),
            ("/read?url=a.example/x", Some("https://a.example/x")),
            ("/read?url=+a.example+", Some("https://a.example/")),
            ("/read/http://a.example/x?as=text&b", Some("http://a.example/x?as=text&b")),
            ("/read/https:/a.example/", Some("https://a.example/")),
            ("/read?url=two+words", None),
            ("/read?url=word", None),
            ("/read?url=javascript:alert(1)", None),
            ("/read?url=file:///etc/passwd", None),
            ("/read?url=http://bank.example@evil.example/", None),
            ("/read/a.example/x?as=text&b", Some("https://a.example/x?as=text&b")),
            ("/read/127.0.0.1:30080/art", Some("https://127.0.0.1:30080/art")),
            ("/read/bank.example@evil.example/", None),
            ("/read/picture?url=http://a.example/", Some("http://a.example/")),
            ("/read/ftp://a.example/", None),
            ("/read", None),
            ("/read?gleaner-form=http://a.example/&q=Gr%F6%DFe+x", Some("http://a.example/?q=Gr%C3%B6%C3%9Fe+x")),
            ("/read?gleaner-form=http://a.example/find%3Fold&q=a+b&url=x", Some("http://a.example/find?q=a+b&url=x")),
        ] {
            let asked = ReadRequest::parse(&address.parse().unwrap(), &HeaderMap::new());
            assert_eq!(asked.url.as_ref().map(Url::as_str), wanted, "{address}");
        }
    }
}
