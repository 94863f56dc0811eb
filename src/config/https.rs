//! Sections `https`, `authority` and `upstream`: what happens on encrypted connections.

use std::{borrow::Cow, env, fmt, path::PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

use super::{
    HostPatterns,
    parse::{BadValue, optional_path},
};

/// Section `https`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawHttps {
    /// Whether encrypted connections are opened, so that their pages can be rewritten: `on` or `off`.
    /// Off by default, because until the authority's certificate is installed in the browser, every
    /// opened connection is an error page there.
    pub intercept: Intercept,
    /// Hosts never opened, with everything under them: banks, for instance, and apps that pin their
    /// certificates.
    pub except: Vec<String>,
}

impl RawHttps {
    pub(super) fn parse(self) -> Result<Https, BadValue> {
        let except = HostPatterns::parse("https.except", &self.except)?;
        Ok(Https {
            intercept: self.intercept == Intercept::On,
            except,
        })
    }
}

/// What happens to encrypted connections.
#[derive(Clone, Debug, Default)]
pub struct Https {
    /// Whether they are opened at all.
    pub intercept: bool,
    /// Hosts that never are.
    pub except: HostPatterns,
}

/// Whether encrypted connections are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intercept {
    /// They pass as they are.
    #[default]
    Off,
    /// They are opened with a certificate of the local authority.
    On,
}

impl Serialize for Intercept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Off => "off",
            Self::On => "on",
        })
    }
}

impl<'de> Deserialize<'de> for Intercept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UpgradeRequest;

        impl Visitor<'_> for UpgradeRequest {
            type Value = Intercept;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`on`, `off`, `true` or `false`")
            }

            fn visit_bool<E>(self, on: bool) -> Result<Intercept, E> {
                Ok(if on { Intercept::On } else { Intercept::Off })
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Intercept, E> {
                match word {
                    "on" => Ok(Intercept::On),
                    "off" => Ok(Intercept::Off),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }
        }

        // `on` is a word in YAML 1.2 and a boolean in YAML 1.1: people write both.
        deserializer.deserialize_any(UpgradeRequest)
    }
}

impl JsonSchema for Intercept {
    fn schema_name() -> Cow<'static, str> {
        "Intercept".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["off", "on", true, false] })
    }
}

/// Section `authority`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawAuthority {
    /// Folder of the authority's key and certificate, made on first use. `null` means
    /// `$STATE_DIRECTORY` under systemd, else `gleaner` in the user's data folder.
    #[serde(deserialize_with = "optional_path")]
    pub dir: Option<PathBuf>,
}

/// Section `upstream`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawUpstream {
    /// PEM file of certificates to trust beside the platform's, for a private authority.
    #[serde(deserialize_with = "optional_path")]
    pub extra_ca_file: Option<PathBuf>,
    /// Hosts whose certificates are not verified, exactly these and not what is under them. Anyone
    /// between Gleaner and such a host can read and change everything; a warning at every start says so.
    pub insecure_hosts: Vec<String>,
}

impl RawUpstream {
    pub(super) fn parse_insecure(&self) -> Result<HostPatterns, BadValue> {
        HostPatterns::parse_exact("upstream.insecure_hosts", &self.insecure_hosts)
    }
}

/// Where the authority lives when nothing is said.
pub(super) fn default_authority_dir() -> Option<PathBuf> {
    // systemd may name several folders, separated by colons; the first is ours.
    if let Some(dirs) = env::var_os("STATE_DIRECTORY").filter(|dirs| !dirs.is_empty()) {
        return env::split_paths(&dirs).next();
    }
    choose_base_strategy()
        .ok()
        .map(|base| base.data_dir().join("gleaner"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intercept(yaml: &str) -> Result<Intercept, serde_yaml::Error> {
        serde_yaml::from_str::<RawHttps>(&format!("intercept: {yaml}")).map(|raw| raw.intercept)
    }

    #[test]
    fn interception_takes_words_and_booleans() {
        for yaml in ["on", "true", "'on'"] {
            assert_eq!(intercept(yaml).unwrap(), Intercept::On, "{yaml}");
        }
        for yaml in ["off", "false"] {
            assert_eq!(intercept(yaml).unwrap(), Intercept::Off, "{yaml}");
        }
    }

    #[test]
    fn another_word_is_refused_with_what_is_expected() {
        let error = intercept("maybe").unwrap_err().to_string();
        assert!(
            error.contains("expected `on`, `off`, `true` or `false`"),
            "{error}"
        );
    }
}
