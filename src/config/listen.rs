//! Key `listen`: one address, or a list of them.

use std::{
    net::{SocketAddr, ToSocketAddrs},
    str::FromStr,
};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_yaml::Value;

use super::values::word_type;

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
    Several(Vec<String>),
}

struct Address(SocketAddr);

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
    pub(super) fn serialize<S: Serializer>(addresses: &[SocketAddr], to: S) -> Result<S::Ok, S::Error> {
        addresses.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SocketAddr>, D::Error> {
        // An untagged enum would only report that no variant matched.
        let written = match Value::deserialize(from)? {
            Value::Sequence(list) => list,
            one => vec![one],
        };
        let (mut addresses, mut problems) = (Vec::new(), Vec::new());
        for value in written {
            match Address::deserialize(value) {
                Ok(Address(addr)) => addresses.push(addr),
                Err(error) => problems.push(error.to_string()),
            }
        }
        if !problems.is_empty() {
            return Err(D::Error::custom(problems.join("; ")));
        }
        if addresses.is_empty() {
            return Err(D::Error::custom(format_args!("the list is empty; expected {LISTEN}")));
        }
        Ok(addresses)
    }
}
