//! What a picture's first bytes say of it, before anything is decoded: its kind, its size, and what the decoders cannot do.
//!
//! JPEG: ITU-T T.81 annex B. PNG: W3C PNG (third edition) § 5 and § 11, `acTL` of APNG included. GIF: `GIF89a` § 17 to 23. WebP: RFC 9649.

use memchr::memchr;

use crate::http::outcome::PassReason;

/// The kinds that are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureKind {
    Jpeg,
    Png,
    Gif,
    WebP,
}

/// A picture by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PictureHead {
    pub(super) kind: PictureKind,
    /// Width as it is stored; an orientation may exchange it with the height.
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) is_animated: bool,
    /// A colour model or depth that is left as it is: CMYK, arithmetic coding, 16 bits.
    pub(super) is_odd: bool,
    /// Whether all of it is kept as coefficients before the first pixel is known.
    pub(super) is_progressive: bool,
}

/// The result of a look at the first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstLook {
    /// The bytes are too few.
    Early,
    /// The bytes are no picture of a kind that is decoded.
    Other,
    Known(PictureHead),
}

/// Reads the head of one kind; `None` where the bytes are too few.
type ReadHead = fn(&[u8]) -> Option<FirstLook>;

/// Looks at the first bytes of a response. More of them never change what is known.
pub(super) fn look_at(bytes: &[u8]) -> FirstLook {
    let kinds: [(&[u8], ReadHead); 5] =
        [(b"\xff\xd8\xff", jpeg), (b"\x89PNG\r\n\x1a\n", png), (b"GIF87a", gif), (b"GIF89a", gif), (b"RIFF", webp)];
    let common = |magic: &[u8]| magic.iter().zip(bytes).all(|(one, other)| one == other);
    let Some((magic, read)) = kinds.into_iter().find(|(magic, _)| common(magic)) else { return FirstLook::Other };
    if bytes.len() < magic.len() {
        return FirstLook::Early;
    }
    read(bytes).unwrap_or(FirstLook::Early)
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    number(bytes, at).map(u16::from_be_bytes).map(u32::from)
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    number(bytes, at).map(u16::from_le_bytes).map(u32::from)
}

/// The frame header is behind the segments of applications, of which each has its length.
fn jpeg(bytes: &[u8]) -> Option<FirstLook> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return Some(FirstLook::Other);
        }
        let marker = *bytes.get(at + 1)?;
        let length = be16(bytes, at + 2)? as usize;
        match marker {
            0xff => at += 1,
            // Frame headers, but for tables of Huffman codes, arithmetic conditioning and the reserved one.
            0xc0..=0xcf if ![0xc4, 0xc8, 0xcc].contains(&marker) => {
                let (height, width, components) = (be16(bytes, at + 5)?, be16(bytes, at + 7)?, *bytes.get(at + 9)?);
                let is_odd = ![0xc0, 0xc1, 0xc2].contains(&marker)
                    || *bytes.get(at + 4)? != 8
                    || ![1, 3].contains(&components)
                    || height == 0;
                return Some(FirstLook::Known(PictureHead {
                    kind: PictureKind::Jpeg,
                    width,
                    height,
                    is_animated: false,
                    is_odd,
                    is_progressive: marker == 0xc2,
                }));
            }
            0xe0..=0xef | 0xdb | 0xc4 | 0xcc | 0xdd | 0xfe if length >= 2 => at += 2 + length,
            _ => return Some(FirstLook::Other),
        }
    }
}

/// The `gAMA` of sRGB, and the x of white and red in its `cHRM` (PNG § 11.3.2.5).
const SRGB_GAMMA: u32 = 45_455;
const SRGB_WHITE_AND_RED: [u32; 2] = [31_270, 64_000];

/// All chunks up to the data of the picture: one of them says that it is animated.
fn png(bytes: &[u8]) -> Option<FirstLook> {
    let side = |at| number(bytes, at).map(u32::from_be_bytes);
    let (width, height, depth) = (side(16)?, side(20)?, *bytes.get(24)?);
    let mut at = 8;
    let (mut is_animated, mut is_odd, mut has_space) = (false, false, false);
    loop {
        let length = side(at)? as usize;
        match bytes.get(at + 4..at + 8)? {
            b"acTL" => is_animated = true,
            b"iCCP" | b"sRGB" => has_space = true,
            // Another brightness or other colours than the web's, which browsers honour.
            b"cICP" => (is_odd, has_space) = (true, false),
            b"gAMA" => is_odd |= side(at + 8)? != SRGB_GAMMA,
            b"cHRM" => is_odd |= [side(at + 8)?, side(at + 16)?] != SRGB_WHITE_AND_RED,
            b"IDAT" | b"IEND" => break,
            _ => {}
        }
        at = at.checked_add(length.checked_add(12)?)?;
    }
    let is_odd = depth == 16 || is_odd && !has_space;
    Some(FirstLook::Known(PictureHead {
        kind: PictureKind::Png,
        width,
        height,
        is_animated,
        is_odd,
        is_progressive: false,
    }))
}

/// All blocks up to the data of the first picture; an animation says how often it is repeated before, or how long the first one
/// is shown.
fn gif(bytes: &[u8]) -> Option<FirstLook> {
    let (width, height, flags) = (le16(bytes, 6)?, le16(bytes, 8)?, *bytes.get(10)?);
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(flags);
    let mut is_animated = false;
    loop {
        match *bytes.get(at)? {
            0x21 => {
                let label = *bytes.get(at + 1)?;
                let is_repeated = || bytes.get(at + 3..at + 11).map(|name| name == b"NETSCAPE" || name == b"ANIMEXTS");
                is_animated |= label == 0xff && is_repeated()? || label == 0xf9 && le16(bytes, at + 4)? > 0;
                at = sub_blocks(bytes, at + 2)?;
            }
            0x2c => {
                // Browsers enlarge the canvas to a picture that does not fit on it.
                let is_odd = le16(bytes, at + 5)? > width || le16(bytes, at + 7)? > height;
                let kind = PictureKind::Gif;
                return Some(FirstLook::Known(PictureHead {
                    kind,
                    width,
                    height,
                    is_animated,
                    is_odd,
                    is_progressive: false,
                }));
            }
            _ => return Some(FirstLook::Other),
        }
    }
}

/// The end of a list of sub-blocks.
fn sub_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            length => at += 1 + usize::from(length),
        }
    }
}

fn webp(bytes: &[u8]) -> Option<FirstLook> {
    if bytes.get(8..12)? != b"WEBP" {
        return Some(FirstLook::Other);
    }
    let side24 = |at| number::<3>(bytes, at).map(|[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]) + 1);
    let (width, height, is_animated) = match bytes.get(12..16)? {
        b"VP8X" => (side24(24)?, side24(27)?, bytes.get(20)? & 2 != 0),
        b"VP8L" => {
            let packed = number(bytes, 21).map(u32::from_le_bytes)?;
            ((packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1, false)
        }
        b"VP8 " => (le16(bytes, 26)? & 0x3fff, le16(bytes, 28)? & 0x3fff, false),
        _ => return Some(FirstLook::Other),
    };
    let (is_odd, is_progressive) = (false, false);
    Some(FirstLook::Known(PictureHead { kind: PictureKind::WebP, width, height, is_animated, is_odd, is_progressive }))
}

/// Most scans of a progressive JPEG: encoders write about ten, and each costs a pass over all of the picture.
const MAX_SCANS: usize = 64;

/// Why a whole response is no whole picture, or more than one. A browser shows the part of a picture that has come; a decoder may
/// fill the rest with grey.
pub(super) fn fault(kind: PictureKind, bytes: &[u8]) -> Option<PassReason> {
    let is_whole = match kind {
        PictureKind::Jpeg => jpeg_ends(bytes),
        PictureKind::Png => bytes.windows(4).rev().any(|four| four == b"IEND"),
        PictureKind::Gif => match gif_pictures(bytes) {
            Some(count) if count > 1 => return Some(PassReason::ANIMATED),
            count => count == Some(1),
        },
        PictureKind::WebP => {
            number(bytes, 4).map(u32::from_le_bytes).is_some_and(|length| bytes.len() as u64 >= u64::from(length) + 8)
        }
    };
    (!is_whole).then_some(PassReason::BROKEN_PICTURE)
}

/// Whether the end of the picture comes after at most so many scans. Segments are skipped, since a small preview in one of them
/// has an end of its own.
fn jpeg_ends(bytes: &[u8]) -> bool {
    let (mut at, mut scans) = (2, 0);
    loop {
        let Some(found) = bytes.get(at..).and_then(|rest| memchr(0xff, rest)) else { return false };
        at += found;
        match bytes.get(at + 1) {
            None => return false,
            Some(0xd9) => return scans > 0,
            Some(0 | 0xff | 1 | 0xd0..=0xd8) => at += 1,
            Some(marker) => {
                scans += usize::from(*marker == 0xda);
                let Some(length) = be16(bytes, at + 2) else { return false };
                at += 2 + length as usize;
            }
        }
        if scans > MAX_SCANS {
            return false;
        }
    }
}

/// The number of pictures in a GIF, where it has its end.
fn gif_pictures(bytes: &[u8]) -> Option<usize> {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    let mut pictures = 0;
    loop {
        match *bytes.get(at)? {
            0x21 => at = sub_blocks(bytes, at + 2)?,
            0x2c => {
                pictures += 1;
                at = sub_blocks(bytes, at + 11 + table(*bytes.get(at + 9)?))?;
            }
            0x3b => return Some(pictures),
            _ => return None,
        }
    }
}
