//! The local certificate authority: made on first use, loaded with strict checks, and the issuer of one leaf
//! certificate per intercepted host.
//!
//! The private key stays in its file, which only its owner can read. When a leaf is needed is decided in [`super::SniffedConnect`].

mod make;
mod manage;

use std::{
    fs, io,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::Arc,
};

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SanType, SerialNumber,
};
use rustls::{
    ServerConfig, SignatureScheme, SupportedCipherSuite,
    crypto::{
        CryptoProvider,
        ring::{Ticketer, default_provider, sign::any_supported_type},
    },
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject},
    server::{ClientHello, NoServerSessionStorage},
    sign::{CertifiedKey, SigningKey, SingleCertAndKey},
    version::{TLS12, TLS13},
};
use time::{Duration, OffsetDateTime};

pub(crate) use self::make::check_clock;
use crate::util::{
    expiring_map::{ExpiringMap, Lifetime},
    host::Host,
    platform,
    random::random_bytes,
};

const KEY_FILE: &str = "ca.key.pem";
const CERT_FILE: &str = "ca.cert.pem";

/// Application protocols spoken with clients, the preferred one first.
pub(crate) const ALPN_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Life of a leaf in days. Browsers refuse more than 398 (CA/Browser Forum Baseline Requirements
/// § 6.3.2); leaves are minted anew at every start, so 90 is plenty and passes shorter rules to come.
const LEAF_DAYS: i64 = 90;

/// Certificates start a day early: clocks of phones and old devices are wrong by hours, rarely by days.
const BACKDATE: Duration = Duration::days(1);

/// Leaves kept, each with the settings of its handshakes and the key of its tickets: some 3 KiB each, and more hosts than
/// a household visits in a day. Raising it saves signatures (some 50 microseconds each) and costs memory.
const CACHED_LEAVES: usize = 4096;

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
    #[error("cannot create {0}: {1}")]
    Create(PathBuf, io::Error),
    /// A file could not be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, io::Error),
    /// A file holds something else than it should.
    #[error("{0}: {1}")]
    Content(PathBuf, String),
    /// Nothing can be dated.
    #[error("this machine's clock says that it is {0}, which is before {1}; set it")]
    Clock(time::Date, String),
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Mint(#[from] rcgen::Error),
    /// An error of rustls.
    #[error("cannot prepare encrypted connections: {0}")]
    Tls(#[from] rustls::Error),
}

/// The authority.
pub(crate) struct Authority {
    dir: PathBuf,
    issuer: Issuer<'static, KeyPair>,
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) certificate_pem: String,
    pub(crate) not_after: OffsetDateTime,
    /// One key for all leaves of this process: making keys is the slow part, and more keys would add no security.
    leaf_key: KeyPair,
    /// `leaf_key` in the form in which rustls signs handshakes with it.
    signer: Arc<dyn SigningKey>,
    provider: Arc<CryptoProvider>,
    leaves: ExpiringMap<Host, Leaf>,
}

/// TLS settings with the certificate of a host, and the time in which it is valid.
#[derive(Clone)]
struct Leaf {
    handshake: Arc<ServerConfig>,
    valid: RangeInclusive<OffsetDateTime>,
}

/// The file in the authority's folder that is new when the authority is replaced.
pub(crate) fn certificate_file(dir: &Path) -> PathBuf {
    dir.join(CERT_FILE)
}

impl Authority {
    /// Loads the authority from its folder, or makes one there if the folder has none.
    pub(crate) fn open(dir: &Path) -> Result<Self, AuthorityError> {
        if is_missing(dir) {
            match make::create(dir, &dir.join(KEY_FILE), &dir.join(CERT_FILE)) {
                // Another process that starts on the same folder was faster: its authority is as good.
                Err(AuthorityError::Create(_, error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => done?,
            }
        }
        make::wait_while_half_made(dir);
        load(dir)
    }

    /// The authority that is in the folder now, if it is another one. None is made: a folder that was emptied under a
    /// running proxy is a mistake, or half of a replacement.
    pub(crate) fn replaced(&self) -> Result<Option<Self>, AuthorityError> {
        let now = load(&self.dir)?;
        Ok((now.certificate != self.certificate).then_some(now))
    }

    /// The TLS settings with the host's leaf certificate, from the cache or fresh.
    pub(crate) fn handshake(&self, host: &Host) -> Result<Arc<ServerConfig>, AuthorityError> {
        let make = || -> Result<_, AuthorityError> {
            let (leaf, valid) = self.mint(host)?;
            Ok(Leaf { handshake: handshake_settings(leaf, Arc::clone(&self.provider))?, valid })
        };
        let leaf = self.leaves.get_or_insert(host, make)?;
        if leaf.valid.contains(&OffsetDateTime::now_utc()) {
            return Ok(leaf.handshake);
        }
        // The clock was set since, as it is after the start of a machine that has none of its own.
        self.leaves.remove(host);
        Ok(self.leaves.get_or_insert(host, make)?.handshake)
    }

    fn mint(&self, host: &Host) -> Result<(CertifiedKey, RangeInclusive<OffsetDateTime>), AuthorityError> {
        let mut params = CertificateParams::default();
        let name = host.plain().into_owned();
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
        let signer = Arc::clone(&self.signer);
        let certified = CertifiedKey::new(vec![leaf.der().clone()], signer);
        Ok((certified, params.not_before..=params.not_after))
    }
}

/// The settings of handshakes that show this leaf.
///
/// Session tickets are encrypted with a key of this leaf alone: RFC 8446 § 4.6.1 binds a ticket to the name in the
/// `ClientHello`, and hosts that are addresses have none there. The key is dropped with the leaf, so that no session of an old
/// authority is resumed under a new one.
fn handshake_settings(leaf: CertifiedKey, provider: Arc<CryptoProvider>) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(provider)
        // RFC 8996: TLS 1.0 and 1.1 must not be used. Named, so that no default decides.
        .with_protocol_versions(&[&TLS13, &TLS12])?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(leaf)));
    config.alpn_protocols = ALPN_PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    config.ticketer = Ticketer::new()?;
    // Tickets carry the sessions; rustls's own store would allocate its memory in advance.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    Ok(Arc::new(config))
}

fn is_missing(dir: &Path) -> bool {
    !dir.join(KEY_FILE).exists() && !dir.join(CERT_FILE).exists()
}

fn load(dir: &Path) -> Result<Authority, AuthorityError> {
    let (key_path, cert_path) = (dir.join(KEY_FILE), dir.join(CERT_FILE));
    let bad = |path: &Path, problem: String| AuthorityError::Content(path.to_path_buf(), problem);
    for (path, other, name) in [(&key_path, &cert_path, CERT_FILE), (&cert_path, &key_path, KEY_FILE)] {
        if !path.exists() && other.exists() {
            let problem = format!(
                "it is missing, and the other half of the authority is there; put it back, or take {name} away too, and \
                 a new authority is made, whose certificate devices must then trust"
            );
            return Err(bad(path, problem));
        }
    }
    for path in [dir, &key_path] {
        let checked = platform::check_owner(path).map_err(|error| AuthorityError::Read(path.to_path_buf(), error))?;
        checked.map_err(|problem| bad(path, problem))?;
    }
    let rights = platform::rights_of_others(&key_path);
    if let Some(mode) = rights.map_err(|error| AuthorityError::Read(key_path.clone(), error))? {
        let problem =
            format!("others than its owner can read or write it (mode {mode:o}); `chmod 600` on it mends that");
        return Err(bad(&key_path, problem));
    }
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| AuthorityError::Read(path.to_path_buf(), error));
    let key =
        KeyPair::from_pem(&read(&key_path)?).map_err(|error| bad(&key_path, format!("not a private key: {error}")))?;
    let certificate_pem = only_certificate(&read(&cert_path)?);
    let certificate = CertificateDer::from_pem_slice(certificate_pem.as_bytes())
        .map_err(|error| bad(&cert_path, format!("not a certificate: {error}")))?;
    let (not_before, not_after) = check_certificate(&certificate, &key).map_err(|problem| bad(&cert_path, problem))?;
    let now = OffsetDateTime::now_utc();
    if now < not_before {
        let begin = format!("the certificate in {} became valid ({})", cert_path.display(), not_before.date());
        return Err(AuthorityError::Clock(now.date(), begin));
    }
    let issuer = Issuer::from_ca_cert_der(&certificate, key)?;
    let leaf_key = KeyPair::generate()?;
    let signer = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf_key.serialize_der()));
    Ok(Authority {
        dir: dir.to_path_buf(),
        issuer,
        certificate,
        certificate_pem,
        not_after,
        leaf_key,
        signer: any_supported_type(&signer)?,
        provider: Arc::new(default_provider()),
        leaves: ExpiringMap::new(CACHED_LEAVES, Lifetime::SinceInsertion(LEAF_CACHE_TIME)),
    })
}

/// The certificate's own lines: the file is handed out, and anything else in it must not be.
fn only_certificate(text: &str) -> String {
    const END: &str = "-----END CERTIFICATE-----";
    let start = text.find("-----BEGIN CERTIFICATE-----").unwrap_or(text.len());
    let end = text[start..].find(END).map_or(text.len(), |at| start + at + END.len());
    format!("{}\n", &text[start..end])
}

/// Advice where a certificate cannot be used.
const ANOTHER: &str = "`gleaner ca regenerate --yes` makes another authority, which every device must then trust";

/// From when and until when the certificate is valid.
fn check_certificate(
    certificate: &CertificateDer<'_>,
    key: &KeyPair,
) -> Result<(OffsetDateTime, OffsetDateTime), String> {
    let (_, parsed) =
        x509_parser::parse_x509_certificate(certificate).map_err(|error| format!("not a certificate: {error}"))?;
    if parsed.public_key().subject_public_key.data.as_ref() != key.public_key_raw() {
        return Err(format!(
            "the certificate does not belong to the key in {KEY_FILE}; put back the one that does, or {ANOTHER}"
        ));
    }
    if !parsed.is_ca() {
        return Err(format!("the certificate is not one of an authority, so it cannot sign others; {ANOTHER}"));
    }
    let validity = parsed.validity();
    let (from, until) = (validity.not_before.to_datetime(), validity.not_after.to_datetime());
    if OffsetDateTime::now_utc() > until {
        return Err(format!("the certificate has expired on {}; {ANOTHER}", until.date()));
    }
    Ok((from, until))
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

/// The signature of leaves: the keys that rcgen makes are of P-256, and ring cannot make RSA keys.
const LEAF_SIGNATURE: SignatureScheme = SignatureScheme::ECDSA_NISTP256_SHA256;

/// Whether a client offers a cipher suite, a signature and a group with which a leaf can be shown to it.
pub(crate) fn can_be_shown_leaf(hello: &ClientHello<'_>) -> bool {
    let provider = default_provider();
    let shows_leaf = |suite: &SupportedCipherSuite| match suite {
        SupportedCipherSuite::Tls13(_) => true,
        SupportedCipherSuite::Tls12(suite) => suite.sign.contains(&LEAF_SIGNATURE),
    };
    let is_offered = |suite: &SupportedCipherSuite| hello.cipher_suites().contains(&suite.suite());
    provider.cipher_suites.iter().any(|suite| is_offered(suite) && shows_leaf(suite))
        && hello.signature_schemes().contains(&LEAF_SIGNATURE)
        && hello.named_groups().is_none_or(|groups| provider.kx_groups.iter().any(|ours| groups.contains(&ours.name())))
}

#[cfg(test)]
mod tests;
