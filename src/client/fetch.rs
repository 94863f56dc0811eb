//! Fetches a whole resource for this program itself: a list, or a page that is to be explained.

use std::{
    io::Read,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use flate2::read::MultiGzDecoder;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;
use url::Url;

use crate::{
    client::{Client, PinnedConnections, Requester},
    config::Config,
    http::body::Body,
    net::{
        access_control::{Acl, Initiator},
        target::Target,
    },
};

const MAX_REDIRECTS: usize = 5;

/// For one page, all of it.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);

/// A page.
pub(crate) async fn page(config: &Config, address: &Url) -> Result<FetchedResource, String> {
    let fields = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("text/html, */*;q=0.1"))]);
    let fetched = get(config, address, &fields, config.rewrite.max_html_bytes, Initiator::Near);
    match timeout(PAGE_TIMEOUT, fetched).await {
        Ok(Ok(fetched)) => {
            fetched.ok_or_else(|| problem_at(address, format_args!("it answers {}", StatusCode::NOT_MODIFIED)))
        }
        Ok(Err(problem)) => Err(problem),
        Err(_) => Err(problem_at(address, format_args!("it did not arrive within {} seconds", PAGE_TIMEOUT.as_secs()))),
    }
}

/// A fetched resource.
pub(crate) struct FetchedResource {
    /// After redirects.
    pub(crate) address: Url,
    pub(crate) headers: HeaderMap,
    /// Unpacked.
    pub(crate) bytes: Vec<u8>,
}

/// Fetches with a client of its own; `None` if the content has not changed.
pub(crate) async fn get(
    config: &Config,
    address: &Url,
    fields: &HeaderMap,
    most: usize,
    initiator: Initiator,
) -> Result<Option<FetchedResource>, String> {
    let acl = Arc::new(Acl::new(config.access.clone(), Vec::new()));
    let client = Client::new(config, Arc::clone(&acl), 1, None);
    get_by(&client, &acl, address, fields, most, initiator).await
}

/// Fetches with this client, where these rules allow it. `initiator` is who has named the address.
pub(crate) async fn get_by(
    client: &Client,
    acl: &Acl,
    address: &Url,
    fields: &HeaderMap,
    most: usize,
    mut initiator: Initiator,
) -> Result<Option<FetchedResource>, String> {
    let pinned = PinnedConnections::default();
    let mut address = address.clone();
    for _ in 0..=MAX_REDIRECTS {
        let target =
            Target::from_absolute(&address.as_str().parse().map_err(|_| problem_at(&address, "is no address"))?);
        let permit = acl.permit(target.map_err(|error| problem_at(&address, error))?, |_| initiator);
        let permit = permit.map_err(|error| problem_at(&address, error))?;
        let request = Box::new(request(&address, permit.target().authority(), fields));
        let requester = Requester { address: IpAddr::V4(Ipv4Addr::LOCALHOST), pinned: &pinned, is_nested: false };
        let response = client.send(&permit, request, requester, Arc::new(|_, _| {})).await;
        let response = response.map_err(|error| problem_at(&address, error))?;
        match response.status() {
            StatusCode::OK => {
                let (headers, bytes) = read(response, most).await.map_err(|error| problem_at(&address, error))?;
                return Ok(Some(FetchedResource { address, headers, bytes }));
            }
            StatusCode::NOT_MODIFIED => return Ok(None),
            status if status.is_redirection() => {
                let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
                let to = to.and_then(|to| address.join(to).ok());
                address = to.ok_or_else(|| problem_at(&address, "it redirects nowhere"))?;
                if !permit.may_be_at_home() {
                    initiator = Initiator::Public;
                }
            }
            status => return Err(problem_at(&address, format_args!("it answers {status}"))),
        }
    }
    Err(problem_at(&address, "there are too many redirects"))
}

fn problem_at(address: &Url, problem: impl std::fmt::Display) -> String {
    format!("{address}: {problem}")
}

fn request(address: &Url, host: &str, fields: &HeaderMap) -> Request<Body> {
    let mut request = Request::new(Body::default());
    *request.uri_mut() = address[url::Position::BeforePath..url::Position::AfterQuery].parse().unwrap_or_default();
    let own = [
        (header::HOST, host),
        (header::USER_AGENT, concat!("Mozilla/5.0 (compatible; Gleaner/", env!("CARGO_PKG_VERSION"), ")")),
        (header::ACCEPT_ENCODING, "gzip"),
    ];
    let own = own.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?)));
    request
        .headers_mut()
        .extend(own.chain(fields.clone().into_iter().filter_map(|(name, value)| Some((name?, value)))));
    request
}

/// The whole body, at most so many bytes of it; gzip is the only coding that may have been asked for.
pub(crate) async fn read<B>(response: Response<B>, most: usize) -> Result<(HeaderMap, Vec<u8>), String>
where
    B: http_body::Body<Error: std::error::Error + Send + Sync + 'static>,
{
    let (head, body) = response.into_parts();
    let too_long = || format!("it is longer than {} MiB", most >> 20);
    let problem = |error: Box<dyn std::error::Error + Send + Sync>| match error.downcast_ref::<LengthLimitError>() {
        Some(_) => too_long(),
        None => error.to_string(),
    };
    let bytes = Limited::new(body, most).collect().await.map_err(problem)?.to_bytes();
    if head.headers.get(header::CONTENT_ENCODING).is_none_or(|coding| coding != "gzip") {
        return Ok((head.headers, bytes.to_vec()));
    }
    let mut unpacked = Vec::new();
    // One byte more than allowed shows that it is longer.
    let mut decoder = MultiGzDecoder::new(&*bytes).take(most as u64 + 1);
    decoder.read_to_end(&mut unpacked).map_err(|error| error.to_string())?;
    if unpacked.len() > most { Err(too_long()) } else { Ok((head.headers, unpacked)) }
}
