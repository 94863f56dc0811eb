//! One picture made smaller: decoded, scaled, turned upright, in sRGB, and encoded again without the notes of cameras and editors.

use std::io::Cursor;

use fast_image_resize::{
    FilterType, PixelTrait, PixelType, ResizeAlg, ResizeOptions, Resizer,
    images::Image as Raster,
    pixels::{U8x3, U8x4},
};
use image::{
    ColorType, DynamicImage, ImageDecoder, Limits, RgbImage, RgbaImage,
    codecs::{gif::GifDecoder, jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder},
    metadata::Orientation,
};
use moxcms::{ColorProfile, Layout, TransformOptions};

use super::{
    encoder::{ScaledPicture, encode},
    head::{PictureHead, PictureKind, fault},
};
use crate::{
    config::{Animations, PictureFormats, Pictures},
    http::outcome::PassReason,
};

/// Why a picture of which the head is known passes before it is decoded.
pub(super) fn objection(head: &PictureHead, settings: &Pictures, max_pixels: u64) -> Option<PassReason> {
    let pixels = u64::from(head.width) * u64::from(head.height);
    if pixels == 0 || head.is_odd {
        Some(PassReason::ODD)
    } else if pixels > max_pixels {
        Some(PassReason::PIXELS)
    } else if head.is_animated && settings.animations == Animations::Keep {
        Some(PassReason::ANIMATED)
    } else {
        None
    }
}

/// Memory that the work on one picture takes in bytes: its pixels, and the smaller picture; of a progressive JPEG also three
/// coefficients of two bytes for each pixel. `lab/pictures.py` measures it: 4.0 and 9.7 bytes a pixel.
pub(super) fn memory(head: &PictureHead) -> u64 {
    let of_pixel = if head.is_progressive { 10 } else { 6 };
    u64::from(head.width) * u64::from(head.height) * of_pixel + DECODER_BYTES
}

/// Bytes that decoders may take beside the pixels, for tables and notes.
const DECODER_BYTES: u64 = 4 << 20;

/// Makes a picture smaller, or says why it passes. It was judged by [`objection`].
pub(super) fn scale(bytes: &[u8], head: &PictureHead, settings: &Pictures) -> Result<ScaledPicture, PassReason> {
    let shows_first = settings.animations == Animations::First;
    match fault(head.kind, bytes) {
        Some(PassReason::ANIMATED) if shows_first => {}
        Some(reason) => return Err(reason),
        None => {}
    }
    let scaled = match head.kind {
        PictureKind::Jpeg => JpegDecoder::new(Cursor::new(bytes)).map(|decoder| smaller(decoder, head, settings)),
        PictureKind::Png => {
            PngDecoder::with_limits(Cursor::new(bytes), bounds(head)).map(|decoder| smaller(decoder, head, settings))
        }
        PictureKind::Gif => GifDecoder::new(Cursor::new(bytes)).map(|decoder| smaller(decoder, head, settings)),
        PictureKind::WebP => WebPDecoder::new(Cursor::new(bytes)).map(|decoder| smaller(decoder, head, settings)),
    };
    let picture = scaled.map_err(|_| PassReason::BROKEN_PICTURE)??;
    let is_needed = settings.formats == PictureFormats::Old && head.kind == PictureKind::WebP;
    let most = if is_needed { usize::MAX } else { bytes.len() / 10 * 9 };
    let encoded = encode(picture, head.kind, most, settings).ok_or(PassReason::ODD)?;
    if encoded.bytes.len() <= most { Ok(encoded) } else { Err(PassReason::NOT_SMALLER) }
}

/// The bounds of a decoder, packed notes and colour profiles included.
fn bounds(head: &PictureHead) -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(u64::from(head.width) * u64::from(head.height) * 4 + DECODER_BYTES);
    limits
}

/// The picture as it will be seen.
fn smaller(
    mut decoder: impl ImageDecoder,
    head: &PictureHead,
    settings: &Pictures,
) -> Result<DynamicImage, PassReason> {
    let broken = |_| PassReason::BROKEN_PICTURE;
    if decoder.dimensions() != (head.width, head.height) {
        return Err(PassReason::ODD);
    }
    decoder.set_limits(bounds(head)).map_err(broken)?;
    if ![ColorType::L8, ColorType::La8, ColorType::Rgb8, ColorType::Rgba8].contains(&decoder.color_type()) {
        return Err(PassReason::ODD);
    }
    // What only describes the picture may be missing.
    let noted = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    // Browsers do not turn WebP (tried with Chromium 156).
    let orientation = if head.kind == PictureKind::WebP { Orientation::NoTransforms } else { noted };
    let profile = decoder.icc_profile().unwrap_or_default();
    let whole = DynamicImage::from_decoder(decoder).map_err(broken)?;
    let mut picture = scaled(whole, target(head, orientation, settings)).ok_or(PassReason::ODD)?;
    if let Some(profile) = profile {
        picture = in_srgb(&picture, &profile)?;
    }
    picture.apply_orientation(orientation);
    Ok(if settings.greys.is_some() { in_grey(&picture) } else { picture })
}

/// Width and height as they are stored, for the widest that the picture may be seen.
fn target(head: &PictureHead, orientation: Orientation, settings: &Pictures) -> (u32, u32) {
    let is_turned = matches!(
        orientation,
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH
    );
    let seen = if is_turned { head.height } else { head.width };
    let Some(most) = settings.max_width.and_then(|most| u32::try_from(most).ok()).filter(|most| *most < seen) else {
        return (head.width, head.height);
    };
    // To the nearest pixel, so that the picture takes the same place on a page.
    let scale = |side: u32| (u64::from(side) * u64::from(most) + u64::from(seen) / 2) / u64::from(seen);
    let side = |side| u32::try_from(scale(side)).unwrap_or(u32::MAX).max(1);
    (side(head.width), side(head.height))
}

/// A picture in another size. A cubic kernel keeps edges sharp without halos (Mitchell, Netravali,
/// *Reconstruction filters in computer graphics*, 1988).
fn scaled(picture: DynamicImage, (width, height): (u32, u32)) -> Option<DynamicImage> {
    if (picture.width(), picture.height()) == (width, height) {
        return Some(picture);
    }
    let (color, whole) = (picture.color(), (picture.width(), picture.height()));
    let scaled: DynamicImage = if color.has_alpha() {
        let pixels = resize::<U8x4>(PixelType::U8x4, picture.into_rgba8().into_raw(), whole, (width, height))?;
        RgbaImage::from_raw(width, height, pixels)?.into()
    } else {
        let pixels = resize::<U8x3>(PixelType::U8x3, picture.into_rgb8().into_raw(), whole, (width, height))?;
        RgbImage::from_raw(width, height, pixels)?.into()
    };
    Some(if color.has_color() { scaled } else { in_grey(&scaled) })
}

/// Pixels of a picture in another size. Two kinds of them are enough: for each kind all of the crate's code is compiled once more.
fn resize<P: PixelTrait>(
    kind: PixelType,
    pixels: Vec<u8>,
    whole: (u32, u32),
    (width, height): (u32, u32),
) -> Option<Vec<u8>> {
    let raster = Raster::from_vec_u8(whole.0, whole.1, pixels, kind).ok()?;
    let mut smaller = Raster::new(width, height, kind);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    Resizer::new().resize_typed(&raster.typed_image::<P>()?, &mut smaller.typed_image_mut::<P>()?, &options).ok()?;
    Some(smaller.into_vec())
}

/// Colours and shades of another colour space in that of the web, without which those of today's cameras would be pale.
fn in_srgb(picture: &DynamicImage, profile: &[u8]) -> Result<DynamicImage, PassReason> {
    let (from, to) = match picture {
        DynamicImage::ImageLuma8(_) => (Layout::Gray, Layout::Rgb),
        DynamicImage::ImageLumaA8(_) => (Layout::GrayAlpha, Layout::Rgba),
        DynamicImage::ImageRgb8(_) => (Layout::Rgb, Layout::Rgb),
        _ => (Layout::Rgba, Layout::Rgba),
    };
    let channels = if to == Layout::Rgb { 3 } else { 4 };
    let (width, height) = (picture.width(), picture.height());
    let mut pixels = vec![0; width as usize * height as usize * channels];
    let converted = ColorProfile::new_from_slice(profile).and_then(|profile| {
        let srgb = ColorProfile::new_srgb();
        profile
            .create_transform_8bit(from, &srgb, to, TransformOptions::default())?
            .transform(picture.as_bytes(), &mut pixels)
    });
    converted.map_err(|_| PassReason::ODD)?;
    let converted = match to {
        Layout::Rgb => RgbImage::from_raw(width, height, pixels).map(DynamicImage::from),
        _ => RgbaImage::from_raw(width, height, pixels).map(DynamicImage::from),
    };
    converted.ok_or(PassReason::ODD)
}

fn in_grey(picture: &DynamicImage) -> DynamicImage {
    if picture.color().has_alpha() { picture.to_luma_alpha8().into() } else { picture.to_luma8().into() }
}
