//! Section `update`: whether the program looks for a newer version.

use base64::{Engine, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::error::Mistake;

/// The address and the key of whoever publishes this program, which a build for publication has.
const PUBLISHED_AT: Option<&str> = option_env!("GLEANER_UPDATE_URL");
const PUBLISHER_KEY: Option<&str> = option_env!("GLEANER_UPDATE_KEY");

/// Section `update`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateNotice {
    /// Whether the program looks once a week for a newer version; the log and the panel say so, and nothing is installed.
    pub check: bool,
    /// Address of the file that names the newest version; its signature has the same address with `.minisig` behind it. `null`
    /// means that of the publisher of this program.
    pub url: Option<String>,
    /// The publisher's public key, as `minisign` prints it. `null` means the built-in one.
    pub key: Option<String>,
}

/// Where the newest version is named, and who signs it.
pub(crate) struct Publisher {
    pub(crate) address: Url,
    /// A public key of Ed25519 (RFC 8032).
    pub(crate) key: Vec<u8>,
}

impl UpdateNotice {
    /// The publisher; `None` where the program does not look for a newer version.
    pub(crate) fn publisher(&self) -> Option<Publisher> {
        let address = self.url.as_deref().or(PUBLISHED_AT)?.parse().ok();
        let key = public_key(self.key.as_deref().or(PUBLISHER_KEY)?);
        address.zip(key).filter(|_| self.check).map(|(address, key)| Publisher { address, key })
    }

    pub(super) fn check(&self) -> Result<(), Mistake> {
        let is_fetched = |url: &String| Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if let Some(url) = self.url.as_ref().filter(|url| !is_fetched(url)) {
            let problem =
                format!("`{url}` is no address of the web; expected one that begins with https:// or http://");
            return Err(Mistake::value("update.url", problem));
        }
        if let Some(key) = self.key.as_ref().filter(|key| public_key(key).is_none()) {
            let problem = format!(
                "`{key}` is no public key of minisign; expected the 56 characters of the second line of its file"
            );
            return Err(Mistake::value("update.key", problem));
        }
        if !self.check || self.publisher().is_some() {
            return Ok(());
        }
        let problem = "this program does not know who publishes it; expected the address of the file as `url` and the public key \
                       of minisign as `key` beside it";
        Err(Mistake::value("update.check", problem.to_owned()))
    }
}

/// The key in minisign's form: base64 of `Ed`, eight bytes that name the key, and the key.
fn public_key(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text.trim()).ok()?;
    (bytes.len() == 42).then(|| bytes.strip_prefix(b"Ed").map(|rest| rest[8..].to_vec()))?
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn an_address_or_a_key_that_cannot_be_is_named() {
        for (yaml, field, expected) in [
            ("{ url: 'ftp://a.example/latest.json' }", "update.url", "begins with https://"),
            ("{ url: latest.json }", "update.url", "begins with https://"),
            ("{ key: RWQ }", "update.key", "56 characters"),
            ("{ check: true }", "update.check", "as `url`"),
        ] {
            let error = Config::from_yaml(&format!("update: {yaml}"), None).unwrap_err().to_string();
            assert!(error.contains(field) && error.contains(expected), "{error}");
        }
    }
}
