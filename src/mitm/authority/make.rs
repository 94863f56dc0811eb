//! Makes an authority in its folder: a key that only its owner can read, and its certificate.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, KeyPair, KeyUsagePurpose};
use ring::digest::{SHA256, digest};
use time::OffsetDateTime;

use super::{AuthorityError, CERT_FILE, KEY_FILE, random_serial, valid_for};
use crate::util::platform;

/// Life of the authority: ten years, so that installing it is done once per device.
const AUTHORITY_DAYS: i64 = 3650;

/// Before this version, in seconds since 1970 (2026-11-01). An authority that a machine without a clock of its own makes before its
/// clock is set would have to be made anew, and trusted anew by every device.
const NOT_BEFORE: i64 = 1_793_491_200;

/// Makes key and certificate. The certificate is written last, so that a half-made authority is noticed; where it cannot be
/// written the key is removed too, and the next start makes both.
pub(super) fn create(dir: &Path, key_path: &Path, cert_path: &Path) -> Result<(), AuthorityError> {
    check_clock()?;
    let now = OffsetDateTime::now_utc();
    let key = KeyPair::generate()?;
    let name = format!("Gleaner CA {} {} {}", machine_name(), now.date(), mark(&key));
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(random_serial());
    valid_for(&mut params, AUTHORITY_DAYS);
    let certificate = params.self_signed(&key)?;

    platform::make_private_folder(dir).map_err(|error| AuthorityError::Create(dir.to_path_buf(), error))?;
    write_new(key_path, key.serialize_pem().as_bytes(), 0o600)?;
    write_new(cert_path, certificate.pem().as_bytes(), 0o644).inspect_err(|_| {
        // The caller reports the certificate; a key that stays is reported at the next start.
        let _ = fs::remove_file(key_path);
    })
}

/// Refuses a clock that was never set.
pub(crate) fn check_clock() -> Result<(), AuthorityError> {
    let now = OffsetDateTime::now_utc();
    if now.unix_timestamp() < NOT_BEFORE {
        Err(AuthorityError::Clock(now.date(), "this program was made".to_owned()))
    } else {
        Ok(())
    }
}

/// Whether one could be made: writes where it would be, or where its folder would be, and leaves nothing behind.
pub(super) fn try_create(dir: &Path) -> Result<(), AuthorityError> {
    let folder = dir.ancestors().find(|folder| folder.is_dir()).unwrap_or(dir);
    let file = folder.join(format!(".gleaner-{}.tmp", std::process::id()));
    let tried = write_synced(&file, b"", 0o600).and_then(|()| fs::remove_file(&file));
    tried.map_err(|error| AuthorityError::Create(dir.to_path_buf(), error))
}

/// Writes a file that must not be there yet, whole or not at all: into a temporary file that only its
/// owner can read, then into place under its name.
fn write_new(path: &Path, content: &[u8], mode: u32) -> Result<(), AuthorityError> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write_synced(&temporary, content, mode)
        // A hard link fails where the name is taken; a rename would replace another's key.
        .and_then(|()| fs::hard_link(&temporary, path));
    let cleaned = fs::remove_file(&temporary);
    written.and(cleaned).map_err(|error| AuthorityError::Create(path.to_path_buf(), error))
}

fn write_synced(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = platform::open_options(mode).write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// How long another process may take from the key's file to the certificate's: milliseconds, unless the disk is slow.
const HALF_MADE: Duration = Duration::from_secs(2);

/// Waits for a certificate that another process is writing at this moment. If it never comes, loading reports the error.
pub(super) fn wait_while_half_made(dir: &Path) {
    let start = Instant::now();
    while dir.join(KEY_FILE).exists() && !dir.join(CERT_FILE).exists() && start.elapsed() < HALF_MADE {
        thread::sleep(Duration::from_millis(10));
    }
}

/// The first 4 bytes of the key's SHA-256 in hexadecimal, so that two authorities made on one day have different names in the
/// lists of devices. X.520 bounds a common name to 64 characters; name, machine and date leave room for it.
fn mark(key: &KeyPair) -> String {
    let digest = digest(&SHA256, key.public_key_raw());
    let first = std::array::from_fn(|index| digest.as_ref()[index]);
    format!("{:08x}", u32::from_be_bytes(first))
}

/// The machine's name, so that a person with several authorities can tell them apart.
pub(super) fn machine_name() -> String {
    let name = platform::machine_name();
    let name: String = name.trim().chars().filter(char::is_ascii_graphic).take(30).collect();
    if name.is_empty() { "local".to_owned() } else { name }
}
