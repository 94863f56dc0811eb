//! Element names as one small integer, so that filters compare numbers and not strings.

use crate::error::ConfigError;
use html5ever::{QualName, local_name, ns};

macro_rules! tags {
    ($($variant:ident $name:tt),+ $(,)?) => {
        /// The name of an element, as far as any filter tells elements apart.
        ///
        /// HTML elements have a variant each; `Foreign` is any SVG or `MathML` element other than the ones whose
        /// meaning is the same there (`a`, `script`, `style`), and `Other` any name that HTML does not define.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Tag { $($variant,)+ Svg, Math, Foreign, Other }

        impl Tag {
            fn from_html_name(name: &html5ever::LocalName) -> Tag {
                match *name {
                    $(local_name!($name) => Tag::$variant,)+
                    _ => Tag::Other,
                }
            }

            /// The tag of a name written by a person in the configuration (`"img"`).
            pub(crate) fn from_name(name: &str) -> Option<Tag> {
                match name {
                    $($name => Some(Tag::$variant),)+
                    "svg" => Some(Tag::Svg),
                    "math" => Some(Tag::Math),
                    _ => None,
                }
            }
        }
    };
}

tags! {
    A "a", Abbr "abbr", Acronym "acronym", Address "address", Applet "applet", Area "area", Article "article",
    Aside "aside", Audio "audio", B "b", Base "base", Bdi "bdi", Bdo "bdo", Big "big", Blockquote "blockquote",
    Body "body", Br "br", Button "button", Canvas "canvas", Caption "caption", Center "center", Cite "cite",
    Code "code", Col "col", Colgroup "colgroup", Data "data", Datalist "datalist", Dd "dd", Del "del",
    Details "details", Dfn "dfn", Dialog "dialog", Dir "dir", Div "div", Dl "dl", Dt "dt", Em "em", Embed "embed",
    Fieldset "fieldset", Figcaption "figcaption", Figure "figure", Font "font", Footer "footer", Form "form",
    Frame "frame", Frameset "frameset", H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", Head "head",
    Header "header", Hgroup "hgroup", Hr "hr", Html "html", I "i", Iframe "iframe", Img "img", Input "input",
    Ins "ins", Kbd "kbd", Label "label", Legend "legend", Li "li", Link "link", Listing "listing", Main "main",
    Map "map", Mark "mark", Marquee "marquee", Menu "menu", Meta "meta", Meter "meter", Nav "nav",
    Nobr "nobr", Noembed "noembed", Noframes "noframes", Noscript "noscript", Object "object", Ol "ol",
    Optgroup "optgroup", Option "option", Output "output", P "p", Param "param", Picture "picture",
    Plaintext "plaintext", Pre "pre", Progress "progress", Q "q", Rp "rp", Rt "rt", Ruby "ruby", S "s",
    Samp "samp", Script "script", Section "section", Select "select", Slot "slot", Small "small",
    Source "source", Span "span", Strike "strike", Strong "strong", Style "style", Sub "sub", Summary "summary",
    Sup "sup", Table "table", Tbody "tbody", Td "td", Template "template", Textarea "textarea", Tfoot "tfoot",
    Th "th", Thead "thead", Time "time", Title "title", Tr "tr", Track "track", Tt "tt", U "u", Ul "ul",
    Var "var", Video "video", Wbr "wbr", Xmp "xmp",
}

impl Tag {
    /// How many there are.
    pub(crate) const COUNT: usize = Tag::Other as usize + 1;

    pub(super) fn from_qual_name(name: &QualName) -> Tag {
        if name.ns == ns!(html) {
            return Tag::from_html_name(&name.local);
        }
        match name.local {
            local_name!("svg") => Tag::Svg,
            local_name!("math") => Tag::Math,
            local_name!("a") => Tag::A,
            local_name!("script") => Tag::Script,
            local_name!("style") => Tag::Style,
            _ => Tag::Foreign,
        }
    }

    /// Elements without an end tag (HTML Standard § 13.1.2 "void elements", and the obsolete ones its
    /// serializer treats alike).
    pub(crate) fn is_void(self) -> bool {
        matches!(
            self,
            Tag::Area
                | Tag::Base
                | Tag::Br
                | Tag::Col
                | Tag::Embed
                | Tag::Frame
                | Tag::Hr
                | Tag::Img
                | Tag::Input
                | Tag::Link
                | Tag::Meta
                | Tag::Param
                | Tag::Source
                | Tag::Track
                | Tag::Wbr
        )
    }

    /// Elements whose text is written without escaping (HTML Standard § 13.3).
    pub(crate) fn is_raw_text(self) -> bool {
        matches!(
            self,
            Tag::Script | Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes | Tag::Plaintext
        )
    }

    /// Elements whose text a reader never sees as text of the page.
    pub(crate) fn hides_text(self) -> bool {
        matches!(
            self,
            Tag::Head
                | Tag::Script
                | Tag::Style
                | Tag::Template
                | Tag::Title
                | Tag::Noembed
                | Tag::Noframes
                | Tag::Iframe
                | Tag::Textarea
                | Tag::Select
                | Tag::Datalist
                | Tag::Object
                | Tag::Applet
                | Tag::Canvas
                | Tag::Audio
                | Tag::Video
                | Tag::Svg
        )
    }

    /// Elements that start on a line of their own (HTML Standard § 15.3, `display: block`, tables, lists).
    pub(crate) fn is_block(self) -> bool {
        matches!(
            self,
            Tag::Address
                | Tag::Article
                | Tag::Aside
                | Tag::Blockquote
                | Tag::Body
                | Tag::Caption
                | Tag::Center
                | Tag::Dd
                | Tag::Details
                | Tag::Dialog
                | Tag::Dir
                | Tag::Div
                | Tag::Dl
                | Tag::Dt
                | Tag::Fieldset
                | Tag::Figcaption
                | Tag::Figure
                | Tag::Footer
                | Tag::Form
                | Tag::H1
                | Tag::H2
                | Tag::H3
                | Tag::H4
                | Tag::H5
                | Tag::H6
                | Tag::Header
                | Tag::Hgroup
                | Tag::Hr
                | Tag::Html
                | Tag::Legend
                | Tag::Li
                | Tag::Listing
                | Tag::Main
                | Tag::Menu
                | Tag::Nav
                | Tag::Ol
                | Tag::Optgroup
                | Tag::Option
                | Tag::P
                | Tag::Plaintext
                | Tag::Pre
                | Tag::Section
                | Tag::Summary
                | Tag::Table
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr
                | Tag::Ul
                | Tag::Xmp
        )
    }

    /// `h1` to `h6`.
    pub(crate) fn is_heading(self) -> bool {
        matches!(self, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
    }

    /// 1 to 6, of a heading.
    pub(crate) fn heading_level(self) -> Option<u8> {
        Some(match self {
            Tag::H1 => 1,
            Tag::H2 => 2,
            Tag::H3 => 3,
            Tag::H4 => 4,
            Tag::H5 => 5,
            Tag::H6 => 6,
            _ => return None,
        })
    }

    /// Elements that show something without any text.
    pub(crate) fn is_media(self) -> bool {
        matches!(
            self,
            Tag::Img
                | Tag::Picture
                | Tag::Video
                | Tag::Audio
                | Tag::Iframe
                | Tag::Embed
                | Tag::Object
                | Tag::Canvas
                | Tag::Svg
                | Tag::Math
        )
    }

    /// Elements whose white space is shown as written.
    pub(crate) fn preserves_space(self) -> bool {
        matches!(self, Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp | Tag::Textarea)
    }
}
/// An error unless all of the names are HTML elements. `key` is the setting that names them.
pub(crate) fn check_names(key: &str, names: &[String]) -> Result<(), ConfigError> {
    match names.iter().find(|name| Tag::from_name(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            Err(ConfigError::new(key, format!("{name:?} is not an HTML element; expected names such as \"div\"")))
        }
    }
}
