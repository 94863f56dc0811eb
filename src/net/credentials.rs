//! Basic authentication of clients: how often an address may guess, and what a guess costs.
//!
//! Credentials are required where `access.users` has entries. `error_pages` makes the answer, which does not say what
//! was wrong (RFC 9110 § 11.7, RFC 7617 § 2).

use std::{net::IpAddr, sync::Arc, time::Duration};

use argon2::{Argon2, PasswordHash, PasswordHasher, PasswordVerifier, password_hash::SaltString};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName};
use ring::digest::{self, SHA256};
use tokio::sync::{Mutex, Semaphore};

use crate::{
    config::Users,
    net::addresses::client_network,
    util::{
        expiring_map::{ExpiringMap, Lifetime},
        random::random_bytes,
    },
};

/// Wrong guesses one address may make before it must wait. Enough for a person who tries the passwords they know;
/// raising it helps guessing programs.
const WRONG_GUESSES: u32 = 10;

/// How long an address's guesses are remembered: ten in a minute are 14,400 in a day, nothing against
/// a password of eight random letters (2 × 10^11).
const GUESS_MEMORY: Duration = Duration::from_mins(1);

/// Addresses remembered, about 100 bytes each; counting does not stop an attacker with more addresses than this.
const ADDRESSES: usize = 50_000;

/// How long a right password need not be checked again. Changed users forget all.
const VERIFIED_TIME: Duration = Duration::from_hours(1);

/// Passwords remembered as right.
const VERIFIED: usize = 10_000;

/// Passwords checked at once: each takes 19 MiB and tens of milliseconds of a processor by design.
const CHECKS_AT_ONCE: usize = 2;

/// Longest `Basic` field in bytes that is decoded; names and passwords are shorter.
const MAX_FIELD_BYTES: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// No credentials, or wrong ones; the answer does not differ.
    Credentials,
    /// Too many wrong ones from this address.
    TooManyGuesses,
}

/// Checks `Proxy-Authorization` before everything else, where users are configured.
pub(crate) struct Authenticator {
    users: Arc<Users>,
    /// Digests of right credentials with a secret of this process: the time of a lookup reveals nothing, and memory holds no
    /// passwords.
    verified: ExpiringMap<[u8; 32], ()>,
    secret: [u8; 32],
    guesses: ExpiringMap<IpAddr, Arc<Mutex<u32>>>,
    checks: Arc<Semaphore>,
}

impl Authenticator {
    /// None where no users are configured.
    pub(crate) fn new(users: &Users) -> Option<Self> {
        (!users.is_empty()).then(|| Self {
            users: Arc::new(users.clone()),
            verified: ExpiringMap::new(VERIFIED, Lifetime::SinceInsertion(VERIFIED_TIME)),
            secret: random_bytes(),
            guesses: ExpiringMap::new(ADDRESSES, Lifetime::SinceInsertion(GUESS_MEMORY)),
            checks: Arc::new(Semaphore::new(CHECKS_AT_ONCE)),
        })
    }

    /// Whether the users are the same: then this can be kept, with its counts and caches.
    pub(crate) fn asks(&self, users: &Users) -> bool {
        *self.users == *users
    }

    /// Checks the credentials in this field. Returns the user's name.
    pub(crate) async fn check(
        &self,
        client: IpAddr,
        headers: &HeaderMap,
        field: &HeaderName,
    ) -> Result<Arc<str>, Denied> {
        let (name, password) = basic(headers, field).ok_or(Denied::Credentials)?;
        let digest = self.digest(&name, &password);
        let user: Arc<str> = name.as_str().into();
        if self.verified.get(&digest).is_some() {
            return Ok(user);
        }
        let guesses = self.guesses.get_or_default(&client_network(client));
        // One guess at a time from an address: many at once would all be made before one is counted.
        let mut guesses = guesses.lock().await;
        if self.verified.get(&digest).is_some() {
            return Ok(user);
        }
        self.guess(&mut guesses, name, password).await?;
        self.verified.insert(digest, ());
        Ok(user)
    }

    /// Checks the password of the one user without a name. What was right before is not remembered: while there are too many
    /// guesses, the right password has to wait too, or guessing would go on as fast as before.
    pub(crate) async fn log_in(&self, client: IpAddr, password: String) -> Result<(), Denied> {
        let guesses = self.guesses.get_or_default(&client_network(client));
        let mut guesses = guesses.lock().await;
        self.guess(&mut guesses, String::new(), password).await
    }

    async fn guess(&self, guesses: &mut u32, name: String, password: String) -> Result<(), Denied> {
        if *guesses >= WRONG_GUESSES {
            return Err(Denied::TooManyGuesses);
        }
        // Counted first: a client that disconnects before the answer has guessed all the same.
        *guesses += 1;
        if !self.verify(name, password).await {
            return Err(Denied::Credentials);
        }
        *guesses -= 1;
        Ok(())
    }

    async fn verify(&self, name: String, password: String) -> bool {
        let users = Arc::clone(&self.users);
        // Never closed; if it were, every client would be refused.
        let Ok(place) = Arc::clone(&self.checks).acquire_owned().await else {
            return false;
        };
        let check = move || {
            let _place = place;
            verify(&users, &name, &password)
        };
        tokio::task::spawn_blocking(check).await.unwrap_or(false)
    }

    fn digest(&self, name: &str, password: &str) -> [u8; 32] {
        // No name holds a colon.
        let mut context = digest::Context::new(&SHA256);
        context.update(&self.secret);
        context.update(format!("{name}:{password}").as_bytes());
        context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
    }
}

/// The hash of a password, for `access.users`: Argon2id with a random salt, 19 MiB and two passes (OWASP
/// Password Storage Cheat Sheet; the crate's default).
pub fn hash_password(password: &str) -> Result<String, argon2::password_hash::Error> {
    let salt = SaltString::encode_b64(&random_bytes::<16>())?;
    Argon2::default().hash_password(password.as_bytes(), &salt).map(|hash| hash.to_string())
}

/// Takes the same time whether the user is known or not; the hash itself compares in constant time.
fn verify(users: &Users, name: &str, password: &str) -> bool {
    let Some((hash, known)) = users.hash_for(name) else {
        return false;
    };
    let hash = PasswordHash::new(hash);
    hash.is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()) & known
}

/// Name and password of the one `Basic` field (RFC 7617 § 2).
pub(crate) fn basic(headers: &HeaderMap, field: &HeaderName) -> Option<(String, String)> {
    let mut fields = headers.get_all(field).iter();
    let (Some(value), None) = (fields.next(), fields.next()) else {
        return None;
    };
    let text = value.to_str().ok().filter(|text| text.len() <= MAX_FIELD_BYTES)?;
    let (_, credentials) = text.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"))?;
    let decoded = String::from_utf8(BASE64_STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header};

    use super::*;

    /// With a hash of little memory and one pass, so that guesses are cheap.
    fn authenticator() -> Authenticator {
        let params = argon2::Params::new(64, 1, 1, None).unwrap();
        let hasher = Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
        let salt = SaltString::encode_b64(b"0123456789abcdef").unwrap();
        let hash = hasher.hash_password(b"right", &salt).unwrap();
        Authenticator::new(&serde_yaml::from_str(&format!("anna: \"{hash}\"")).unwrap()).unwrap()
    }

    async fn ask(authenticator: &Authenticator, client: u8, name: &str, password: &str) -> Result<(), Denied> {
        let credentials = BASE64_STANDARD.encode(format!("{name}:{password}").as_bytes());
        let field = HeaderValue::from_str(&format!("Basic {credentials}")).unwrap();
        let headers = HeaderMap::from_iter([(header::PROXY_AUTHORIZATION, field)]);
        authenticator.check([192, 0, 2, client].into(), &headers, &header::PROXY_AUTHORIZATION).await.map(|_| ())
    }

    #[tokio::test]
    async fn a_right_password_is_hashed_once() {
        let authenticator = authenticator();
        assert_eq!(ask(&authenticator, 1, "anna", "right").await, Ok(()));
        // No more hashes can be computed.
        authenticator.checks.close();
        assert_eq!(ask(&authenticator, 1, "anna", "right").await, Ok(()));
        // An unknown user costs the hash of a known one.
        assert!(
            authenticator
                .users
                .hash_for("nobody")
                .is_some_and(|(hash, known)| !known && hash.starts_with("$argon2id$"))
        );
    }

    #[tokio::test]
    async fn guessing_is_stopped_for_that_address_and_no_other() {
        let authenticator = Arc::new(authenticator());
        // At once: they are counted like guesses in a row.
        let guesses = (0..40).map(|guess| {
            let authenticator = Arc::clone(&authenticator);
            tokio::spawn(async move { ask(&authenticator, 1, "anna", &format!("w{guess}")).await })
        });
        let mut checked = 0;
        for guess in guesses.collect::<Vec<_>>() {
            checked += u32::from(guess.await.unwrap() == Err(Denied::Credentials));
        }
        assert_eq!(checked, WRONG_GUESSES);
        // Even the right one: else guessing would only be slower, not stopped.
        assert_eq!(ask(&authenticator, 1, "anna", "right").await, Err(Denied::TooManyGuesses));
        assert_eq!(ask(&authenticator, 2, "anna", "right").await, Ok(()));
        // A user who was accepted before is not locked out by a neighbour behind the same address.
        assert_eq!(ask(&authenticator, 1, "anna", "right").await, Ok(()));
    }
}
