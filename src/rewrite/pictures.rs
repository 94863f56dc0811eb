//! Pictures that fit small screens: judged by their header fields and first bytes, then made smaller on threads of their own.
//!
//! The address of a picture never changes. Whatever is in doubt, late or not at least a tenth smaller comes as its site sent it.

mod cache;
mod encoder;
mod greys;
mod head;
mod queue;
mod scaler;

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header, response::Parts};
use http_body::Frame;
use http_body_util::BodyExt;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout_at},
};
use url::Url;

use self::{
    cache::{CachedPicture, PictureCache, PictureKey},
    head::{FirstLook, PictureHead, look_at},
    queue::PictureQueue,
};
use super::{content_length, eligibility::is_attachment, no_transform, noted, request_info::RequestInfo};
use crate::{
    config::{Limits, PictureFormats, PictureScale, Pictures},
    http::{
        body::{Body, BodyError},
        headers::{accept, members, repair, validators, validators::Tagger},
        outcome::{Outcome, PassReason, Scaled},
    },
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Whether a browser asks to save data (Save-Data API).
pub(crate) const SAVE_DATA: HeaderName = HeaderName::from_static("save-data");

const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Origins of pages that are known. More of them cost some hundred bytes each.
const MAX_PAGES: usize = 4096;

/// How long a page's pictures are asked for after the last of them: a reader scrolls.
const PAGE_IN_USE: Duration = Duration::from_hours(1);

/// Bytes within which a picture says its size: JPEG has its notes before, of 64 KiB each.
const HEAD_BYTES: usize = 128 * 1024;

/// The settings of a profile, and the mark on the entity tags of its pictures.
pub(crate) struct PictureProfile {
    settings: Arc<Pictures>,
    fingerprint: u64,
    pub(crate) tagger: Tagger,
}

impl PictureProfile {
    pub(super) fn new(settings: &Pictures) -> Self {
        let mut hasher = DefaultHasher::new();
        serde_yaml::to_value(settings).unwrap_or_default().hash(&mut hasher);
        let fingerprint = hasher.finish();
        Self { settings: Arc::new(settings.clone()), fingerprint, tagger: Tagger::new(fingerprint) }
    }
}

/// A request that may be for a picture which is to be made smaller.
#[derive(Clone, Debug)]
pub(crate) struct PictureRequest {
    /// The origin of the page that shows it, where the request tells.
    page: Option<Box<str>>,
    /// Whether that page is ours, whatever its origin.
    is_at_readers_address: bool,
    /// Whether the request has neither cookies nor a password.
    is_anonymous: bool,
}

impl PictureRequest {
    /// Whether a request may be for a picture that is to be made smaller; `None` for all others. What a script asks for (`fetch`, or a
    /// picture for its canvas) stays as it is, and so does a picture that is opened by itself.
    pub(super) fn from_request<B>(request: &http::Request<B>, asked: &RequestInfo<'_>) -> Option<Self> {
        let settings = &asked.look.pictures.settings;
        let headers = request.headers();
        let is_wanted = match settings.scale {
            PictureScale::Off => false,
            PictureScale::On => true,
            PictureScale::SaveData => saves_data(headers),
        };
        let is_for_picture = match asked.destination.as_deref() {
            Some(destination) => destination == "image",
            None => !asked.by_script && !asked.names_html,
        };
        let is_by_script = || headers.get(SEC_FETCH_MODE).is_some_and(|mode| mode.as_bytes() == b"cors");
        let is_eligible = is_wanted
            && is_for_picture
            && [Method::GET, Method::HEAD].contains(request.method())
            && !headers.contains_key(header::RANGE)
            && !asked.no_transform
            && !is_by_script()
            && !asked.is_for(&settings.except);
        if !is_eligible {
            return None;
        }
        let has = |name| headers.contains_key(name);
        let page = headers.get(header::REFERER).and_then(|page| Url::parse(page.to_str().ok()?).ok());
        Some(Self {
            page: page.map(|page| origin(&page)),
            is_at_readers_address: false,
            is_anonymous: !has(header::COOKIE) && !has(header::AUTHORIZATION),
        })
    }

    /// The picture is for a page at the reader's address.
    pub(crate) fn at_readers_address(self) -> Self {
        Self { is_at_readers_address: true, ..self }
    }

    /// Asks for kinds that can be decoded.
    pub(super) fn prepare(headers: &mut HeaderMap) {
        accept::drop_media(headers, &["image/avif", "image/jxl", "image/heic", "image/heif"]);
    }
}

/// Whether a browser asks to save data.
pub(super) fn saves_data(headers: &HeaderMap) -> bool {
    headers.get(SAVE_DATA).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"on"))
}

fn origin(page: &Url) -> Box<str> {
    page.origin().ascii_serialization().into()
}

/// Makes pictures of rewritten pages smaller, and keeps the last of them. Other pages place a picture by the pixels that it has (a
/// sprite, a map of areas, a picture without width), and their scripts read them.
pub(super) struct PictureScaler {
    /// The origins of which a client has got a page in our own style, and none as it was since.
    pages: ExpiringMap<(IpAddr, Box<str>), ()>,
    limits: Limits,
    /// Threads are started for the first picture.
    queue: OnceLock<PictureQueue>,
    cache: Arc<PictureCache>,
}

impl PictureScaler {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            queue: OnceLock::new(),
            cache: Arc::new(PictureCache::new(limits.pictures_cache_bytes)),
            pages: ExpiringMap::new(MAX_PAGES, Lifetime::SinceUse(PAGE_IN_USE)),
        }
    }

    /// Notes that a client has got a page, in our own style or as it was.
    pub(super) fn note_page(&self, asked: &RequestInfo<'_>, is_ours: bool) {
        let Some(url) = asked.url() else { return };
        let key = (asked.client, origin(&url));
        if is_ours {
            self.pages.insert(key, ());
        } else {
            self.pages.remove(&key);
        }
    }

    fn is_of_our_page(&self, asked: &RequestInfo<'_>, picture: &PictureRequest) -> bool {
        let is_known = |page: &str| self.pages.get(&(asked.client, page.into())).is_some();
        picture.is_at_readers_address || picture.page.as_deref().is_some_and(is_known)
    }

    /// Makes a response smaller where it is such a picture.
    pub(super) async fn respond(
        &self,
        asked: &RequestInfo<'_>,
        picture: &PictureRequest,
        head: Parts,
        mut body: Body,
    ) -> (Response<Body>, Outcome) {
        if !self.is_of_our_page(asked, picture) {
            return (Response::from_parts(head, body), Outcome::Unchanged);
        }
        let profile = &asked.look.pictures;
        if let Err(reason) = self.judge(&head, &profile.settings) {
            return noted(head, body, Outcome::PicturePassed(reason));
        }
        let key = Self::key(asked, picture, &head);
        let found = key.as_ref().and_then(|key| self.cache.get(key));
        if asked.method == Method::HEAD {
            return head_alone(profile, head, body, found);
        }
        if let Some(found) = found {
            let before = content_length(&head.headers).unwrap_or(found.before);
            return answer(profile, head, found.media, found.bytes, before);
        }
        let mut received = Received::default();
        match self.receive(&mut body, &mut received, profile, key).await {
            Ok(scaled) => answer(profile, head, scaled.media, scaled.bytes, scaled.before),
            Err(reason) => noted(head, received.into_body(body), Outcome::PicturePassed(reason)),
        }
    }

    /// Why a picture passes, as far as its header fields show.
    fn judge(&self, head: &Parts, settings: &Pictures) -> Result<(), PassReason> {
        let headers = &head.headers;
        let length = content_length(headers);
        let must_change = settings.formats == PictureFormats::Old;
        // The first that applies decides.
        let rules = [
            (no_transform(headers), PassReason::NO_TRANSFORM),
            (is_attachment(headers), PassReason::ATTACHMENT),
            (headers.contains_key(header::CONTENT_ENCODING), PassReason::CODING),
            (!must_change && length.is_some_and(|length| length < settings.min_bytes), PassReason::SMALL),
            (length.is_some_and(|length| length > self.limits.picture_bytes), PassReason::TOO_LARGE),
        ];
        rules.into_iter().find(|(applies, _)| *applies).map_or(Ok(()), |(_, reason)| Err(reason))
    }

    /// Reads the picture, and has it made smaller.
    async fn receive(
        &self,
        body: &mut Body,
        received: &mut Received,
        profile: &PictureProfile,
        key: Option<PictureKey>,
    ) -> Result<CachedPicture, PassReason> {
        let settings = &profile.settings;
        let seconds = Duration::from_secs;
        let (max_work, max_pause) = (seconds(self.limits.picture_seconds), seconds(self.limits.page_pause_seconds));
        let queue = self.queue.get_or_init(|| PictureQueue::new(self.limits.pictures_memory_bytes, max_work));
        let mut known: Option<PictureHead> = None;
        // The large pictures of a page share the line that it came by.
        let end = Instant::now() + seconds(self.limits.page_arrival_seconds);
        while let Some(frame) =
            timeout_at(end.min(Instant::now() + max_pause), body.frame()).await.map_err(|_| PassReason::SLOW)?
        {
            received.push(frame)?;
            if received.bytes.len() > self.limits.picture_bytes {
                return Err(PassReason::TOO_LARGE);
            }
            queue.keep(&mut received.memory, received.bytes.len()).await?;
            if known.is_none() {
                known = match look_at(&received.bytes) {
                    FirstLook::Known(head) => Some(head),
                    FirstLook::Early if received.bytes.len() <= HEAD_BYTES => None,
                    FirstLook::Early | FirstLook::Other => return Err(PassReason::OTHER_PICTURE),
                };
                let objection = known.and_then(|head| scaler::objection(&head, settings, self.limits.picture_pixels));
                if let Some(reason) = objection {
                    return Err(reason);
                }
            }
        }
        received.end();
        let head = known.ok_or(PassReason::OTHER_PICTURE)?;
        if received.whole.len() < settings.min_bytes && settings.formats != PictureFormats::Old {
            return Err(PassReason::SMALL);
        }
        let (bytes, settings, cache) = (received.whole.clone(), Arc::clone(settings), Arc::clone(&self.cache));
        let work = move || {
            let scaled = scaler::scale(&bytes, &head, &settings)?;
            let scaled = CachedPicture { media: scaled.media, bytes: scaled.bytes.into(), before: bytes.len() };
            // Where it comes too late, the next who asks has it at once.
            if let Some(key) = key {
                let size = key.size_with(&scaled);
                cache.add(key, scaled.clone(), size);
            }
            Ok(scaled)
        };
        queue.run(scaler::memory(&head), work).await
    }

    /// The key of a picture that anybody may see, and of which a later answer says whether it is still the same.
    fn key(asked: &RequestInfo<'_>, picture: &PictureRequest, head: &Parts) -> Option<PictureKey> {
        let is_public =
            || members(&head.headers, &header::CACHE_CONTROL).any(|word| word.eq_ignore_ascii_case("public"));
        let is_private = ["private", "no-store"];
        let may_keep = !members(&head.headers, &header::CACHE_CONTROL)
            .any(|word| is_private.iter().any(|private| word.eq_ignore_ascii_case(private)));
        if !may_keep || !picture.is_anonymous && !is_public() {
            return None;
        }
        let validator = validators::response_validator(&head.headers)?;
        Some(PictureKey { url: asked.url()?.into(), validator, settings: asked.look.pictures.fingerprint })
    }
}

/// Whether it is a whole picture of a kind that may be decoded, by what its header says.
pub(super) fn is_picture(head: &Parts) -> bool {
    let media = head.headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let media = media.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    head.status == StatusCode::OK && media.starts_with(b"image/") && !media.starts_with(b"image/svg")
}

/// The response with the smaller picture. The fields for caches stay: the same picture gives the same result.
fn answer(
    profile: &PictureProfile,
    mut head: Parts,
    media: &'static str,
    bytes: Bytes,
    before: usize,
) -> (Response<Body>, Outcome) {
    let after = bytes.len();
    head.headers = repair::scaled(&head.headers, media, &profile.tagger);
    head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(after));
    if profile.settings.scale == PictureScale::SaveData {
        repair::vary(&mut head.headers, &["Save-Data"]);
    }
    noted(head, Body::from(bytes), Outcome::Scaled(Scaled { before, after }))
}

/// The response to a HEAD, for which no picture is made: where the cache does not have it, without the fields that only the picture
/// itself would give (RFC 9110 § 9.3.2).
fn head_alone(
    profile: &PictureProfile,
    head: Parts,
    body: Body,
    found: Option<CachedPicture>,
) -> (Response<Body>, Outcome) {
    if let Some(found) = found {
        let before = content_length(&head.headers).unwrap_or(found.before);
        let (response, _) = answer(profile, head, found.media, found.bytes, before);
        return (response.map(|_| body), Outcome::Eligible);
    }
    let (mut response, _) = answer(profile, head, "image/*", Bytes::new(), 0);
    for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::ACCEPT_RANGES, header::ETAG] {
        response.headers_mut().remove(name);
    }
    noted(response.into_parts().0, body, Outcome::Eligible)
}

/// What becomes of a whole picture that somebody asks for, in words; `None` where it is none.
pub(crate) fn explain(bytes: &[u8], settings: &Pictures, limits: &Limits) -> Option<String> {
    let FirstLook::Known(head) = look_at(bytes) else { return None };
    let size = format!("{:?}, {} by {} pixels, {} bytes", head.kind, head.width, head.height, bytes.len());
    let scaled = match scaler::objection(&head, settings, limits.picture_pixels) {
        Some(reason) => Err(reason),
        None if bytes.len() > limits.picture_bytes => Err(PassReason::TOO_LARGE),
        None if bytes.len() < settings.min_bytes && settings.formats != PictureFormats::Old => Err(PassReason::SMALL),
        None => scaler::scale(bytes, &head, settings),
    };
    Some(match scaled {
        Ok(scaled) => format!("{size}; sent as {}, {} bytes", scaled.media, scaled.bytes.len()),
        Err(reason) => format!("{size}; sent as it is: {}", reason.in_words()),
    })
}

/// A picture as it came, so far.
#[derive(Default)]
struct Received {
    bytes: BytesMut,
    /// The whole picture, when its end has come.
    whole: Bytes,
    trailers: Option<HeaderMap>,
    /// A body that comes after it in place of the body's rest, at its end or after an error.
    rest: Option<Body>,
    /// For its bytes, while they are kept.
    memory: Option<OwnedSemaphorePermit>,
}

impl Received {
    fn push(&mut self, frame: Result<Frame<Bytes>, BodyError>) -> Result<(), PassReason> {
        let frame = frame.map_err(|error| {
            self.rest = Some(Body::broken(error));
            PassReason::BROKEN_OFF
        })?;
        match frame.into_data() {
            Ok(data) => self.bytes.extend_from_slice(&data),
            Err(other) => self.trailers = other.into_trailers().ok(),
        }
        Ok(())
    }

    fn end(&mut self) {
        self.whole = self.bytes.split().freeze();
        self.rest = Some(Body::default());
    }

    /// The picture as it came, with what is still to come.
    fn into_body(self, stream: Body) -> Body {
        let bytes = if self.whole.is_empty() { self.bytes.freeze() } else { self.whole };
        let held = Bytes::from_owner(HeldPicture { bytes, _memory: self.memory });
        let data = Some(Frame::data(held)).filter(|data| data.data_ref().is_some_and(|data| !data.is_empty()));
        let data = data.into_iter();
        let frames: VecDeque<_> = data.chain(self.trailers.map(Frame::trailers)).collect();
        Body::prefixed(frames, self.rest.unwrap_or(stream))
    }
}

/// Bytes for which memory is reserved until they are sent.
struct HeldPicture {
    bytes: Bytes,
    _memory: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for HeldPicture {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
