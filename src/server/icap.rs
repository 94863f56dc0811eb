//! ICAP/1.0 on one connection (RFC 3507): another proxy, such as Squid, has its requests (REQMOD) and responses (RESPMOD) filtered.
//! What a message means is decided in `service`.
//!
//! `head` parses heads, `message_reader` reads messages from the connection. The body of a message is read while it is used, and
//! what follows a preview only when somebody waits for it.

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzz_api;
mod head;
mod message_reader;

use std::{
    future::poll_fn,
    io,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, Request, Response, Version, header};
use http_body::{Body as _, Frame};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::oneshot,
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use self::{
    head::{EncapsulatedSections, IcapHead, IcapMethod, IcapRefusal, MAX_ICAP_HEAD, bad},
    message_reader::{BodyPiece, MessageReader, malformed},
};
use super::Handler;
use crate::http::{
    body::{Body, EncapsulatedBody, EncapsulatedSender, IncomingBody, ReceivedBody},
    headers,
};

/// How long a connection is kept for the next message. Squid closes its own after a minute (`server_idle_pconn_timeout`), and must
/// be the first, so that no message meets a connection that is being closed.
const IDLE: Duration = Duration::from_mins(5);

/// Most bytes of a preview, beyond what the service asks for, which is none.
const MAX_PREVIEW: usize = 64 * 1024;

/// Connections at once, as OPTIONS announces: as many messages as are in work.
pub(crate) const MAX_ICAP_CONNECTIONS: usize = 1000;

/// Seconds after which the other proxy asks for OPTIONS again.
const OPTIONS_TTL: u32 = 600;

/// A request or a response that another proxy has filtered.
pub(crate) struct IcapMessage {
    /// The client of that proxy; none where it does not say.
    pub(crate) client: Option<IpAddr>,
    /// The user who has logged in there.
    pub(crate) user: Option<Arc<str>>,
    /// The request. Its body is empty where it has been sent already.
    pub(crate) request: Box<Request<ReceivedBody>>,
    /// The response to it, in RESPMOD.
    pub(crate) response: Option<Response<Body>>,
}

/// What becomes of a message.
pub(crate) enum Adapted {
    /// The message stays as it is, with this body.
    Unchanged(Body),
    /// Another head before the same body.
    Request(Request<Body>),
    Response {
        response: Response<Body>,
        /// Whether its body is the message's own.
        has_same_body: bool,
    },
}

/// Adapts messages.
pub(crate) trait Adapter: Handler {
    fn adapt(self: Arc<Self>, message: IcapMessage) -> impl Future<Output = Adapted> + Send;

    /// Changes with the settings and lists by which messages are adapted (`ISTag`, RFC 3507 § 4.7).
    fn service_tag(&self) -> String;
}

/// Serves one connection of another proxy, `peer`, until it ends.
pub(crate) async fn serve_icap<I, A>(io: I, adapter: Arc<A>, peer: IpAddr, draining: CancellationToken)
where
    I: AsyncRead + AsyncWrite + Send,
    A: Adapter,
{
    let (reader, writer) = tokio::io::split(io);
    let timeouts = adapter.timeouts();
    let mut connection = IcapConnection {
        reader: MessageReader::new(reader, timeouts.request_head, timeouts.request_body),
        writer: MessageWriter { io: writer, stall: timeouts.client_stall, tag: String::new() },
        adapter,
    };
    loop {
        let head = connection.reader.head(MAX_ICAP_HEAD, IDLE);
        let head = match draining.run_until_cancelled(head).await {
            Some(Ok(Some(head))) => head,
            Some(Err(error)) => {
                debug!(%peer, %error, "a connection of an ICAP client ended early");
                return;
            }
            Some(Ok(None)) | None => return,
        };
        match connection.answer(&head).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                debug!(%peer, %error, "a connection of an ICAP client ended early");
                return;
            }
        }
    }
}

struct IcapConnection<R, W, A> {
    reader: MessageReader<R>,
    writer: MessageWriter<W>,
    adapter: Arc<A>,
}

impl<R, W, A> IcapConnection<R, W, A>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
    A: Adapter,
{
    /// Answers one message; whether the connection goes on.
    async fn answer(&mut self, bytes: &[u8]) -> io::Result<bool> {
        self.writer.tag = self.adapter.service_tag();
        let head = match IcapHead::parse(bytes) {
            Ok(head) => head,
            Err(refusal) => {
                // Where the message ends is not known.
                self.writer.refuse(refusal).await?;
                return Ok(false);
            }
        };
        let closes = head.text("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        if head.method == IcapMethod::Options {
            if head.sections.has_body {
                while matches!(self.reader.chunk().await?, BodyPiece::Data(_)) {}
            }
            self.writer.options(head::method_of(bytes)).await?;
            return Ok(!closes);
        }
        let heads = self.reader.exactly(head.sections.bytes()).await?;
        let preview = head.text("preview").map(str::parse::<usize>);
        if preview.is_some_and(|bytes| bytes.is_err()) {
            self.writer.refuse(bad("Preview is not a number")).await?;
            return Ok(false);
        }
        let (sender, body) = EncapsulatedBody::new();
        let (go_on, asked_to_go_on) = oneshot::channel();
        let is_preview = head.sections.has_body && head.text("preview").is_some();
        let reply = Reply {
            writer: &mut self.writer,
            head: &head,
            heads: &heads,
            asked_to_go_on: is_preview.then_some(asked_to_go_on),
            has_gone_on: !is_preview,
        };
        let received = receive(&mut self.reader, sender, head.sections.has_body, is_preview, go_on);
        let answered = reply.send(Arc::clone(&self.adapter), body);
        tokio::try_join!(received, answered)?;
        Ok(!closes)
    }
}

/// Reads the body of a message, and passes it on; where nobody wants it, to its end. After a preview it waits until more is wanted,
/// has it asked for by `go_on`, and ends where the answer is made without.
async fn receive<R: AsyncRead + Unpin>(
    reader: &mut MessageReader<R>,
    sender: EncapsulatedSender,
    has_body: bool,
    is_preview: bool,
    go_on: oneshot::Sender<()>,
) -> io::Result<()> {
    if !has_body {
        return Ok(());
    }
    if is_preview {
        let (mut preview, mut bytes) = (Vec::new(), 0);
        let is_whole = loop {
            match reader.chunk().await? {
                BodyPiece::Data(data) => {
                    bytes += data.len();
                    preview.push(data);
                }
                BodyPiece::End { is_whole } => break is_whole,
            }
            if bytes > MAX_PREVIEW {
                return Err(malformed("the preview is larger than was asked for"));
            }
        };
        if !is_whole {
            tokio::select! {
                () = sender.wanted.notified() => {}
                () = sender.chunks.closed() => return Ok(()),
            }
            if go_on.send(()).is_err() {
                return Ok(());
            }
        }
        for data in preview {
            // Where nobody wants it any more, the rest is read all the same, up to the next message.
            let _ = sender.chunks.send(Ok(data)).await;
        }
        if is_whole {
            return Ok(());
        }
    }
    while let BodyPiece::Data(data) = reader.chunk().await? {
        let _ = sender.chunks.send(Ok(data)).await;
    }
    Ok(())
}

/// The answer to one message.
struct Reply<'a, W> {
    writer: &'a mut MessageWriter<W>,
    head: &'a IcapHead,
    /// The HTTP heads of the message.
    heads: &'a [u8],
    /// Completed when what follows the preview is wanted; none without a preview, and once it was asked for.
    asked_to_go_on: Option<oneshot::Receiver<()>>,
    /// Whether all of the body is on its way.
    has_gone_on: bool,
}

impl<W: AsyncWrite + Unpin> Reply<'_, W> {
    async fn send<A: Adapter>(mut self, adapter: Arc<A>, body: EncapsulatedBody) -> io::Result<()> {
        let message = match self.message(body) {
            Ok(message) => message,
            // What cannot be read is not changed.
            Err(body) => return self.unchanged(Body::new(body)).await,
        };
        match self.running(adapter.adapt(message)).await? {
            Adapted::Unchanged(body) => self.unchanged(body).await,
            Adapted::Request(request) => {
                let (head, body) = request.into_parts();
                let original = &self.heads[self.head.sections.request.clone()];
                let is_origin_form =
                    original.split(|byte| *byte == b' ').nth(1).is_some_and(|target| target.starts_with(b"/"));
                let path = head.uri.path_and_query().filter(|_| is_origin_form).map(ToString::to_string);
                let target = path.unwrap_or_else(|| head.uri.to_string());
                let mut bytes = BytesMut::from(format!("{} {target} HTTP/1.1\r\n", head.method).as_bytes());
                write_spelled(&head.headers, original, &mut bytes);
                self.changed("req", &bytes, body, true).await
            }
            Adapted::Response { response, has_same_body } => {
                let (head, body) = response.into_parts();
                let fields = headers::without(&head.headers, |name| *name == header::TRANSFER_ENCODING);
                let mut bytes = BytesMut::from(format!("HTTP/1.1 {}\r\n", head.status).as_bytes());
                headers::write_fields(&fields, &mut bytes);
                self.changed("res", &bytes, body, has_same_body).await
            }
        }
    }

    /// The message; its body where a head is not understood.
    fn message(&self, body: EncapsulatedBody) -> Result<IcapMessage, EncapsulatedBody> {
        let EncapsulatedSections { request, response, has_body } = &self.head.sections;
        let Some(request) = head::http_request(&self.heads[request.clone()]) else { return Err(body) };
        let is_response = self.head.method == IcapMethod::RespMod;
        let mut response = match head::http_response(&self.heads[response.clone()]) {
            Some(response) => Some(response.map(|()| Body::default())),
            None if is_response => return Err(body),
            None => None,
        };
        let mut request = Box::new(request.map(|()| ReceivedBody::Empty));
        match &mut response {
            _ if !has_body => {}
            Some(response) => {
                let length = response.headers().get(header::CONTENT_LENGTH);
                let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
                let body = ReceivedBody::Encapsulated(body.with_length(length));
                *response.body_mut() = Body::new(IncomingBody::from_response(body, Version::HTTP_11, None, None));
            }
            None => *request.body_mut() = ReceivedBody::Encapsulated(body),
        }
        let user = self.head.text("x-client-username").map(Arc::from);
        let client = self.head.text("x-client-ip").and_then(|client| client.parse().ok());
        Ok(IcapMessage { client, user, request, response })
    }

    /// Waits for this, and asks for what follows the preview when it is wanted.
    async fn running<T>(&mut self, work: impl Future<Output = T>) -> io::Result<T> {
        let mut work = pin!(work);
        if let Some(asked) = &mut self.asked_to_go_on {
            tokio::select! {
                biased;
                asked = asked => {
                    self.asked_to_go_on = None;
                    if asked.is_ok() {
                        self.go_on().await?;
                    }
                }
                done = &mut work => return Ok(done),
            }
        }
        Ok(work.await)
    }

    async fn go_on(&mut self) -> io::Result<()> {
        self.has_gone_on = true;
        self.writer.write(&b"ICAP/1.0 100 Continue\r\n\r\n"[..]).await
    }

    /// Nothing more of the message is wanted. What was asked for meanwhile must be asked for all the same, since it is waited for.
    async fn end_of_preview(&mut self) -> io::Result<()> {
        let was_asked = self.asked_to_go_on.take().is_some_and(|mut asked| {
            asked.close();
            asked.try_recv().is_ok()
        });
        if was_asked { self.go_on().await } else { Ok(()) }
    }

    /// Whether the other proxy has kept the body: up to the end of the preview, and beyond where `Allow` has 204.
    fn is_kept(&self) -> bool {
        !self.has_gone_on || self.head.allows("204")
    }

    /// Says that the message stays as it is: in a word where the other proxy has kept it, else by sending it back.
    async fn unchanged(mut self, body: Body) -> io::Result<()> {
        if self.is_kept() {
            drop(body);
            self.end_of_preview().await?;
            return self.writer.head("204 No Modifications", "null-body=0").await;
        }
        let EncapsulatedSections { request, response, .. } = &self.head.sections;
        let (name, head) =
            if self.head.method == IcapMethod::ReqMod { ("req", request.clone()) } else { ("res", response.clone()) };
        let heads = self.heads;
        self.changed(name, &heads[head], body, false).await
    }

    /// Sends a message with this head and body.
    async fn changed(mut self, name: &str, head: &[u8], mut body: Body, has_same_body: bool) -> io::Result<()> {
        let at = head.len();
        if has_same_body && self.head.sections.has_body && self.head.allows("206") && self.is_kept() {
            drop(body);
            self.end_of_preview().await?;
            // draft-icap-ext-partial-content, which Squid and c-icap have.
            self.writer.head("206 Partial Content", &format!("{name}-hdr=0, {name}-body={at}")).await?;
            self.writer.write(head).await?;
            return self.writer.write(&b"0; use-original-body=0\r\n\r\n"[..]).await;
        }
        // Before the head, because what follows a preview cannot be asked for after it.
        let first = self.running(next_data(&mut body)).await?;
        self.end_of_preview().await?;
        let section = if first.is_some() { format!("{name}-body") } else { "null-body".to_owned() };
        self.writer.head("200 OK", &format!("{name}-hdr=0, {section}={at}")).await?;
        self.writer.write(head).await?;
        let mut next = first;
        if next.is_none() {
            return Ok(());
        }
        while let Some(data) = next {
            self.writer.chunk(data?).await?;
            next = next_data(&mut body).await;
        }
        self.writer.write(&b"0\r\n\r\n"[..]).await
    }
}

/// The next bytes of a body.
async fn next_data(body: &mut Body) -> Option<io::Result<Bytes>> {
    loop {
        let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) if !data.is_empty() => return Some(Ok(data)),
            Ok(_) => {}
            Err(error) => return Some(Err(io::Error::other(error))),
        }
    }
}

/// Writes fields with their names as they came, since servers tell browsers from programs by them.
fn write_spelled(headers: &HeaderMap, as_in: &[u8], out: &mut BytesMut) {
    let names: Vec<&[u8]> =
        as_in.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b':').next()).collect();
    for (name, value) in headers {
        let spelled = names.iter().find(|spelled| spelled.eq_ignore_ascii_case(name.as_str().as_bytes()));
        out.extend_from_slice(spelled.copied().unwrap_or(name.as_str().as_bytes()));
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
}

/// The writing end of a connection.
struct MessageWriter<W> {
    io: W,
    /// How long the peer may accept nothing.
    stall: Duration,
    tag: String,
}

impl<W: AsyncWrite + Unpin> MessageWriter<W> {
    /// A status and the fields that each answer has, with what is in it.
    async fn head(&mut self, status: &str, encapsulated: &str) -> io::Result<()> {
        let tag = &self.tag;
        let head = format!("ICAP/1.0 {status}\r\nISTag: \"{tag}\"\r\nEncapsulated: {encapsulated}\r\n\r\n");
        self.write(head.as_bytes()).await
    }

    async fn options(&mut self, method: &str) -> io::Result<()> {
        // Squid 5.7 loses requests with large bodies that stay as they are after their preview.
        let preview = if method == "RESPMOD" { "Preview: 0\r\nTransfer-Preview: *\r\n" } else { "" };
        let head = format!(
            "ICAP/1.0 200 OK\r\nMethods: {method}\r\nService: Gleaner {}\r\nISTag: \"{}\"\r\nAllow: 204, 206\r\n{preview}\
             Max-Connections: {MAX_ICAP_CONNECTIONS}\r\nOptions-TTL: {OPTIONS_TTL}\r\n\
             X-Include: X-Client-IP, X-Client-Username\r\nEncapsulated: null-body=0\r\n\r\n",
            env!("CARGO_PKG_VERSION"),
            self.tag
        );
        self.write(head.as_bytes()).await
    }

    async fn refuse(&mut self, IcapRefusal { status, reason }: IcapRefusal) -> io::Result<()> {
        debug!(status, reason, "a message of an ICAP client is refused");
        let head = format!(
            "ICAP/1.0 {status}\r\nISTag: \"{}\"\r\nConnection: close\r\nX-Reason: {reason}\r\nEncapsulated: null-body=0\r\n\r\n",
            self.tag
        );
        self.write(head.as_bytes()).await
    }

    async fn chunk(&mut self, data: Bytes) -> io::Result<()> {
        let size = Bytes::from(format!("{:x}\r\n", data.len()));
        self.write(size.chain(data).chain(&b"\r\n"[..])).await
    }

    async fn write(&mut self, mut bytes: impl Buf) -> io::Result<()> {
        timeout(self.stall, self.io.write_all_buf(&mut bytes)).await?
    }
}
