//! Pictures that fit small screens: judged by their header fields and first bytes, then made smaller on threads of their own.
//!
//! The address of a picture never changes. Whatever is in doubt, late or not at least a tenth smaller comes as its site sent it.

mod cache;
mod head;
mod queue;
mod scaler;

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header, response::Parts};
use http_body::Frame;
use http_body_util::BodyExt;
use tokio::time::timeout;

use self::{
    cache::{PictureCache, PictureKey},
    head::{FirstLook, PictureHead, look_at},
    queue::PictureQueue,
    scaler::ScaledPicture,
};
use super::{content_length, eligibility::is_attachment, no_transform, noted, request_info::RequestInfo};
use crate::{
    config::{Limits, PictureFormats, PictureScale, Pictures},
    http::{
        body::{Body, BodyError},
        headers::{accept, members, repair, validators, validators::Tagger},
        outcome::{Outcome, PassReason, Scaled},
    },
};

/// Whether a browser asks to save data (Save-Data API).
pub(crate) const SAVE_DATA: HeaderName = HeaderName::from_static("save-data");

const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

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
#[derive(Clone, Copy, Debug)]
pub(crate) struct PictureRequest {
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
            PictureScale::SaveData => headers.get(SAVE_DATA).is_some_and(|value| value.as_bytes() == b"on"),
        };
        let is_for_picture = match asked.destination.as_deref() {
            Some(destination) => destination == "image",
            None => !asked.by_script && !asked.names_html,
        };
        let is_by_script = || headers.get(SEC_FETCH_MODE).is_some_and(|mode| mode.as_bytes() == b"cors");
        let is_eligible = is_wanted
            && is_for_picture
            && request.method() == Method::GET
            && !headers.contains_key(header::RANGE)
            && !asked.no_transform
            && !is_by_script()
            && !asked.is_for(&settings.except);
        let has = |name| headers.contains_key(name);
        is_eligible.then(|| Self { is_anonymous: !has(header::COOKIE) && !has(header::AUTHORIZATION) })
    }

    /// Asks for kinds that can be decoded.
    pub(super) fn prepare(headers: &mut HeaderMap) {
        accept::drop_media(headers, &["image/avif", "image/jxl", "image/heic", "image/heif"]);
    }
}

/// Makes pictures smaller, and keeps the last of them.
pub(super) struct PictureScaler {
    limits: Limits,
    max_pause: Duration,
    /// Threads are started for the first picture.
    queue: OnceLock<PictureQueue>,
    cache: PictureCache,
}

impl PictureScaler {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            max_pause: Duration::from_secs(limits.page_pause_seconds),
            queue: OnceLock::new(),
            cache: PictureCache::new(limits.pictures_cache_bytes),
        }
    }

    /// Makes a response smaller where it is such a picture.
    pub(super) async fn respond(
        &self,
        asked: &RequestInfo<'_>,
        picture: PictureRequest,
        head: Parts,
        mut body: Body,
    ) -> (Response<Body>, Outcome) {
        if !is_picture(&head) {
            return (Response::from_parts(head, body), Outcome::Unchanged);
        }
        let profile = &asked.look.pictures;
        if let Err(reason) = self.judge(&head, &profile.settings) {
            return noted(head, body, Outcome::PicturePassed(reason));
        }
        let key = Self::key(asked, picture, &head);
        if let Some(found) = key.as_ref().and_then(|key| self.cache.get(key)) {
            let before = content_length(&head.headers).unwrap_or(found.before);
            return answer(profile, head, found.media, found.bytes, before);
        }
        let mut received = Received::default();
        let scaled = self.receive(&mut body, &mut received, profile).await;
        match scaled {
            Ok(scaled) => {
                let bytes = Bytes::from(scaled.bytes);
                if let Some(key) = key {
                    self.cache.add(key, scaled.media, &bytes, received.whole.len());
                }
                answer(profile, head, scaled.media, bytes, received.whole.len())
            }
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
    ) -> Result<ScaledPicture, PassReason> {
        let settings = &profile.settings;
        let mut known: Option<PictureHead> = None;
        loop {
            let frame = timeout(self.max_pause, body.frame()).await.map_err(|_| PassReason::SLOW)?;
            let Some(frame) = frame else { break };
            received.push(frame)?;
            if received.bytes.len() > self.limits.picture_bytes {
                return Err(PassReason::TOO_LARGE);
            }
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
        let (bytes, settings) = (received.whole.clone(), Arc::clone(settings));
        let memory = scaler::memory(&head, bytes.len());
        let max_wait = Duration::from_secs(self.limits.picture_seconds);
        let queue = self.queue.get_or_init(|| PictureQueue::new(self.limits.pictures_memory_bytes, max_wait));
        queue.run(memory, move || scaler::scale(&bytes, &head, &settings)).await
    }

    /// The key of a picture that anybody may see, and of which a later answer says whether it is still the same.
    fn key(asked: &RequestInfo<'_>, picture: PictureRequest, head: &Parts) -> Option<PictureKey> {
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
fn is_picture(head: &Parts) -> bool {
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
        let data = [self.whole, self.bytes.freeze()].into_iter().filter(|data| !data.is_empty()).map(Frame::data);
        let frames: VecDeque<_> = data.chain(self.trailers.map(Frame::trailers)).collect();
        Body::prefixed(frames, self.rest.unwrap_or(stream))
    }
}
