//! Section `shelf`: pages that people keep, as books.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{error::Mistake, file};

/// Section `shelf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Shelf {
    /// Whether pages can be kept: *Keep* in the menu of the bar, where the reader's address may be used. What people keep says what they read.
    pub enabled: bool,
    /// The folder of the books, which this program alone may read; `null` for `shelf` in `authority.dir`.
    #[schemars(with = "Option<String>")]
    pub dir: Option<PathBuf>,
    /// Most megabytes of all books together; of more, the oldest go.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_mb: u32,
    /// Days after which a book goes; 0 for never.
    #[schemars(range(max = 36500))]
    pub keep_days: u32,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { enabled: false, dir: None, max_mb: 500, keep_days: 0 }
    }
}

impl Shelf {
    /// With the folder that is used. `base` is the one that relative paths start at.
    pub(super) fn build(mut self, base: &Path, authority: Option<&Path>) -> Result<Self, Mistake> {
        let own = || authority.map(|dir| dir.join("shelf"));
        self.dir = self.dir.as_deref().map(|dir| file::under(base, dir)).or_else(own);
        if self.max_mb == 0 || self.max_mb > 1_000_000 {
            let problem = format!("{} is out of range; expected 1 to 1000000 megabytes", self.max_mb);
            return Err(Mistake::value("shelf.max_mb", problem));
        }
        if self.keep_days > 36500 {
            let problem = format!("{} is out of range; expected 0 (for ever) to 36500 days", self.keep_days);
            return Err(Mistake::value("shelf.keep_days", problem));
        }
        if self.enabled && self.dir.is_none() {
            return Err(Mistake::value("shelf.dir", "no folder is known; expected the path of one".to_owned()));
        }
        Ok(self)
    }
}
