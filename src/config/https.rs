//! Sections `https`, `authority` and `upstream`: what happens on encrypted connections.

use std::{env, path::PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    HostPatterns, hosts,
    values::{on_off, on_off::OnOff, path_or_null},
};

/// Section `https`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Https {
    /// Whether encrypted connections are opened, so that their pages can be rewritten: `on` or `off`.
    /// Off by default, because until the authority's certificate is installed in the browser, every
    /// opened connection is an error page there.
    #[serde(with = "on_off")]
    #[schemars(with = "OnOff")]
    pub intercept: bool,
    /// Hosts never opened, with everything under them: banks, for instance, and apps that pin their
    /// certificates.
    pub except: HostPatterns,
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
}

/// The folder of the authority where none is set.
pub(super) fn default_authority_dir() -> Option<PathBuf> {
    // systemd may name several folders, separated by colons; the first is ours.
    if let Some(dirs) = env::var_os("STATE_DIRECTORY").filter(|dirs| !dirs.is_empty()) {
        return env::split_paths(&dirs).next();
    }
    choose_base_strategy().ok().map(|base| base.data_dir().join("gleaner"))
}
