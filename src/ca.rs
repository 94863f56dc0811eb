//! The local certificate authority: made on first use, loaded strictly, and asked for one leaf per host.
//!
//! The key never leaves its file, which only its owner can read. When a leaf is wanted is decided in
//! `intercept`.

pub(crate) mod manage;

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use moka::sync::Cache;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType, SerialNumber,
};
use rustls::{
    crypto::ring::{Ticketer, sign::any_supported_type},
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject},
    server::ProducesTickets,
    sign::CertifiedKey,
};
use time::{Duration, OffsetDateTime};

use crate::authority::Host;

const KEY_FILE: &str = "ca.key.pem";
const CERT_FILE: &str = "ca.cert.pem";

/// Life of the authority: ten years, so that installing it is done once per device.
const AUTHORITY_DAYS: i64 = 3650;

/// Life of a leaf in days. Browsers refuse more than 398 (CA/Browser Forum Baseline Requirements
/// § 6.3.2); leaves are minted anew at every start, so 90 is plenty and passes shorter rules to come.
const LEAF_DAYS: i64 = 90;

/// Certificates start a day early: clocks of phones and old devices are wrong by hours, rarely by days.
const BACKDATE: Duration = Duration::days(1);

/// Leaves kept: about 1 KiB each, and more hosts than a household visits in a day. Raising it saves
/// signatures (some 50 microseconds each) and costs memory.
const CACHED_LEAVES: u64 = 4096;

/// A cached leaf is minted anew after this, long before it expires.
const LEAF_CACHE_TIME: std::time::Duration = std::time::Duration::from_hours(24);

/// Why there is no authority.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorityError {
    /// There is no folder to keep it in.
    #[error("no folder for the certificate authority is known; set `authority.dir`")]
    NoFolder,
    /// A file or folder could not be written.
    #[error("cannot create {path}: {error}")]
    Create {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A file could not be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A file holds something else than it should.
    #[error("{path}: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Mint(#[from] rcgen::Error),
    /// The TLS library refused.
    #[error("cannot prepare encrypted connections: {0}")]
    Tls(#[from] rustls::Error),
}

/// The authority.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    certificate_pem: String,
    /// One key for all leaves of this process: making keys is the slow part, and nobody gains from more.
    leaf_key: KeyPair,
    leaves: Cache<Host, Arc<CertifiedKey>>,
    ticketer: Arc<dyn ProducesTickets>,
}

impl Authority {
    /// Loads the authority from its folder, or makes one there if the folder has none.
    pub(crate) fn open(dir: &Path) -> Result<Self, AuthorityError> {
        let (key_path, cert_path) = (dir.join(KEY_FILE), dir.join(CERT_FILE));
        if !key_path.exists() && !cert_path.exists() {
            create(dir, &key_path, &cert_path)?;
        }
        load(&key_path, &cert_path)
    }

    /// The certificate to install, in DER.
    pub(crate) fn certificate_der(&self) -> &[u8] {
        &self.certificate
    }

    /// The certificate to install, in PEM.
    pub(crate) fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// A leaf for the host, from the cache or fresh.
    pub(crate) fn leaf(&self, host: &Host) -> Result<Arc<CertifiedKey>, AuthorityError> {
        self.leaves
            .try_get_with(host.clone(), || self.mint(host).map(Arc::new))
            .map_err(|error| AuthorityError::Content {
                path: CERT_FILE.into(),
                problem: error.to_string(),
            })
    }

    /// Tickets for resuming a connection, good for all hosts: a ticket is bound to its host by TLS.
    pub(crate) fn ticketer(&self) -> Arc<dyn ProducesTickets> {
        Arc::clone(&self.ticketer)
    }

    fn mint(&self, host: &Host) -> Result<CertifiedKey, AuthorityError> {
        let mut params = CertificateParams::default();
        let name = host.plain();
        params.subject_alt_names = vec![match host {
            Host::Ip(ip) => SanType::IpAddress(*ip),
            Host::Name(_) => SanType::DnsName(name.as_str().try_into()?),
        }];
        params.distinguished_name = DistinguishedName::new();
        // X.520 bounds a common name to 64 characters; the name that counts is the SAN.
        if name.len() <= 64 {
            params.distinguished_name.push(DnType::CommonName, name);
        }
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        params.serial_number = Some(random_serial());
        valid_for(&mut params, LEAF_DAYS);
        let leaf = params.signed_by(&self.leaf_key, &self.issuer)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.leaf_key.serialize_der()));
        let key = any_supported_type(&key).map_err(|_| rcgen::Error::CouldNotParseKeyPair)?;
        Ok(CertifiedKey::new(vec![leaf.der().clone()], key))
    }
}

/// Makes key and certificate. The certificate is written last, so a half-made authority is noticed.
fn create(dir: &Path, key_path: &Path, cert_path: &Path) -> Result<(), AuthorityError> {
    let key = KeyPair::generate()?;
    let now = OffsetDateTime::now_utc();
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(
        DnType::CommonName,
        format!("Gleaner CA {} {}", machine_name(), now.date()),
    );
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(random_serial());
    valid_for(&mut params, AUTHORITY_DAYS);
    let certificate = params.self_signed(&key)?;

    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(dir).map_err(|error| AuthorityError::Create {
        path: dir.to_path_buf(),
        error,
    })?;
    write_new(key_path, key.serialize_pem().as_bytes(), 0o600)?;
    write_new(cert_path, certificate.pem().as_bytes(), 0o644)
}

/// Writes a file that must not be there yet, whole or not at all: into a temporary file that only its
/// owner can read, then into place under its name.
fn write_new(path: &Path, content: &[u8], mode: u32) -> Result<(), AuthorityError> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = write_synced(&temporary, content, mode)
        // A hard link fails where the name is taken; a rename would replace another's key.
        .and_then(|()| fs::hard_link(&temporary, path));
    let cleaned = fs::remove_file(&temporary);
    written
        .and(cleaned)
        .map_err(|error| AuthorityError::Create {
            path: path.to_path_buf(),
            error,
        })
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

fn load(key_path: &Path, cert_path: &Path) -> Result<Authority, AuthorityError> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| AuthorityError::Read {
            path: path.to_path_buf(),
            error,
        })
    };
    let bad = |path: &Path, problem: String| AuthorityError::Content {
        path: path.to_path_buf(),
        problem,
    };
    refuse_open_key(key_path)?;
    let key = KeyPair::from_pem(&read(key_path)?)
        .map_err(|error| bad(key_path, format!("not a private key: {error}")))?;
    let certificate_pem = only_certificate(&read(cert_path)?);
    let certificate = CertificateDer::from_pem_slice(certificate_pem.as_bytes())
        .map_err(|error| bad(cert_path, format!("not a certificate: {error}")))?;
    check_certificate(&certificate, &key).map_err(|problem| bad(cert_path, problem))?;
    let issuer = Issuer::from_ca_cert_der(&certificate, key)?;
    Ok(Authority {
        issuer,
        certificate,
        certificate_pem,
        leaf_key: KeyPair::generate()?,
        ticketer: Ticketer::new()?,
        leaves: Cache::builder()
            .max_capacity(CACHED_LEAVES)
            .time_to_live(LEAF_CACHE_TIME)
            .build(),
    })
}

/// The certificate's own lines: the file is handed out, and whatever else someone put there is not.
fn only_certificate(text: &str) -> String {
    const END: &str = "-----END CERTIFICATE-----";
    let start = text
        .find("-----BEGIN CERTIFICATE-----")
        .unwrap_or(text.len());
    let end = text[start..]
        .find(END)
        .map_or(text.len(), |at| start + at + END.len());
    format!("{}\n", &text[start..end])
}

/// A key that others can read is no secret; better to say so than to go on.
#[cfg(unix)]
fn refuse_open_key(path: &Path) -> Result<(), AuthorityError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(path).map_err(|error| AuthorityError::Read {
        path: path.to_path_buf(),
        error,
    })?;
    let mode = metadata.permissions().mode() & 0o777;
    let others = mode & 0o077;
    if others == 0 {
        return Ok(());
    }
    let problem =
        format!("others than its owner can read or write it (mode {mode:o}); make it 600");
    Err(AuthorityError::Content {
        path: path.to_path_buf(),
        problem,
    })
}

#[cfg(not(unix))]
fn refuse_open_key(_: &Path) -> Result<(), AuthorityError> {
    Ok(())
}

fn check_certificate(certificate: &CertificateDer<'_>, key: &KeyPair) -> Result<(), String> {
    let (_, parsed) = x509_parser::parse_x509_certificate(certificate)
        .map_err(|error| format!("not a certificate: {error}"))?;
    if parsed.public_key().subject_public_key.data.as_ref() != key.public_key_raw() {
        return Err(format!(
            "the certificate does not belong to the key in {KEY_FILE}"
        ));
    }
    if !parsed.is_ca() {
        return Err("the certificate is not one of an authority".to_owned());
    }
    if !parsed.validity().is_valid() {
        let until = parsed.validity().not_after;
        return Err(format!(
            "the certificate is not valid now (it ends {until})"
        ));
    }
    Ok(())
}

fn valid_for(params: &mut CertificateParams, days: i64) {
    let start = OffsetDateTime::now_utc() - BACKDATE;
    params.not_before = start;
    params.not_after = start + Duration::days(days);
}

/// 128 bits of randomness; the top bit is cleared, because a serial number is positive
/// (RFC 5280 § 4.1.2.2).
fn random_serial() -> SerialNumber {
    let mut bytes = random_bytes::<16>();
    bytes[0] &= 0x7f;
    bytes[0] |= 0x40;
    SerialNumber::from_slice(&bytes)
}

/// Random bytes from the TLS library's own source.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut bytes)
        .expect("the operating system gives random bytes");
    bytes
}

/// The machine's name, so that a person with several authorities can tell them apart.
fn machine_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .unwrap_or_default();
    let name: String = name
        .trim()
        .chars()
        .filter(char::is_ascii_graphic)
        .take(30)
        .collect();
    if name.is_empty() {
        "local".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use x509_parser::prelude::*;

    use super::*;

    fn authority() -> (tempfile::TempDir, Authority) {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::open(&dir.path().join("new")).unwrap();
        (dir, authority)
    }

    #[test]
    fn is_made_once_and_loaded_afterwards() {
        let (dir, first) = authority();
        let second = Authority::open(&dir.path().join("new")).unwrap();
        assert_eq!(first.certificate_der(), second.certificate_der());
    }

    #[test]
    fn is_an_authority_for_leaves_only_and_unique() {
        let (_one, first) = authority();
        let (_two, second) = authority();
        assert_ne!(first.certificate_der(), second.certificate_der());
        let (_, parsed) = parse_x509_certificate(first.certificate_der()).unwrap();
        let constraints = parsed.basic_constraints().unwrap().unwrap().value;
        assert!(constraints.ca);
        assert_eq!(constraints.path_len_constraint, Some(0));
        assert!(parsed.subject().to_string().contains("Gleaner CA"));
    }

    #[cfg(unix)]
    #[test]
    fn key_and_folder_are_for_the_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (dir, _authority) = authority();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir.path().join("new")), 0o700);
        assert_eq!(mode(&dir.path().join("new").join(KEY_FILE)), 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let (dir, _authority) = authority();
        let folder = dir.path().join("new");
        fs::set_permissions(folder.join(KEY_FILE), fs::Permissions::from_mode(0o644)).unwrap();
        let error = Authority::open(&folder).err().unwrap().to_string();
        assert!(error.contains("600"), "{error}");
    }

    #[test]
    fn a_certificate_of_another_key_is_refused() {
        let (one, _) = authority();
        let (two, _) = authority();
        let (one, two) = (one.path().join("new"), two.path().join("new"));
        fs::copy(two.join(CERT_FILE), one.join(CERT_FILE)).unwrap();
        let error = Authority::open(&one).err().unwrap().to_string();
        assert!(error.contains("does not belong"), "{error}");
    }

    #[test]
    fn a_lone_key_or_certificate_is_not_replaced() {
        let (dir, _authority) = authority();
        let folder = dir.path().join("new");
        fs::remove_file(folder.join(CERT_FILE)).unwrap();
        assert!(matches!(
            Authority::open(&folder),
            Err(AuthorityError::Read { .. })
        ));
    }

    #[test]
    fn leaves_are_what_browsers_ask_for() {
        let (_dir, authority) = authority();
        let host = Host::parse("www.example.com").unwrap();
        let leaf = authority.leaf(&host).unwrap();
        let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
        assert!(!parsed.is_ca());
        let days = (parsed.validity().not_after.timestamp()
            - parsed.validity().not_before.timestamp())
            / 86_400;
        assert!((1..=398).contains(&days), "{days}");
        let names = parsed.subject_alternative_name().unwrap().unwrap();
        assert_eq!(
            names.value.general_names,
            [GeneralName::DNSName("www.example.com")]
        );
        assert!(
            parsed
                .extended_key_usage()
                .unwrap()
                .unwrap()
                .value
                .server_auth
        );
        assert!(parsed.raw_serial().len() >= 16);
    }

    #[test]
    fn a_leaf_for_an_address_names_the_address() {
        let (_dir, authority) = authority();
        let leaf = authority.leaf(&Host::Ip([127, 0, 0, 1].into())).unwrap();
        let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
        let names = parsed.subject_alternative_name().unwrap().unwrap();
        assert_eq!(
            names.value.general_names,
            [GeneralName::IPAddress(&[127, 0, 0, 1])]
        );
    }

    #[test]
    fn a_leaf_for_an_international_name_has_its_ascii_form() {
        let (_dir, authority) = authority();
        let host = Host::parse("Bücher.example").unwrap();
        let leaf = authority.leaf(&host).unwrap();
        let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
        let names = parsed.subject_alternative_name().unwrap().unwrap();
        // RFC 5280 § 7.2: a dNSName holds the A-label.
        assert_eq!(
            names.value.general_names,
            [GeneralName::DNSName("xn--bcher-kva.example")]
        );
    }

    #[test]
    fn serial_numbers_are_random_and_positive() {
        let (_dir, authority) = authority();
        let serial = |host: &str| {
            let leaf = authority.leaf(&Host::parse(host).unwrap()).unwrap();
            let (_, parsed) = parse_x509_certificate(&leaf.cert[0]).unwrap();
            parsed.raw_serial().to_vec()
        };
        let (one, two) = (serial("a.example"), serial("b.example"));
        assert_ne!(one, two);
        // 126 random bits; the top one is clear (RFC 5280 § 4.1.2.2: positive, at most 20 bytes).
        assert!((8..=20).contains(&one.len()) && one[0] < 0x80);
    }

    #[test]
    fn an_authority_signs_certificates_and_nothing_else() {
        let (_dir, authority) = authority();
        let (_, parsed) = parse_x509_certificate(authority.certificate_der()).unwrap();
        let usage = parsed.key_usage().unwrap().unwrap().value;
        assert!(usage.key_cert_sign() && !usage.digital_signature() && !usage.key_encipherment());
        // Whose it is: the machine's name and the day.
        let name = parsed.subject().to_string();
        assert!(name.contains(&machine_name()), "{name}");
    }

    #[test]
    fn leaves_are_cached() {
        let (_dir, authority) = authority();
        let host = Host::parse("a.example").unwrap();
        assert!(Arc::ptr_eq(
            &authority.leaf(&host).unwrap(),
            &authority.leaf(&host).unwrap()
        ));
    }
}
