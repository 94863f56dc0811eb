//! `/mcp`: the server of the Model Context Protocol over HTTP, for programs on this machine
//! (<https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#streamable-http>).
//!
//! Each message is answered at once and by itself: there are no sessions and no streams. Browsers are on this machine too, so what a
//! page asks for is refused: by `Origin` and its neighbours, and because no form can send JSON.

use std::sync::Arc;

use gleaner_filters::SharedAddresses;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use tokio::task::spawn_blocking;
use url::Url;

use super::{
    Exchange,
    asked::ReadRequest,
    book::BookPictures,
    fetch::{FetchOutcome, FetchWay, FetchedPage},
};
use crate::{
    client::fetch,
    http::{
        body::{Body, IncomingBody, ReceivedBody},
        headers::Media,
    },
    pages::template,
    rewrite::{
        BeyondEnd, Excerpt, SentForm, decode_fetched,
        mcp::{MAX_BLOCKS, MAX_MESSAGE, McpMessage, NO_PAGE, NO_TEXT, Tool, ToolCall, VERSIONS},
        outline,
    },
};

/// The path of the server.
pub(super) const MCP: &str = "/mcp";

impl Exchange {
    /// Answers a message.
    pub(super) async fn mcp(&mut self, request: Request<ReceivedBody>, host: &str) -> Response<Body> {
        let (head, body) = request.into_parts();
        if let Some((status, problem)) = self.mcp_refusal(&head.method, &head.headers) {
            IncomingBody::read_to_end(Request::new(body)).await;
            let mut response = text(status, problem);
            if status == StatusCode::METHOD_NOT_ALLOWED {
                response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            return response;
        }
        let Ok(message) = Limited::new(body, MAX_MESSAGE).collect().await else {
            return text(StatusCode::PAYLOAD_TOO_LARGE, "The message is too long, or did not come.");
        };
        let answer = match McpMessage::parse(&message.to_bytes()) {
            McpMessage::Notification => return text(StatusCode::ACCEPTED, ""),
            McpMessage::Answer(answer) => answer,
            McpMessage::Call(call) => {
                let done = self.call(&call, &head.headers, host).await;
                call.answer(done)
            }
        };
        let mut response = Response::new(Body::from(answer.to_string()));
        harden(&mut response, "application/json");
        response
    }

    /// Why a request is not answered.
    fn mcp_refusal(&self, method: &Method, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        let is_near = |ip: std::net::IpAddr| ip.to_canonical().is_loopback();
        let is_json = |kind: &HeaderValue| kind.to_str().is_ok_and(|kind| kind.starts_with("application/json"));
        let is_known = |version: &HeaderValue| VERSIONS.iter().any(|known| version == known);
        if !self.state.config.agents.mcp
            || !is_near(self.connection.client.ip())
            || !is_near(self.connection.local.ip())
        {
            return Some((StatusCode::NOT_FOUND, "Nothing is here: `agents.mcp` is off, or this is another machine."));
        }
        if self.is_foreign(headers) {
            return Some((StatusCode::FORBIDDEN, "A web site's page may not ask here."));
        }
        if method != Method::POST {
            return Some((StatusCode::METHOD_NOT_ALLOWED, "Messages are posted; there is no stream of them."));
        }
        if !headers.get(header::CONTENT_TYPE).is_some_and(is_json) {
            return Some((StatusCode::UNSUPPORTED_MEDIA_TYPE, "A message is application/json."));
        }
        if headers.get("mcp-protocol-version").is_some_and(|version| !is_known(version)) {
            return Some((
                StatusCode::BAD_REQUEST,
                "This version of the protocol is unknown here (MCP-Protocol-Version).",
            ));
        }
        None
    }

    async fn call(&mut self, call: &ToolCall, headers: &HeaderMap, host: &str) -> Result<String, String> {
        let page = &call.page;
        let fetched = match self.fetch(page.clone(), "document", None, headers, FetchWay::GZIP).await {
            Ok(FetchOutcome::Response(fetched)) => *fetched,
            Ok(FetchOutcome::Blocked(_)) => return Err(format!("{page}: it is blocked by a list")),
            Ok(FetchOutcome::TooManyRedirects(_)) => return Err(format!("{page}: there are too many redirects")),
            Err(error) => return Err(format!("{page}: {error}")),
        };
        let status = fetched.response.status();
        if !status.is_success() {
            return Err(format!("{page}: it answers {status}"));
        }
        match (&call.tool, Media::from_headers(fetched.response.headers())) {
            (Tool::ReadPage { form, excerpt }, Media::Html) => {
                self.text_for_agent(fetched, (*form, excerpt.clone()), headers, host).await
            }
            (Tool::ReadPage { excerpt, .. }, Media::Text) => {
                let (fields, bytes) = fetch::read(fetched.response, self.state.config.rewrite.max_html_bytes).await?;
                excerpt.take(&decode_fetched(&fields, &bytes)).map_err(|beyond| beyond.to_string())
            }
            (Tool::PageOutline, Media::Html) => self.outline(fetched, headers).await,
            _ => Err(format!("{page}: {NO_PAGE}")),
        }
    }

    async fn text_for_agent(
        &mut self,
        fetched: FetchedPage,
        (form, excerpt): (SentForm, Excerpt),
        headers: &HeaderMap,
        host: &str,
    ) -> Result<String, String> {
        let url = fetched.url.clone();
        let asked = ReadRequest::for_agent(url.clone(), form, excerpt);
        let look = self.reading_options(&asked, headers, fetched.host());
        // A text names the sites' own addresses.
        let addresses: SharedAddresses = Arc::new(BookPictures::new(false));
        let presented = self.present(&asked, fetched, &HeaderMap::new(), host, (look, addresses)).await;
        let (response, outcome) = presented.map_err(|error| error.to_string())?;
        if outcome.rewritten().is_none() {
            let reason = outcome.pass_reason().map(|reason| reason.in_words().to_string());
            return Err(format!("{url}: {}", reason.unwrap_or_else(|| NO_TEXT.to_owned())));
        }
        if let Some(beyond) = response.extensions().get::<BeyondEnd>() {
            return Err(beyond.to_string());
        }
        let text = response.into_body().collect().await.map_err(|error| format!("{url}: {error}"))?;
        Ok(String::from_utf8_lossy(&text.to_bytes()).into_owned())
    }

    async fn outline(&mut self, fetched: FetchedPage, headers: &HeaderMap) -> Result<String, String> {
        let profile = self.profile(headers, fetched.host()).map_or(0, |choice| choice.index);
        let chain = Arc::clone(&self.state.rewriter.profile(profile).chain);
        let url: Url = fetched.url;
        let (fields, bytes) = fetch::read(fetched.response, self.state.config.rewrite.max_html_bytes).await?;
        let drawn = move || {
            chain.blocks(&decode_fetched(&fields, &bytes), &url, MAX_BLOCKS).map(|blocks| outline::render(&blocks))
        };
        // The chain catches its own panics.
        let drawn = spawn_blocking(drawn).await.map_err(|error| error.to_string())?;
        drawn.map_err(|problem| problem.to_string())
    }
}

fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = status;
    harden(&mut response, "text/plain; charset=utf-8");
    response
}

fn harden(response: &mut Response<Body>, kind: &'static str) {
    let fields = response.headers_mut();
    template::harden(fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
