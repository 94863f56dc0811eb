//! Makes an authority in its folder: a key that only its owner can read, and its certificate.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::Path,
};

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, KeyPair, KeyUsagePurpose};
use time::OffsetDateTime;

use super::{AuthorityError, random_serial, valid_for};

/// Life of the authority: ten years, so that installing it is done once per device.
const AUTHORITY_DAYS: i64 = 3650;

/// Makes key and certificate. The certificate is written last, so a half-made authority is noticed; where it cannot be written the
/// key goes too, and the next start makes both.
pub(super) fn create(dir: &Path, key_path: &Path, cert_path: &Path) -> Result<(), AuthorityError> {
    let key = KeyPair::generate()?;
    let now = OffsetDateTime::now_utc();
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params
        .distinguished_name
        .push(DnType::CommonName, format!("Gleaner CA {} {} {}", machine_name(), now.date(), mark(&key)));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(random_serial());
    valid_for(&mut params, AUTHORITY_DAYS);
    let certificate = params.self_signed(&key)?;

    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(dir).map_err(|error| AuthorityError::Create { path: dir.to_path_buf(), error })?;
    write_new(key_path, key.serialize_pem().as_bytes(), 0o600)?;
    write_new(cert_path, certificate.pem().as_bytes(), 0o644).inspect_err(|_| {
        // The caller reports the certificate; a key that stays is reported at the next start.
        let _ = fs::remove_file(key_path);
    })
}

/// Writes a file that must not be there yet, whole or not at all: into a temporary file that only its
/// owner can read, then into place under its name.
fn write_new(path: &Path, content: &[u8], mode: u32) -> Result<(), AuthorityError> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write_synced(&temporary, content, mode)
        // A hard link fails where the name is taken; a rename would replace another's key.
        .and_then(|()| fs::hard_link(&temporary, path));
    let cleaned = fs::remove_file(&temporary);
    written.and(cleaned).map_err(|error| AuthorityError::Create { path: path.to_path_buf(), error })
}

fn write_synced(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// How long another program may take from the key's file to the certificate's: milliseconds, unless the disk is slow.
const HALF_MADE: std::time::Duration = std::time::Duration::from_secs(2);

/// Waits for the certificate that another Gleaner is writing at this moment. One that never comes is an error of loading.
pub(super) fn wait_while_half_made(key_path: &Path, cert_path: &Path) {
    let start = std::time::Instant::now();
    while key_path.exists() && !cert_path.exists() && start.elapsed() < HALF_MADE {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// A short mark of a key, so that two authorities of one day are told apart where devices list them. Name, machine and date
/// leave room for it: X.520 bounds a common name to 64 characters.
fn mark(key: &KeyPair) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, key.public_key_raw());
    let start = digest.as_ref().iter().take(4);
    let number = start.fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    format!("{number:08x}")
}

/// The machine's name, so that a person with several authorities can tell them apart.
pub(super) fn machine_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .unwrap_or_default();
    let name: String = name.trim().chars().filter(char::is_ascii_graphic).take(30).collect();
    if name.is_empty() { "local".to_owned() } else { name }
}
