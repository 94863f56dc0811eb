//! Sections `https`, `authority` and `upstream`: what happens on encrypted connections.

use std::{env, path::PathBuf, str::FromStr};

use etcetera::{BaseStrategy, choose_base_strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    HostPatterns, RawViaRule, hosts,
    values::{path_or_null, word_type},
};

/// Section `https`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Https {
    /// Whose encrypted connections are decrypted, so that their pages can be rewritten: those of browsers that have shown on
    /// the start page that they trust the authority's certificate (`auto`), everybody's (`on`), or nobody's (`off`).
    pub intercept: Intercept,
    /// Hosts never decrypted, with everything under them: banks, for instance.
    pub except: HostPatterns,
    /// Whether a host is tunnelled for a client that has refused our certificate for it twice, as apps do that pin theirs.
    pub tunnel_pinned_apps: bool,
}

impl Default for Https {
    fn default() -> Self {
        Self { intercept: Intercept::default(), except: HostPatterns::default(), tunnel_pinned_apps: true }
    }
}

/// Whose encrypted connections are decrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Intercept {
    /// Connections of clients that have shown that they trust the authority.
    #[default]
    Auto,
    /// Connections of all clients.
    On,
    /// No connections.
    Off,
}

word_type!(Intercept, "`auto`, `on` or `off`");

impl FromStr for Intercept {
    type Err = String;

    /// `on` and `off` are booleans in YAML 1.1, and the key was one once.
    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "auto" => Ok(Self::Auto),
            "on" | "true" => Ok(Self::On),
            "off" | "false" => Ok(Self::Off),
            _ => Err(format!("{word:?} is no way to treat encrypted connections")),
        }
    }
}

/// Section `authority`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawAuthority {
    /// Folder of the authority's key and certificate, made on first use. `null` means
    /// `$STATE_DIRECTORY` under systemd, else `gleaner` in the user's data folder.
    #[serde(deserialize_with = "path_or_null")]
    pub dir: Option<PathBuf>,
}

/// Section `upstream`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawUpstream {
    /// PEM file of certificates to trust beside the platform's, for a private authority.
    #[serde(deserialize_with = "path_or_null")]
    pub extra_ca_file: Option<PathBuf>,
    /// Hosts whose certificates are not verified, exactly these and not what is under them. Anyone
    /// between Gleaner and such a host can read and change everything; a warning at every start says so.
    #[serde(deserialize_with = "hosts::exact")]
    pub insecure_hosts: HostPatterns,
    /// Ways through other proxies: the first rule that fits decides. Where none fits, the way is direct.
    pub via: Vec<RawViaRule>,
    /// Whether the proxies that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name are used where no rule of `via` fits.
    pub environment: bool,
}

/// The folder of the authority where none is set.
pub(super) fn default_authority_dir() -> Option<PathBuf> {
    // systemd may name several folders, separated by colons; the first is ours.
    if let Some(dirs) = env::var_os("STATE_DIRECTORY").filter(|dirs| !dirs.is_empty()) {
        return env::split_paths(&dirs).next();
    }
    choose_base_strategy().ok().map(|base| base.data_dir().join("gleaner"))
}
