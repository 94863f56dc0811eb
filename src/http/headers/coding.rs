//! Names of content codings.

/// A coding that can be decoded and applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// Reads a coding's name (RFC 9110 § 8.4.1; `x-gzip` is equal to `gzip`).
    pub(crate) fn parse(name: &str) -> Option<Self> {
        const NAMES: [(&str, Coding); 5] = [
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("deflate", Coding::Deflate),
            ("br", Coding::Brotli),
            ("zstd", Coding::Zstd),
        ];
        NAMES.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, coding)| coding)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}
