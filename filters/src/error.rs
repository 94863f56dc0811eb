//! Why a chain cannot be built, and why a page is not filtered.

/// A chain that cannot be built from its configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct ConfigError {
    /// The setting, as a path inside the chain's configuration: `link_lists.ratio`.
    pub key: String,
    /// The mistake, and the value that would be right.
    pub problem: String,
}

impl ConfigError {
    pub(crate) fn new(key: &str, problem: impl Into<String>) -> ConfigError {
        ConfigError { key: key.to_owned(), problem: problem.into() }
    }

    pub(crate) fn out_of_range(key: &str, value: impl std::fmt::Display, expected: &str) -> ConfigError {
        ConfigError::new(key, format!("{value} is out of range; expected {expected}"))
    }

    /// An error unless the value is a share: 0 to 1.
    pub(crate) fn unless_share(key: &str, value: f64) -> Result<(), ConfigError> {
        if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(ConfigError::out_of_range(key, value, "0 to 1")) }
    }
}

/// Why a page was not filtered: the caller sends the original bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// Elements are nested deeper than the limit.
    #[error("elements are nested more than {limit} deep")]
    TooDeep {
        /// The limit that was passed.
        limit: usize,
    },
    /// The page has more nodes than the limit.
    #[error("the page has more than {limit} nodes")]
    TooManyNodes {
        /// The limit that was passed.
        limit: usize,
    },
    /// An element, or the page, has more attributes than the limit.
    #[error("more than {limit} attributes")]
    TooManyAttributes {
        /// The limit that was passed.
        limit: usize,
    },
    /// The values of the page's attributes are longer than the limit, together.
    #[error("attribute values of more than {limit} bytes")]
    AttributesTooLong {
        /// The limit that was passed.
        limit: usize,
    },
    /// The page's `<base>` is longer than any address, and would be repeated in each of its links.
    #[error("the base address has more than {limit} bytes")]
    BaseTooLong {
        /// The limit that was passed.
        limit: usize,
    },
    /// The page took more CPU time than the limit.
    #[error("the page took more than {limit_ms} ms of CPU time")]
    OutOfTime {
        /// The limit that was passed, in milliseconds.
        limit_ms: u128,
    },
    /// The page's scripts are kept, and its markup is one that browsers may read in another way: a list of choices that holds other
    /// elements, a form in a formula or a drawing.
    #[error(
        "a <select> holds other elements than choices, or a formula or drawing a form: browsers may read it in another way"
    )]
    Ambiguous,
    /// Nobody waits for the page any longer.
    #[error("nobody waits for the page any longer")]
    Cancelled,
    /// The page is made of frames, which hold nothing themselves.
    #[error("the page is a frameset, which has no text of its own; that is in the pages of its frames")]
    Frameset,
    /// The page sends its reader to another one.
    #[error("the page leads on to another one")]
    Redirect,
    /// The page has almost no text of its own: its scripts would draw it, and they would be gone.
    #[error("the page has only {chars} characters of text of its own")]
    LittleText {
        /// Characters of visible text, white space not counted.
        chars: usize,
    },
    /// The filters left so little that the choice must be wrong.
    #[error("only {chars} of {of} characters of text were kept")]
    KeptTooLittle {
        /// Characters of visible text after the chain, white space not counted.
        chars: usize,
        /// Characters of visible text before the chain, white space not counted.
        of: usize,
    },
    /// Nothing was chosen of the page that could stand behind the page before it.
    #[error("nothing was chosen of the page that could stand behind the page before it")]
    NoPart,
    /// The parser or a filter panicked; the page is lost, the process is not.
    #[error("{place} panicked")]
    Panicked {
        /// `parser`, or the name of the filter.
        place: &'static str,
    },
}

impl PageError {
    /// A short, stable token for headers and counters, such as `too-deep`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            PageError::TooDeep { .. } => "too-deep",
            PageError::TooManyNodes { .. } => "too-many-nodes",
            PageError::TooManyAttributes { .. } => "too-many-attributes",
            PageError::AttributesTooLong { .. } => "attributes-too-long",
            PageError::BaseTooLong { .. } => "base-too-long",
            PageError::OutOfTime { .. } => "out-of-time",
            PageError::Ambiguous => "ambiguous",
            PageError::Cancelled => "cancelled",
            PageError::Frameset => "frameset",
            PageError::Redirect => "redirect",
            PageError::LittleText { .. } => "little-text",
            PageError::KeptTooLittle { .. } => "kept-too-little",
            PageError::NoPart => "no-part",
            PageError::Panicked { .. } => "panic",
        }
    }
}
