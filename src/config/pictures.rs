//! Section `pictures`: how pictures are made to fit small screens.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    HostPatterns,
    values::{Bounded, word_type},
};

/// Section `pictures`; a profile may have its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pictures {
    /// Which pictures are made smaller on their way: `off` none, `save-data` those of browsers that ask to save data, `on` all. A
    /// picture that cannot be made at least a tenth smaller comes as it is.
    pub scale: PictureScale,
    /// Widest picture in pixels: the width of the screen times its density; `null`: as wide as they are. With it a rewritten
    /// page offers one of the sizes that its site has. No picture is enlarged.
    #[serde(deserialize_with = "Bounded::<16, 16_384>::or_null")]
    #[schemars(range(min = 16, max = 16_384))]
    pub max_width: Option<usize>,
    /// Quality of JPEG, 1 to 100: lower is smaller, and shows blocks.
    #[serde(with = "Bounded::<1, 100>")]
    pub quality: u8,
    /// The kinds of pictures that are sent: `auto` JPEG and PNG, `old` JPEG and GIF, for browsers of the nineties.
    pub formats: PictureFormats,
    /// Shades of grey in place of colours, for electronic paper: 16 for most; `null`: colours.
    #[serde(deserialize_with = "Bounded::<2, 256>::or_null")]
    #[schemars(range(min = 2, max = 256))]
    pub greys: Option<usize>,
    /// Whether a picture of so many `greys` shows the shades between them by dots, where it is at least a tenth smaller so: photographs
    /// too then come as PNG, which is about four times as large as JPEG.
    pub dither: bool,
    /// Animations: `keep` leaves them as they are, `first` shows their first picture.
    pub animations: Animations,
    /// Smallest picture in bytes that is made smaller; less is hardly worth the time.
    #[serde(with = "Bounded::<0, 0x4000_0000>")]
    pub min_bytes: usize,
    /// Hosts whose pictures stay as they are, with everything under them.
    pub except: HostPatterns,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            scale: PictureScale::Off,
            max_width: None,
            quality: 60,
            formats: PictureFormats::Auto,
            greys: None,
            dither: false,
            animations: Animations::Keep,
            min_bytes: MIN_BYTES,
            except: HostPatterns::default(),
        }
    }
}

/// A packet train that TCP sends at once (RFC 6928: ten segments, some 14 KB): less would hardly arrive sooner. Raising it saves
/// processor time and fewer bytes.
const MIN_BYTES: usize = 14 * 1024;

/// Which pictures are made smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PictureScale {
    /// No picture.
    #[default]
    Off,
    /// The pictures of requests with `Save-Data: on`.
    SaveData,
    /// All pictures.
    On,
}

word_type!(PictureScale, "`off`, `save-data` or `on`");

impl FromStr for PictureScale {
    type Err = String;

    /// `on` and `off` are booleans in YAML 1.1.
    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "off" | "false" => Ok(Self::Off),
            "save-data" => Ok(Self::SaveData),
            "on" | "true" => Ok(Self::On),
            _ => Err(format!("{word:?} does not say which pictures are made smaller")),
        }
    }
}

/// The kinds of pictures that are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormats {
    /// JPEG, and PNG for what is transparent or drawn.
    #[default]
    Auto,
    /// JPEG, and GIF for what is transparent.
    Old,
}

/// What becomes of animations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Animations {
    /// Animations stay as they are.
    #[default]
    Keep,
    /// The first picture alone.
    First,
}
