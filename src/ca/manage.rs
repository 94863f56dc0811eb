//! What `gleaner ca` does: show the authority, export its certificate, replace it.

use std::{
    fmt::{self, Write},
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::{Authority, AuthorityError, CERT_FILE, KEY_FILE};

/// What is shown of an authority. The key is not part of it.
#[derive(Debug)]
pub struct AuthorityInfo {
    /// The certificate's file.
    pub certificate_file: PathBuf,
    /// The key's file.
    pub key_file: PathBuf,
    /// Whose authority it is.
    pub name: String,
    /// SHA-256 of the certificate, as devices show it.
    pub fingerprint: String,
    /// The first moment it is valid.
    pub not_before: OffsetDateTime,
    /// The last moment it is valid.
    pub not_after: OffsetDateTime,
    /// The certificate in PEM.
    pub pem: String,
    /// The certificate in DER.
    pub der: Vec<u8>,
}

impl AuthorityInfo {
    /// Looks at the authority of a folder; none is made.
    pub fn look(dir: &Path) -> Result<Option<Self>, AuthorityError> {
        if is_empty(dir) {
            return Ok(None);
        }
        Self::open(dir).map(Some)
    }

    /// Looks at the authority of a folder, which is made where there is none.
    pub fn open(dir: &Path) -> Result<Self, AuthorityError> {
        let authority = Authority::open(dir)?;
        let certificate_file = dir.join(CERT_FILE);
        let der = authority.certificate_der().to_vec();
        let (_, parsed) = x509_parser::parse_x509_certificate(&der)
            .map_err(|error| AuthorityError::Content { path: certificate_file.clone(), problem: error.to_string() })?;
        Ok(Self {
            key_file: dir.join(KEY_FILE),
            name: parsed.subject().to_string(),
            fingerprint: fingerprint(&der),
            not_before: parsed.validity().not_before.to_datetime(),
            not_after: parsed.validity().not_after.to_datetime(),
            pem: authority.certificate_pem().to_owned(),
            certificate_file,
            der,
        })
    }

    /// What is to be said of a certificate that ends soon.
    #[must_use]
    pub fn expiry_warning(&self) -> Option<String> {
        expiry_warning(&self.certificate_file, self.not_after)
    }

    /// Makes another authority. The files of the one before are kept beside it under other names; what
    /// comes back is where they are.
    pub fn regenerate(dir: &Path) -> Result<(Self, Vec<PathBuf>), AuthorityError> {
        let mut kept = Vec::new();
        let now = OffsetDateTime::now_utc().unix_timestamp();
        // The certificate first: a key without one is refused, never replaced, should we stop half-way.
        for name in [CERT_FILE, KEY_FILE] {
            let old = dir.join(name);
            if !old.exists() {
                continue;
            }
            let aside = free_name(dir, &format!("{name}.{now}"));
            fs::rename(&old, &aside).map_err(|error| AuthorityError::Create { path: aside.clone(), error })?;
            kept.push(aside);
        }
        Ok((Self::open(dir)?, kept))
    }
}

impl fmt::Display for AuthorityInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name         {}", self.name)?;
        writeln!(f, "valid        {} to {}", self.not_before.date(), self.not_after.date())?;
        writeln!(f, "SHA-256      {}", self.fingerprint)?;
        writeln!(f, "certificate  {}", self.certificate_file.display())?;
        write!(f, "key          {}", self.key_file.display())
    }
}

/// Days before the end of a certificate in which its owner is warned: time to tell every device of another.
const WARNING_DAYS: i64 = 30;

pub(super) fn expiry_warning(file: &Path, not_after: OffsetDateTime) -> Option<String> {
    let days = (not_after - OffsetDateTime::now_utc()).whole_days();
    (days < WARNING_DAYS).then(|| {
        format!(
            "the certificate authority in {} ends on {}, {days} days from now; `gleaner ca regenerate --yes` makes another, \
             which every device must then trust",
            file.display(),
            not_after.date()
        )
    })
}

fn is_empty(dir: &Path) -> bool {
    !dir.join(KEY_FILE).exists() && !dir.join(CERT_FILE).exists()
}

/// Two authorities replaced within a second keep both their files.
fn free_name(dir: &Path, name: &str) -> PathBuf {
    let mut path = dir.join(format!("{name}.old"));
    let mut number = 1;
    while path.exists() {
        number += 1;
        path = dir.join(format!("{name}-{number}.old"));
    }
    path
}

fn fingerprint(der: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in Sha256::digest(der).iter().enumerate() {
        let colon = if index == 0 { "" } else { ":" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{colon}{byte:02X}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_makes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(AuthorityInfo::look(dir.path()).unwrap().is_none());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn regenerating_keeps_the_old_files_readable_by_their_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let first = AuthorityInfo::open(dir.path()).unwrap();
        let old_key = fs::read(dir.path().join(KEY_FILE)).unwrap();
        let (second, kept) = AuthorityInfo::regenerate(dir.path()).unwrap();
        assert_ne!(first.fingerprint, second.fingerprint);
        // Where devices list what they trust there is only the name.
        assert_ne!(first.name, second.name);
        assert_eq!(kept.len(), 2);
        assert_eq!(fs::read(&kept[0]).unwrap(), first.pem.as_bytes());
        assert_eq!(fs::read(&kept[1]).unwrap(), old_key);
        assert_ne!(fs::read(dir.path().join(KEY_FILE)).unwrap(), old_key);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&kept[1]).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600);
        }
        // Again at once: nothing that was kept is overwritten.
        let (_, again) = AuthorityInfo::regenerate(dir.path()).unwrap();
        assert!(again.iter().all(|path| !kept.contains(path)));
        assert_eq!(fs::read(&kept[1]).unwrap(), old_key);
    }

    #[test]
    fn what_is_shown_is_not_the_key() {
        let dir = tempfile::tempdir().unwrap();
        let shown = AuthorityInfo::open(dir.path()).unwrap().to_string();
        assert!(shown.contains("Gleaner CA") && !shown.contains("PRIVATE"), "{shown}");
        assert_eq!(shown.matches(':').count(), 31, "{shown}");
    }
}
