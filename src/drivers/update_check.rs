//! Looks once a week whether there is a newer version, where `update.check` wants that. Nothing is sent but two requests for files
//! that are the same for all, and nothing is installed: a package does that, or a person.

use std::{sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use http::HeaderMap;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};
use url::Url;

use crate::{
    client::fetch,
    config::{Config, Publisher},
    net::access_control::Initiator,
    state::proxy::Proxy,
};

const INTERVAL: Duration = Duration::from_hours(7 * 24);

/// How often it is looked whether the time is over, or the setting another.
const LOOK_INTERVAL: Duration = Duration::from_mins(1);

const TIMEOUT: Duration = Duration::from_mins(1);

/// Most bytes of a file: it has some ten words.
const MAX_FILE: usize = 16 << 10;

/// The file that names the newest version.
#[derive(Deserialize)]
struct NewestRelease {
    version: String,
}

/// Looks at the start and once a week, until the program ends.
pub(crate) async fn maintain(proxy: Arc<Proxy>) {
    let mut last: Option<(String, Instant)> = None;
    loop {
        let config = proxy.config();
        if let Some(publisher) = config.update.publisher() {
            let is_done = |(address, time): &(String, Instant)| {
                address == publisher.address.as_str() && time.elapsed() < INTERVAL
            };
            if !last.as_ref().is_some_and(is_done) {
                check(&proxy, &config, &publisher).await;
                last = Some((publisher.address.to_string(), Instant::now()));
            }
        }
        sleep(LOOK_INTERVAL).await;
    }
}

async fn check(proxy: &Proxy, config: &Config, publisher: &Publisher) {
    let newest =
        timeout(TIMEOUT, newest(config, publisher)).await.unwrap_or_else(|_| Err("no answer in time".to_owned()));
    match newest {
        Ok(version) if is_newer(&version, env!("CARGO_PKG_VERSION")) => {
            info!(version, "there is a newer version of Gleaner");
            proxy.newer_version.store(Some(Arc::new(version)));
        }
        Ok(_) => proxy.newer_version.store(None),
        Err(problem) => warn!(problem, "whether there is a newer version is not known"),
    }
}

async fn newest(config: &Config, publisher: &Publisher) -> Result<String, String> {
    let address = &publisher.address;
    let signature_address: Url = format!("{address}.minisig").parse().map_err(|_| "the address cannot be used")?;
    let file = get(config, address).await?;
    let signature = get(config, &signature_address).await?;
    if !is_signed(&file, &signature, &publisher.key) {
        return Err(format!("{address}: its signature is not the publisher's"));
    }
    let release: NewestRelease = serde_json::from_slice(&file).map_err(|error| format!("{address}: {error}"))?;
    Ok(release.version)
}

async fn get(config: &Config, address: &Url) -> Result<Vec<u8>, String> {
    let fetched = fetch::get(config, address, &HeaderMap::new(), MAX_FILE, Initiator::Near).await?;
    Ok(fetched.map(|fetched| fetched.bytes).unwrap_or_default())
}

/// Whether the file is signed with this key. A signature of minisign is, in its second line, base64 of `Ed`, eight bytes that name
/// the key, and the signature by Ed25519 (`minisign -S -l`).
fn is_signed(file: &[u8], signature: &[u8], key: &[u8]) -> bool {
    let text = String::from_utf8_lossy(signature);
    let decoded = text.lines().nth(1).and_then(|line| STANDARD.decode(line.trim()).ok()).unwrap_or_default();
    let signature = decoded.strip_prefix(b"Ed").and_then(|rest| rest.get(8..));
    signature.is_some_and(|signature| UnparsedPublicKey::new(&ED25519, key).verify(file, signature).is_ok())
}

/// Whether a version such as `1.2.3` is newer than another.
fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<u64>> { text.split('.').map(|number| number.parse().ok()).collect() };
    numbers(version).zip(numbers(than)).is_some_and(|(version, than)| version > than)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::UpdateNotice;

    /// Made by minisign 0.11 of Debian.
    const KEY: &str = "RWRS1UEIOhbvmDyVD/c8wJvrtd3g+fyH+a7ViV6pundS0SizzkJQaemV";
    const SIGNATURE: &str = "untrusted comment: signature from minisign secret key\nRWRS1UEIOhbvmEJ9N4skh39767pmBURva4Gq0kgFXGCVY1rHvRXkzJCSbNm0K1tVrcgcjKb3wkoHoWTX7Em6/+pFOgXQMRYq6gQ=\n";
    const FILE: &[u8] = b"{ \"version\": \"9.0.0\", \"date\": \"2030-01-01\" }\n";

    #[test]
    fn only_what_the_publisher_has_signed_counts() {
        let notice =
            UpdateNotice { check: true, url: Some("https://a.example/latest.json".into()), key: Some(KEY.into()) };
        let key = notice.publisher().unwrap().key;
        assert!(is_signed(FILE, SIGNATURE.as_bytes(), &key));
        let changed = String::from_utf8_lossy(FILE).replace("9.0", "9.1");
        assert!(!is_signed(changed.as_bytes(), SIGNATURE.as_bytes(), &key));
        assert!(!is_signed(FILE, b"<!DOCTYPE html>\n<p>", &key));
        assert!(!is_signed(FILE, SIGNATURE.as_bytes(), &[0; 32]));
        let off = UpdateNotice { check: false, ..notice };
        assert!(off.publisher().is_none());
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(is_newer("0.10.0", "0.9.9") && is_newer("1.0.0", "0.9.9") && !is_newer("0.9.9", "0.9.9"));
        assert!(!is_newer("next", "0.9.9") && !is_newer("0.9.8", "0.9.9"));
    }
}
