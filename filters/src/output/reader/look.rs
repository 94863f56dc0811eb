//! How the reader page looks: size and kind of its type, its colours, and whether it scrolls.

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;

/// Settings of the reader page's look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ReaderLook {
    /// Size of the type in percent of the browser's, 50 to 300.
    pub type_size: u16,
    /// Kind of type.
    pub typeface: Typeface,
    /// Colours.
    pub theme: Theme,
    /// Turn the page by a screenful to the side instead of scrolling: for electronic paper, which shows a moving text badly.
    pub screenfuls: bool,
}

/// Kind of type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Typeface {
    /// With serifs, as in books.
    #[default]
    Serif,
    /// Without.
    Sans,
}

/// Colours of the reader page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Light or dark, as the browser asks for (`prefers-color-scheme`).
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// Black on white, no grey, no colour, nothing that moves: for electronic paper.
    Ink,
}

impl Default for ReaderLook {
    fn default() -> ReaderLook {
        ReaderLook { type_size: 100, typeface: Typeface::default(), theme: Theme::default(), screenfuls: false }
    }
}

const BASE: &str = include_str!("../reader.css");
const DARK: &str = include_str!("dark.css");
const INK: &str = include_str!("ink.css");
/// Where the browser makes the buttons: without them a mouse could not turn. From right to left Chromium 156 snaps to the last column
/// at once.
const SCREENFULS: &str = include_str!("screenfuls.css");

impl ReaderLook {
    /// The sizes of type that may be asked for, in percent.
    pub const TYPE_SIZES: std::ops::RangeInclusive<u16> = 50..=300;

    pub(crate) fn check(self) -> Result<(), ConfigError> {
        if ReaderLook::TYPE_SIZES.contains(&self.type_size) {
            return Ok(());
        }
        let problem = format!("{} is no size of type; expected 50 to 300, in percent of the browser's", self.type_size);
        Err(ConfigError::new("output.look.type_size", problem))
    }

    /// The value of `<meta name="color-scheme">`.
    pub(super) fn color_scheme(self) -> &'static str {
        match self.theme {
            Theme::Auto => "light dark",
            Theme::Light | Theme::Ink => "light",
            Theme::Dark => "dark",
        }
    }

    /// Writes the part of a style sheet that is for dark pages, where and when they are dark.
    pub(in crate::output) fn write_dark(self, style: &str, out: &mut String) {
        match self.theme {
            Theme::Auto => out.extend(["@media (prefers-color-scheme:dark){", style.trim(), "}"]),
            Theme::Dark => out.push_str(style.trim()),
            Theme::Light | Theme::Ink => {}
        }
    }

    /// Writes the style sheet.
    pub(super) fn write_style(self, out: &mut String) {
        out.push_str(BASE.trim());
        self.write_dark(DARK, out);
        if self.theme == Theme::Ink {
            out.push_str(INK.trim());
        }
        out.extend([":root{color-scheme:", self.color_scheme(), "}"]);
        if self.type_size != 100 {
            out.extend(["html{font-size:", &self.type_size.to_string(), "%}"]);
        }
        if self.typeface == Typeface::Sans {
            out.push_str(":root{--type:system-ui,sans-serif}");
        }
        if self.screenfuls {
            out.push_str(SCREENFULS.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(look: ReaderLook) -> String {
        let mut out = String::new();
        look.write_style(&mut out);
        out
    }

    #[test]
    fn the_theme_decides_which_colours_there_are() {
        let dark = |theme| {
            let style = style(ReaderLook { theme, ..ReaderLook::default() });
            (style.contains("prefers-color-scheme:dark"), style.contains("--paper:#161616"))
        };
        assert_eq!(dark(Theme::Auto), (true, true));
        assert_eq!(dark(Theme::Light), (false, false));
        assert_eq!(dark(Theme::Dark), (false, true));
        assert_eq!(dark(Theme::Ink), (false, false));
        assert!(style(ReaderLook { theme: Theme::Ink, ..ReaderLook::default() }).contains("--quiet:#000"));
    }

    #[test]
    fn a_size_of_type_has_bounds() {
        assert!(style(ReaderLook { type_size: 150, ..ReaderLook::default() }).contains("html{font-size:150%}"));
        for (type_size, is_right) in [(49, false), (50, true), (300, true), (301, false)] {
            assert_eq!(ReaderLook { type_size, ..ReaderLook::default() }.check().is_ok(), is_right, "{type_size}");
        }
    }
}
