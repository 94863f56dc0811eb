//! Key `listen`: one address, or a list of them, each with the balancers in front of it.

use std::{
    net::{SocketAddr, ToSocketAddrs},
    str::FromStr,
};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_yaml::Value;

use super::{ClientRange, values::word_type};

/// The expected form of an address to listen on.
pub const LISTEN: &str = "an address and port such as 127.0.0.1:8118, localhost:8118 or \"[::]:8118\", or a port alone, \
                          which means this machine only";

/// Addresses to listen on, for `with` of serde and of schemars.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum Listen {
    Address(String),
    Port(u16),
    Several(Vec<ListenerEntry>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum ListenerEntry {
    Address(String),
    Port(u16),
    Listener(Listener),
}

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listener {
    /// Address and port.
    #[schemars(with = "String")]
    pub address: Address,
    /// Load balancers in front of this address: addresses and ranges, as in `access.clients`. Their connections must begin with
    /// the header of the PROXY protocol (version 1 or 2), which tells the client's address.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub proxy_protocol: Vec<ClientRange>,
}

/// An address and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Address(pub SocketAddr);

word_type!(Address, LISTEN);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        listen_address(text).map(Self)
    }
}

/// Reads an address to listen on: a port alone means loopback, and names are resolved.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    if let Ok(addr) = text.parse() {
        return Ok(addr);
    }
    let is_name = text.rsplit_once(':').is_some_and(|(name, port)| {
        !name.is_empty() && !name.contains([':', '[', '/', ' ']) && port.parse::<u16>().is_ok()
    });
    if !is_name {
        return Err(format!("{text:?} is not an address and port"));
    }
    let found: Vec<SocketAddr> =
        text.to_socket_addrs().map_err(|error| format!("the name in {text:?} cannot be resolved: {error}"))?.collect();
    // One name, one listener: browsers try both families for `localhost`.
    let first = found.iter().find(|addr| addr.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| format!("the name in {text:?} has no address"))
}

impl Listen {
    pub(super) fn serialize<S: Serializer>(listeners: &[Listener], to: S) -> Result<S::Ok, S::Error> {
        if listeners.iter().all(|listener| listener.proxy_protocol.is_empty()) {
            listeners.iter().map(|listener| listener.address).collect::<Vec<_>>().serialize(to)
        } else {
            listeners.serialize(to)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Listener>, D::Error> {
        // An untagged enum would only report that no variant matched.
        let written = match Value::deserialize(from)? {
            Value::Sequence(list) => list,
            one => vec![one],
        };
        let (mut listeners, mut problems) = (Vec::new(), Vec::new());
        for value in written {
            let listener = match value {
                Value::Mapping(_) => Listener::deserialize(value),
                value => Address::deserialize(value).map(Listener::from),
            };
            match listener {
                Ok(listener) => listeners.push(listener),
                Err(error) => problems.push(error.to_string()),
            }
        }
        if !problems.is_empty() {
            return Err(D::Error::custom(problems.join("; ")));
        }
        if listeners.is_empty() {
            return Err(D::Error::custom(format_args!("the list is empty; expected {LISTEN}")));
        }
        Ok(listeners)
    }
}

impl From<Address> for Listener {
    fn from(address: Address) -> Self {
        Self { address, proxy_protocol: Vec::new() }
    }
}
