//! Heads of ICAP messages (RFC 3507 § 4.3), and the heads of HTTP within them (§ 4.4).

use std::ops::Range;

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, Version, header};

use crate::{
    http::headers::{MAX_FIELDS, MAX_RESPONSE_FIELDS, members},
    server::request_parser::parse_head,
};

/// Most bytes of a message's own head, and of the HTTP heads in it: sites that set many cookies send large ones.
pub(super) const MAX_ICAP_HEAD: usize = 16 * 1024;
const MAX_HTTP_HEADS: usize = 256 * 1024;

/// Most fields of a message's own head.
const MAX_ICAP_FIELDS: usize = 64;

/// What a message asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IcapMethod {
    Options,
    ReqMod,
    RespMod,
}

/// Why a message is refused: a status of RFC 3507 § 4.3.3, and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IcapRefusal {
    pub(super) status: &'static str,
    pub(super) reason: &'static str,
}

/// The head of a message.
#[derive(Debug)]
pub(super) struct IcapHead {
    pub(super) method: IcapMethod,
    pub(super) fields: HeaderMap,
    pub(super) sections: EncapsulatedSections,
}

/// What is in a message after its head: where the HTTP heads are, and whether a body follows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EncapsulatedSections {
    pub(super) request: Range<usize>,
    pub(super) response: Range<usize>,
    pub(super) has_body: bool,
}

impl EncapsulatedSections {
    /// Bytes of the HTTP heads.
    pub(super) fn bytes(&self) -> usize {
        self.request.end.max(self.response.end)
    }

    /// Reads `Encapsulated: req-hdr=0, res-hdr=137, res-body=296`.
    fn parse(fields: &HeaderMap) -> Result<Self, IcapRefusal> {
        let mut sections = Self::default();
        let mut open: Option<(&str, usize)> = None;
        let name = HeaderName::from_static("encapsulated");
        let mut members = members(fields, &name).peekable();
        while let Some(member) = members.next() {
            let named = member.split_once('=').and_then(|(name, at)| Some((name.trim(), at.trim().parse().ok()?)));
            let (name, at): (&str, usize) = named.ok_or(bad("a member of Encapsulated is not name=offset"))?;
            let (before, begun) = open.unwrap_or((name, 0));
            let is_in_order = if open.is_none() { at == 0 } else { at > begun && at <= MAX_HTTP_HEADS };
            if !is_in_order {
                return Err(bad("the offsets of Encapsulated do not ascend from 0, or are too large"));
            }
            match before {
                _ if open.is_none() => {}
                "req-hdr" => sections.request = begun..at,
                "res-hdr" => sections.response = begun..at,
                _ => return Err(bad("a body is not the last section")),
            }
            let is_last = members.peek().is_none();
            match name {
                "req-hdr" | "res-hdr" if !is_last => {}
                "req-body" | "res-body" | "opt-body" if is_last => sections.has_body = true,
                "null-body" if is_last => {}
                _ => return Err(bad("Encapsulated has sections that are not known, or not in this order")),
            }
            open = Some((name, at));
        }
        Ok(sections)
    }
}

pub(super) fn bad(reason: &'static str) -> IcapRefusal {
    IcapRefusal { status: "400 Bad Request", reason }
}

impl IcapHead {
    /// Reads a whole head, with the empty line at its end.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, IcapRefusal> {
        let end = memchr::memchr(b'\n', bytes).ok_or(bad("it has no request line"))?;
        let (line, rest) = bytes.split_at(end + 1);
        let line = std::str::from_utf8(line).map_err(|_| bad("its request line is not text"))?;
        let mut words = line.trim_end_matches(['\r', '\n']).split(' ');
        let (Some(method), Some(uri), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(bad("its request line is not METHOD icap://… ICAP/1.0"));
        };
        if version != "ICAP/1.0" {
            return Err(IcapRefusal { status: "505 ICAP Version Not Supported", reason: "this is ICAP/1.0" });
        }
        let method = match method {
            "OPTIONS" => IcapMethod::Options,
            "REQMOD" => IcapMethod::ReqMod,
            "RESPMOD" => IcapMethod::RespMod,
            _ => return Err(IcapRefusal { status: "501 Method Not Implemented", reason: "this method is not known" }),
        };
        let service = match service(uri) {
            "reqmod" => IcapMethod::ReqMod,
            "respmod" => IcapMethod::RespMod,
            _ => {
                return Err(IcapRefusal {
                    status: "404 ICAP Service Not Found",
                    reason: "the services are /reqmod and /respmod",
                });
            }
        };
        if method != IcapMethod::Options && method != service {
            let reason = "the service of REQMOD is /reqmod, that of RESPMOD is /respmod";
            return Err(IcapRefusal { status: "405 Method Not Allowed", reason });
        }
        let mut parsed = [httparse::EMPTY_HEADER; MAX_ICAP_FIELDS];
        let Ok(httparse::Status::Complete((_, parsed))) = httparse::parse_headers(rest, &mut parsed) else {
            return Err(bad("its fields are malformed or too many"));
        };
        let fields = fields(parsed).ok_or(bad("a field is malformed"))?;
        let sections = EncapsulatedSections::parse(&fields)?;
        let head = Self { method, fields, sections };
        if !head.is_complete() {
            return Err(bad("its sections are not those of its method"));
        }
        Ok(head)
    }

    /// Whether it has what its method is about: REQMOD a request, RESPMOD a response.
    fn is_complete(&self) -> bool {
        let EncapsulatedSections { request, response, .. } = &self.sections;
        match self.method {
            IcapMethod::Options => request.is_empty() && response.is_empty(),
            IcapMethod::ReqMod => !request.is_empty() && response.is_empty(),
            IcapMethod::RespMod => !response.is_empty(),
        }
    }

    /// The text of a field of the message's own.
    pub(super) fn text(&self, name: &'static str) -> Option<&str> {
        self.fields.get(HeaderName::from_static(name))?.to_str().ok()
    }

    /// Whether `Allow` names this status.
    pub(super) fn allows(&self, status: &str) -> bool {
        members(&self.fields, &HeaderName::from_static("allow")).any(|member| member == status)
    }
}

/// The last segment of an address's path.
fn service(uri: &str) -> &str {
    let path = uri.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    path.rsplit_once('/').map_or("", |(_, service)| service)
}

/// The method of a service, for OPTIONS.
pub(super) fn method_of(line: &[u8]) -> &'static str {
    let uri = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    if std::str::from_utf8(uri).is_ok_and(|uri| service(uri) == "reqmod") { "REQMOD" } else { "RESPMOD" }
}

/// A request's head; `None` where it is not one that our own server would take.
pub(super) fn http_request(bytes: &[u8]) -> Option<Request<()>> {
    let head = parse_head(bytes).ok()?.filter(|head| head.bytes == bytes.len())?;
    let mut line_replaced = Vec::new();
    let bytes = match head.replaced_line {
        Some((at, line)) => {
            line_replaced.extend([&bytes[..at.start], &line, &bytes[at.end..]].concat());
            &line_replaced[..]
        }
        None => bytes,
    };
    let mut parsed = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut read = httparse::Request::new(&mut parsed);
    read.parse(bytes).ok()?;
    let mut request = Request::new(());
    *request.method_mut() = read.method?.parse().ok()?;
    *request.uri_mut() = read.path?.parse::<Uri>().ok()?;
    *request.version_mut() = Version::HTTP_11;
    *request.headers_mut() = fields(read.headers)?;
    // The request as a web server gets it: of the scheme nothing is told but by the port.
    if request.uri().path().starts_with('/') && request.uri().authority().is_none() {
        let host = request.headers().get(header::HOST)?.to_str().ok()?;
        let scheme = if host.ends_with(":443") { "https" } else { "http" };
        *request.uri_mut() = format!("{scheme}://{host}{}", request.uri()).parse().ok()?;
    }
    Some(request)
}

/// A response's head; `None` where it is malformed.
pub(super) fn http_response(bytes: &[u8]) -> Option<Response<()>> {
    let mut parsed = vec![httparse::EMPTY_HEADER; MAX_RESPONSE_FIELDS];
    let mut read = httparse::Response::new(&mut parsed);
    let status = read.parse(bytes).ok()?;
    if status != httparse::Status::Complete(bytes.len()) {
        return None;
    }
    let mut response = Response::new(());
    *response.status_mut() = read.code?.try_into().ok()?;
    *response.headers_mut() = fields(read.headers)?;
    Some(response)
}

fn fields(parsed: &[httparse::Header<'_>]) -> Option<HeaderMap> {
    let field = |field: &httparse::Header<'_>| {
        let name = HeaderName::from_bytes(field.name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(field.value).ok()?))
    };
    parsed.iter().map(field).collect()
}
