//! Key `listen`: one address, or a list of them.

use std::{
    fmt,
    net::{SocketAddr, ToSocketAddrs},
    str::FromStr,
};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use super::values::word_type;

/// What an address to listen on looks like.
pub const LISTEN: &str = "an address and port such as 127.0.0.1:8118, localhost:8118 or \"[::]:8118\", or a port alone, \
                          which means this machine only";

/// Addresses to listen on.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct Listen(#[schemars(with = "SchemaOfListen")] pub Vec<SocketAddr>);

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum SchemaOfListen {
    Address(String),
    Port(u16),
    Several(Vec<String>),
}

struct Address(SocketAddr);

word_type!(read Address, LISTEN);

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
    // One name, one listener: browsers that are told `localhost` try both families.
    let first = found.iter().find(|addr| addr.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| format!("the name in {text:?} has no address"))
}

impl Serialize for Listen {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(&self.0)
    }
}

impl<'de> Deserialize<'de> for Listen {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct OneOrMany;

        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Vec<Address>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an address such as 127.0.0.1:8118, or a list of them")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                let address = text.parse();
                let said = |problem| E::custom(format_args!("{problem}; expected {LISTEN}"));
                address.map(|address| vec![address]).map_err(said)
            }

            fn visit_u64<E: Error>(self, port: u64) -> Result<Self::Value, E> {
                self.visit_str(&port.to_string())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list))
            }
        }

        // An untagged enum would only say that "no variant matched".
        let addresses = from.deserialize_any(OneOrMany)?;
        if addresses.is_empty() {
            return Err(D::Error::custom(format_args!("the list is empty; expected {LISTEN}")));
        }
        Ok(Self(addresses.into_iter().map(|Address(addr)| addr).collect()))
    }
}
