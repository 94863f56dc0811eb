//! The smaller picture in the kind that is sent: JPEG, PNG or GIF.

use std::borrow::Cow;

use image::{
    DynamicImage, Frame, GrayImage, ImageEncoder as _, ImageResult,
    codecs::{
        gif::GifEncoder,
        png::{CompressionType, FilterType, PngEncoder},
    },
};
use jpeg_encoder::{Encoder as JpegEncoder, QuantizationTableType};

use super::{greys::in_greys, head::PictureKind};
use crate::config::{PictureFormats, Pictures};

/// A picture as it is sent.
#[derive(Clone, Debug)]
pub(super) struct ScaledPicture {
    pub(super) bytes: Vec<u8>,
    pub(super) media: &'static str,
}

/// The picture in the kind that is smallest. A dithered one is sent where it has at most so many bytes.
pub(super) fn encode(
    picture: DynamicImage,
    source: PictureKind,
    most: usize,
    settings: &Pictures,
) -> Option<ScaledPicture> {
    let picture = without_needless_alpha(picture);
    let drawn = || {
        let greys = settings.greys.and_then(|greys| u16::try_from(greys).ok());
        let shown = |greys| Cow::Owned(in_greys(&picture, greys, settings.dither));
        let picture = greys.map_or(Cow::Borrowed(&picture), shown);
        if settings.formats == PictureFormats::Old { gif(&picture) } else { png(&picture, settings.greys) }
    };
    if picture.color().has_alpha() {
        return drawn();
    }
    // A photograph that came as JPEG is no drawing.
    let is_dithered = settings.dither && settings.greys.is_some();
    let is_drawn = is_dithered || matches!(source, PictureKind::Png | PictureKind::Gif);
    let drawing = if is_drawn { drawn() } else { None };
    if is_dithered && drawing.as_ref().is_some_and(|drawing| drawing.bytes.len() <= most) {
        return drawing;
    }
    let photo = jpeg(&picture, settings.quality);
    [photo, drawing].into_iter().flatten().min_by_key(|encoded| encoded.bytes.len())
}

fn without_needless_alpha(picture: DynamicImage) -> DynamicImage {
    match &picture {
        DynamicImage::ImageRgba8(image) if image.pixels().all(|pixel| pixel[3] == u8::MAX) => picture.to_rgb8().into(),
        DynamicImage::ImageLumaA8(image) if image.pixels().all(|pixel| pixel[1] == u8::MAX) => {
            picture.to_luma8().into()
        }
        _ => picture,
    }
}

fn jpeg(picture: &DynamicImage, quality: u8) -> Option<ScaledPicture> {
    /// The longest side that libjpeg reads.
    const MAX_SIDE: u16 = 65_500;
    let side = |side| u16::try_from(side).ok().filter(|side| *side <= MAX_SIDE);
    let (width, height) = (side(picture.width())?, side(picture.height())?);
    let kind = match picture {
        DynamicImage::ImageLuma8(_) => jpeg_encoder::ColorType::Luma,
        DynamicImage::ImageRgb8(_) => jpeg_encoder::ColorType::Rgb,
        _ => return None,
    };
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new(&mut bytes, quality);
    encoder.set_optimized_huffman_tables(true);
    // Klein, Silverstein and Carney, "Relevance of human vision to JPEG-DCT compression" (1992): of the crate's tables the one with the
    // fewest bytes for the same likeness (docs/pictures.md).
    let table = QuantizationTableType::KleinSilversteinCarney;
    encoder.set_quantization_tables(table.clone(), table);
    encoder.encode(picture.as_bytes(), width, height, kind).ok()?;
    Some(ScaledPicture { bytes, media: "image/jpeg" })
}

fn png(picture: &DynamicImage, greys: Option<usize>) -> Option<ScaledPicture> {
    let bytes = match (picture, greys) {
        (DynamicImage::ImageLuma8(image), Some(2)) => packed_png(image, png::BitDepth::One),
        (DynamicImage::ImageLuma8(image), Some(4)) => packed_png(image, png::BitDepth::Two),
        (DynamicImage::ImageLuma8(image), Some(16)) => packed_png(image, png::BitDepth::Four),
        _ => {
            let mut bytes = Vec::new();
            let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
            let size = (picture.width(), picture.height());
            encoder.write_image(picture.as_bytes(), size.0, size.1, picture.color().into()).ok().map(|()| bytes)
        }
    };
    bytes.map(|bytes| ScaledPicture { bytes, media: "image/png" })
}

/// A picture of as many greys as so many bits tell apart, with several pixels in a byte: smaller than with a byte for each
/// (docs/pictures.md). A filter by bytes would make it larger.
fn packed_png(image: &GrayImage, depth: png::BitDepth) -> Option<Vec<u8>> {
    let bits = depth as u8;
    // The darkest bits of a grey are its number: the greys are evenly spaced from 0 to 255.
    let byte = |pixels: &[u8]| {
        let number = pixels.iter().fold(0, |byte, pixel| byte << bits | u16::from(pixel >> (8 - bits)));
        // The last byte of a row may be filled in part.
        let missing = usize::from(8 / bits) - pixels.len();
        number.to_le_bytes()[0] << (missing * usize::from(bits))
    };
    let width = usize::try_from(image.width()).ok()?;
    let rows = image.as_raw().chunks(width);
    let packed: Vec<u8> = rows.flat_map(|row| row.chunks(usize::from(8 / bits)).map(byte)).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(depth);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&packed).ok()?;
    writer.finish().ok()?;
    Some(bytes)
}

/// How many pixels the quantizer passes over, of 1 to 30: ten is its author's middle way (Dekker, *Kohonen neural networks for
/// optimal colour quantization*, 1994).
const GIF_SPEED: i32 = 10;

fn gif(picture: &DynamicImage) -> Option<ScaledPicture> {
    let mut bytes = Vec::new();
    let written: ImageResult<()> =
        GifEncoder::new_with_speed(&mut bytes, GIF_SPEED).encode_frame(Frame::new(picture.to_rgba8()));
    written.ok().map(|()| ScaledPicture { bytes, media: "image/gif" })
}
