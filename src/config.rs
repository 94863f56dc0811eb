//! The configuration, in two types: [`RawConfig`] is the YAML file with each value parsed; [`Config`] is what the program
//! uses, with the contents of every file that the settings name.
//!
//! `load` finds and reads the file, `document` finds the place of a key in its text, `yaml_errors` and `error` make the
//! messages, `build` makes `Config` from `RawConfig`. Every default is beside its field, in its section's file.

mod access;
mod blocking;
mod build;
mod document;
pub(crate) mod edit;
mod error;
mod file;
mod headers;
mod health;
mod hint;
mod hosts;
mod https;
mod icap;
mod ineffective;
mod leave_alone;
mod limits;
mod list_source;
mod listen;
mod load;
mod log;
mod panel;
mod pictures;
mod profiles;
mod read;
mod rewrite;
mod safe_search;
mod schedule;
mod schema;
mod services;
mod shelf;
mod timeouts;
mod update;
mod users;
pub(crate) mod values;
mod via;
mod yaml_errors;

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use gleaner_filters::ChainConfig;
use rustls::pki_types::CertificateDer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    access::{Access, AddrPattern, ClientRange, PrivateTargets},
    blocking::{Blocking, RawBlocking},
    build::check_addresses,
    edit::starter,
    error::ConfigError,
    headers::Headers,
    health::Health,
    hosts::HostPatterns,
    https::{Https, Intercept, RawAuthority, RawUpstream},
    icap::Icap,
    leave_alone::LeaveAlone,
    limits::Limits,
    list_source::ListSource,
    listen::{Address, LISTEN, Listener, listen_address},
    load::{Lookup, ParsedConfig, filters_with},
    log::{Log, LogFormat, LogLevel},
    panel::Panel,
    pictures::{Animations, PictureFormats, PictureScale, Pictures},
    profiles::{Choice, ClientInfo, DeviceRule, Profile, ProfileRule, Profiles, RawProfile, SecurePages, SiteRule},
    read::{Agents, ReaderAddress},
    rewrite::Rewrite,
    safe_search::SafeSearch,
    schedule::Hours,
    schema::schema,
    services::{BlockedServices, ServiceBlock, ServiceEntry},
    shelf::Shelf,
    timeouts::Timeouts,
    update::UpdateNotice,
    users::{Hash as PasswordHash, Users},
    via::{ParentProxy, RawViaRule, Via},
};

use self::listen::Listen;
pub(crate) use self::{
    error::{Kind as ConfigErrorKind, in_plain_words},
    file::{MAX_CONFIG, read_regular as read_file},
    list_source::{KNOWN, KnownList},
    services::{ALWAYS, SERVICES, Service},
    update::Publisher,
    via::{ParentKind, ViaRule, WantedConnection, Way},
};

/// The built-in list of hosts that are neither decrypted nor rewritten.
const BUILTIN_HOSTS: &str = include_str!("../untouched-hosts.txt");

/// The name of the list above in `leave_alone.lists`.
const BUILTIN: &str = "builtin";

/// The configuration file as written. Every key may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "Gleaner configuration")]
pub struct RawConfig {
    /// Address and port to listen on, or a list of them. Loopback unless the whole network is meant
    /// to use the proxy; then set `access.clients` too.
    #[serde(with = "Listen")]
    pub listen: Vec<Listener>,
    /// Figures and readiness for balancers and monitoring, at an address of their own.
    pub health: Health,
    /// The filters as a service for another proxy, such as Squid.
    pub icap: Icap,
    /// Interception of encrypted connections.
    pub https: Https,
    /// Hosts that are neither decrypted nor rewritten.
    pub leave_alone: LeaveAlone,
    /// The local certificate authority.
    pub authority: RawAuthority,
    /// Connections to web servers.
    pub upstream: RawUpstream,
    /// Who may use the proxy, and what may be reached through it.
    pub access: Access,
    /// Which pages are rewritten.
    pub rewrite: Rewrite,
    /// The reader's address, for devices without a proxy setting.
    pub read: ReaderAddress,
    /// Pages that people keep, as books.
    pub shelf: Shelf,
    /// Programs that read pages for a language model.
    pub agents: Agents,
    /// Pictures that fit small screens.
    pub pictures: Pictures,
    /// Fields that this proxy adds to requests.
    pub headers: Headers,
    /// Bounds on pages, connections and the time to end.
    pub limits: Limits,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// The log's contents and format.
    pub log: Log,
    /// Who may open the panel at the control host.
    pub panel: Panel,
    /// Whether the program looks for a newer version.
    pub update: UpdateNotice,
    /// The filter settings that the keys under `filters` are laid over.
    pub preset: Preset,
    /// The filter chain: order, switches and parameters.
    pub filters: ChainConfig,
    /// Lists of advertisements and trackers.
    pub blocking: RawBlocking,
    /// Named sets of settings. `desktop`, `phone`, `e-ink`, `vintage`, `text` and `off` are shipped; what is written under these names
    /// is laid over them.
    pub profiles: BTreeMap<String, RawProfile>,
    /// Which profile a device gets: the first rule that matches. After these rules come shipped ones, for browsers of
    /// phones, of e-readers, of terminals and of before 2005. Where none matches: `desktop`.
    pub devices: Vec<DeviceRule>,
    /// Which profile a site gets on every device: the first rule that matches, before those of `devices`.
    pub sites: Vec<SiteRule>,
}

impl Default for RawConfig {
    fn default() -> Self {
        Self {
            listen: vec![listen::Address((Ipv4Addr::LOCALHOST, 8118).into()).into()],
            health: Health::default(),
            icap: Icap::default(),
            https: Https::default(),
            leave_alone: LeaveAlone::default(),
            authority: RawAuthority::default(),
            upstream: RawUpstream::default(),
            access: Access::default(),
            rewrite: Rewrite::default(),
            read: ReaderAddress::default(),
            shelf: Shelf::default(),
            agents: Agents::default(),
            pictures: Pictures::default(),
            limits: Limits::default(),
            headers: Headers::default(),
            timeouts: Timeouts::default(),
            log: Log::default(),
            panel: Panel::default(),
            update: UpdateNotice::default(),
            preset: Preset::default(),
            filters: ChainConfig::default(),
            blocking: RawBlocking::default(),
            profiles: profiles::shipped(),
            devices: Vec::new(),
            sites: Vec::new(),
        }
    }
}

/// A named set of filter settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// For today's reader.
    #[default]
    Default,
    /// Exactly the settings of the Crunch paper.
    Crunch,
}

/// The configuration as used: parsed, read and checked. It is data; what is loaded for it is in
/// [`LoadedConfig`](crate::LoadedConfig).
#[derive(Clone, Debug)]
pub struct Config {
    /// The addresses to listen on.
    pub listen: Vec<SocketAddr>,
    /// Ports of them that have load balancers in front, and the addresses of these.
    pub balancers: BTreeMap<u16, Vec<ClientRange>>,
    /// Figures and readiness for balancers and monitoring, at an address of their own.
    pub health: Health,
    /// The filters as a service for another proxy, such as Squid.
    pub icap: Icap,
    /// Interception of encrypted connections.
    pub https: Https,
    /// Folder of the certificate authority; `None` where the user has no home and none is set.
    pub authority_dir: Option<PathBuf>,
    /// Connections to web servers.
    pub upstream: RawUpstream,
    /// The ways to web servers.
    pub via: Via,
    /// Certificates trusted beside the platform's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Who may use the proxy, and what may be reached through it.
    pub access: Access,
    /// Which pages are rewritten.
    pub rewrite: Rewrite,
    /// The reader's address, for devices without a proxy setting.
    pub read: ReaderAddress,
    /// Pages that people keep, as books, in the folder that is used.
    pub shelf: Shelf,
    /// Programs that read pages for a language model.
    pub agents: Agents,
    /// Pictures of the profiles that change nothing of it.
    pub pictures: Pictures,
    /// Fields that this proxy adds to requests.
    pub headers: Headers,
    /// Bounds on pages, connections and the time to end.
    pub limits: Limits,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// The log's contents and format.
    pub log: Log,
    /// Who may open the panel at the control host.
    pub panel: Panel,
    /// Whether the program looks for a newer version.
    pub update: UpdateNotice,
    /// The filter settings that those under `filters` were laid over.
    pub preset: Preset,
    /// The filter chain of the profiles that change nothing of it.
    pub filters: ChainConfig,
    /// Lists of advertisements and trackers.
    pub blocking: Blocking,
    /// Hosts of `leave_alone`, its lists included.
    pub never_processed: HostPatterns,
    /// Settings by device and by site.
    pub profiles: Profiles,
    /// A hash of all settings that decide what a page looks like after the chain, but for the profile.
    pub fingerprint: u64,
    /// A hash of the file's text, which tells whether a change that was written is in force.
    pub text_hash: u64,
}
