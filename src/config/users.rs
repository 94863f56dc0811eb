//! Key `access.users`: names and password hashes. Hashes are not shown: passwords can be guessed from them.

use std::{borrow::Borrow, collections::BTreeMap, fmt, str::FromStr};

use argon2::{Params, PasswordHash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::word_type;

/// Most memory in KiB that checking one password may take. `gleaner hash-password` uses 19 MiB, the
/// first choice of OWASP's Password Storage Cheat Sheet; more than this is a typing error.
const MAX_MEMORY_KIB: u32 = 256 * 1024;

/// Most passes over that memory; more would keep every first request waiting for seconds.
const MAX_PASSES: u32 = 16;

/// Names and hashes, each hash one that can be checked.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Users(#[schemars(with = "BTreeMap<String, String>")] BTreeMap<Name, Hash>);

/// RFC 7617 § 2: a colon ends a name, and control characters are not allowed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Name(String);

/// A password hash that can be checked.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Hash(String);

word_type!(Name, "a name without colons");
word_type!(Hash, "a line that `gleaner hash-password` printed");

impl FromStr for Name {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name.is_empty() || name.contains(':') || name.chars().any(char::is_control) {
            return Err(format!("{name:?} cannot be a user's name"));
        }
        Ok(Self(name.to_owned()))
    }
}

impl FromStr for Hash {
    type Err = &'static str;

    /// The problem does not show what was written: it may be a password by mistake.
    fn from_str(hash: &str) -> Result<Self, &'static str> {
        is_usable(hash).then(|| Self(hash.to_owned())).ok_or("this is not a usable password hash")
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash")
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

fn is_usable(hash: &str) -> bool {
    let Ok(parsed) = PasswordHash::new(hash) else {
        return false;
    };
    let bounded = |params: Params| params.m_cost() <= MAX_MEMORY_KIB && params.t_cost() <= MAX_PASSES;
    parsed.algorithm == argon2::Algorithm::Argon2id.ident()
        && parsed.hash.is_some()
        && parsed.salt.is_some()
        && Params::try_from(&parsed).is_ok_and(bounded)
}

impl Users {
    /// One user, whose name is empty.
    pub(super) fn only(hash: Hash) -> Self {
        Self([(Name(String::new()), hash)].into())
    }

    /// Whether there are no users, so that no credentials are required.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a user of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The hash of a user; for an unknown one some other user's, so that both take the same time.
    pub(crate) fn hash_for(&self, name: &str) -> Option<(&str, bool)> {
        match self.0.get(name) {
            Some(Hash(hash)) => Some((hash, true)),
            None => self.0.values().next().map(|Hash(hash)| (hash.as_str(), false)),
        }
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys().map(|Name(name)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$\
                        gzCcKRE3DGs2kdsCTqHOTtOXLKwKTuRbZ5fPP6V8ALE";

    fn users(name: &str, hash: &str) -> Result<Users, serde_yaml::Error> {
        serde_yaml::from_str(&format!("'{name}': '{hash}'"))
    }

    #[test]
    fn only_hashes_that_can_be_checked_are_accepted_and_none_is_shown() {
        let shown = format!("{:?}", users("anna", HASH).unwrap());
        assert!(shown.contains("anna") && !shown.contains("argon2"), "{shown}");
        for hash in [
            "",
            "secret",
            "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ",
            &HASH.replace("argon2id", "argon2i"),
            &HASH.replace("m=8", "m=1000000"),
            &HASH.replace("t=1", "t=1000"),
        ] {
            let error = users("anna", hash).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(users("an:na", HASH).is_err() && users("", HASH).is_err());
    }
}
