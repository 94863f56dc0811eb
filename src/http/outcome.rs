//! The outcome of a request, from where it is decided to the log, the field `Gleaner` and the panel.

use std::fmt;

use gleaner_filters::{PageError, Report};

/// The outcome of a request; its text is the value of the field `Gleaner`, or what went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Passed on, and nothing was to be said of it: what is no page, or a tunnel.
    #[default]
    Unchanged,
    Rewritten(Rewritten),
    /// The response to a HEAD whose GET would be rewritten, or a picture that may be made smaller.
    Eligible,
    Passed(PassReason),
    /// A page that passed with a style sheet of so many rules, which hide what the lists hide on it.
    Styled {
        reason: PassReason,
        rules: usize,
    },
    /// A picture that was made smaller.
    Scaled(Scaled),
    /// A picture that could have been.
    PicturePassed(PassReason),
    /// By this rule.
    Blocked(String),
    /// Parameters of the address were removed by a rule. What came of the request then, unless its client was redirected.
    Shortened {
        rule: String,
        then: Option<Box<Self>>,
    },
    Upgraded,
    /// Why the client refused our certificate.
    CertificateRefused(String),
    Failed(String),
    /// The client disconnected before the response.
    ClientLeft,
    ProgramEnded,
}

/// A page that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rewritten {
    /// The share of the text that was kept, for a person.
    pub(crate) kept: String,
    /// The effect of each filter.
    report: String,
    /// How many pages of an article were joined.
    pages: u32,
}

/// A picture that was made smaller: its bytes as they came, and as they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) before: usize,
    pub(crate) after: usize,
}

impl Rewritten {
    pub(crate) fn new(report: &Report, pages: u32) -> Self {
        Self { kept: report.kept(), report: report.to_string(), pages }
    }
}

impl Outcome {
    /// Why the page was not rewritten.
    pub(crate) fn pass_reason(&self) -> Option<PassReason> {
        match self {
            Self::Passed(reason) | Self::Styled { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Bytes of the texts in it.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Rewritten(page) => page.kept.len() + page.report.len(),
            Self::Blocked(text) | Self::CertificateRefused(text) | Self::Failed(text) => text.len(),
            Self::Shortened { rule, then } => {
                rule.len() + then.as_ref().map_or(0, |then| size_of::<Self>() + then.text_bytes())
            }
            _ => 0,
        }
    }

    /// The page that was rewritten.
    pub(crate) fn rewritten(&self) -> Option<&Rewritten> {
        match self {
            Self::Rewritten(page) => Some(page),
            Self::Shortened { then: Some(then), .. } => then.rewritten(),
            _ => None,
        }
    }

    /// Adds what came of a request; its parameters may have been removed before.
    pub(crate) fn follow_up(&mut self, outcome: Self) {
        match self {
            Self::Shortened { then: Some(then), .. } => **then = outcome,
            other => *other = outcome,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged => Ok(()),
            Self::Rewritten(page) => {
                write!(f, "rewritten; {}", page.report)?;
                if page.pages > 1 { write!(f, "; pages={}", page.pages) } else { Ok(()) }
            }
            Self::Eligible => f.write_str("eligible"),
            Self::Scaled(Scaled { before, after }) => write!(f, "scaled; before={before}; after={after}"),
            Self::Passed(reason) | Self::PicturePassed(reason) => write!(f, "passed; reason={reason}"),
            Self::Styled { reason, rules } => write!(f, "passed; reason={reason}; hiding={rules}"),
            Self::Blocked(rule) => write!(f, "blocked by {rule}"),
            Self::Shortened { rule, then: None } => write!(f, "parameters removed by {rule}"),
            Self::Shortened { rule, then: Some(then) } => write!(f, "parameters removed by {rule}; {then}"),
            Self::Upgraded => f.write_str("upgraded"),
            Self::CertificateRefused(reason) => write!(f, "client refused the certificate: {reason}"),
            Self::Failed(problem) => write!(f, "error: {problem}"),
            Self::ClientLeft => f.write_str("the client left"),
            Self::ProgramEnded => f.write_str("the program ended"),
        }
    }
}

/// Why a response passes unchanged: the stable token of the `Gleaner` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PassReason(&'static str);

impl PassReason {
    pub(crate) const NOT_HTML: Self = Self("not-html");
    pub(crate) const SWITCHED_OFF: Self = Self("switched-off");
    pub(crate) const ASKED_FOR: Self = Self("asked-for");
    pub(crate) const HOST: Self = Self("host-excepted");
    pub(crate) const METHOD: Self = Self("method");
    pub(crate) const STATUS: Self = Self("status");
    pub(crate) const PART: Self = Self("part");
    pub(crate) const ATTACHMENT: Self = Self("attachment");
    pub(crate) const NO_TRANSFORM: Self = Self("no-transform");
    pub(crate) const DESTINATION: Self = Self("not-a-document");
    pub(crate) const BY_SCRIPT: Self = Self("fetched-by-script");
    pub(crate) const ACCEPT: Self = Self("accept");
    pub(crate) const OTHER_FORMAT: Self = Self("other-format");
    pub(crate) const FRAGMENT: Self = Self("fragment");
    pub(crate) const EMPTY: Self = Self("empty");
    pub(crate) const TOO_LARGE: Self = Self("too-large");
    pub(crate) const CODING: Self = Self("unknown-coding");
    pub(crate) const BROKEN_CODING: Self = Self("broken-coding");
    pub(crate) const CHARSET: Self = Self("charset");
    pub(crate) const BUSY: Self = Self("busy");
    pub(crate) const SLOW: Self = Self("slow");
    /// See `service::adaptation`.
    pub(crate) const STOPPED: Self = Self("client-stopped-sending");
    pub(crate) const BROKEN_OFF: Self = Self("broken-off");
    pub(crate) const CANCELLED: Self = Self("cancelled");
    pub(crate) const KEPT_TOO_LITTLE: Self = Self("kept-too-little");
    pub(crate) const PANICKED: Self = Self("panic");
    pub(crate) const SMALL: Self = Self("small");
    pub(crate) const LATE: Self = Self("late");
    pub(crate) const PIXELS: Self = Self("too-many-pixels");
    pub(crate) const ANIMATED: Self = Self("animated");
    pub(crate) const ODD: Self = Self("odd-picture");
    pub(crate) const BROKEN_PICTURE: Self = Self("broken-picture");
    pub(crate) const NOT_SMALLER: Self = Self("not-smaller");
    pub(crate) const OTHER_PICTURE: Self = Self("other-kind");

    /// Whether the same content would pass again.
    pub(crate) fn is_lasting(self) -> bool {
        let may_end = [
            Self::NO_TRANSFORM,
            Self::BROKEN_CODING,
            Self::BUSY,
            Self::SLOW,
            Self::STOPPED,
            Self::BROKEN_OFF,
            Self::CANCELLED,
            Self::PANICKED,
        ];
        !may_end.contains(&self) && self.0 != "out-of-time"
    }

    /// Whether it passes, although it was read to its end and is well formed, because there is no text to choose from or no safe choice.
    pub(crate) fn is_about_text(self) -> bool {
        [Self::KEPT_TOO_LITTLE, Self("little-text"), Self("ambiguous")].contains(&self)
    }

    /// The reason for a person; tokens that say it themselves stay.
    pub(crate) fn in_words(self) -> &'static str {
        let words = [
            (Self::ACCEPT, "a program asked, not a reader"),
            (Self::ASKED_FOR, "the reader asked for the original"),
            (Self::BY_SCRIPT, "a script of a page asked"),
            (Self::FRAGMENT, "a part of a page, for a script"),
            (Self::HOST, "the settings except the site"),
            (Self::KEPT_TOO_LITTLE, "too little of it would have been left"),
            (Self("little-text"), "its scripts draw it"),
            (Self::METHOD, "a form was sent"),
            (Self::DESTINATION, "loaded into a page, not opened"),
            (Self::OTHER_FORMAT, "a feed, a script or data"),
            (Self::SMALL, "too few bytes to be worth it"),
            (Self::LATE, "other pictures were before it, or this machine is slow"),
            (Self::PIXELS, "more pixels than the limits allow"),
            (Self::ANIMATED, "it moves"),
            (Self::ODD, "a kind of colours that is left as it is"),
            (Self::BROKEN_PICTURE, "it is not whole, or not in order"),
            (Self::NOT_SMALLER, "it would hardly have become smaller"),
            (Self::OTHER_PICTURE, "a kind of picture that is left as it is"),
            (Self::STATUS, "an error page, or no page at all"),
            (Self::SWITCHED_OFF, "the settings leave it alone"),
        ];
        words.into_iter().find(|(reason, _)| *reason == self).map_or(self.0, |(_, words)| words)
    }

    /// Whether another client's request for the same URL would have been rewritten.
    pub(crate) fn depends_on_request(self) -> bool {
        [Self::DESTINATION, Self::BY_SCRIPT, Self::ACCEPT].contains(&self)
    }
}

impl From<PageError> for PassReason {
    fn from(error: PageError) -> Self {
        Self(error.reason())
    }
}

impl fmt::Display for PassReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
