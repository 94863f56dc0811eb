//! Reads an existing authority without creating one, replaces it, and reports its fingerprint and expiry: for the
//! command line and the panel.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use ring::digest::{SHA256, digest};
use time::OffsetDateTime;

use super::{Authority, AuthorityError, CERT_FILE, KEY_FILE, certificate_file, is_missing, make};

impl Authority {
    /// Loads the authority of a folder; none is made.
    pub(crate) fn find(dir: &Path) -> Result<Option<Self>, AuthorityError> {
        (!is_missing(dir)).then(|| Self::open(dir)).transpose()
    }

    /// Loads the authority of a folder. If there is none, checks that a first start could make one.
    pub(crate) fn find_or_check(dir: &Path) -> Result<Option<Self>, AuthorityError> {
        let found = Self::find(dir)?;
        if found.is_none() {
            make::check_clock()?;
            make::try_create(dir)?;
        }
        Ok(found)
    }

    /// Makes another authority. The files of the old one are kept beside it under other names, which are returned.
    pub(crate) fn regenerate(dir: &Path) -> Result<(Self, Vec<PathBuf>), AuthorityError> {
        let mut kept = Vec::new();
        // The certificate first: should this stop half-way, a key without certificate is refused and never replaced.
        for name in [CERT_FILE, KEY_FILE].into_iter().filter(|name| dir.join(name).exists()) {
            let mut now = OffsetDateTime::now_utc().unix_timestamp();
            let aside = |now: i64| dir.join(format!("{name}.{now}.old"));
            while aside(now).exists() {
                now += 1;
            }
            let aside = aside(now);
            fs::rename(dir.join(name), &aside).map_err(|error| AuthorityError::Create(aside.clone(), error))?;
            kept.push(aside);
        }
        Ok((Self::open(dir)?, kept))
    }

    /// The SHA-256 of the certificate, as lists of certificates show it.
    pub(crate) fn fingerprint(&self) -> String {
        let digest = digest(&SHA256, &self.certificate);
        digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
    }

    /// The warning about a certificate that expires soon.
    pub(crate) fn expiry_warning(&self) -> Option<String> {
        let days = (self.not_after - OffsetDateTime::now_utc()).whole_days();
        (days < WARNING_DAYS).then(|| {
            format!(
                "the certificate authority in {} ends on {}, {days} days from now; `gleaner ca regenerate --yes` makes \
                 another, which every device must then trust",
                certificate_file(&self.dir).display(),
                self.not_after.date()
            )
        })
    }
}

/// Days before the end of a certificate in which its owner is warned: time to install another on every device.
const WARNING_DAYS: i64 = 30;

/// All about the authority but its key.
impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Loading has parsed it already.
        let (_, parsed) = x509_parser::parse_x509_certificate(&self.certificate).map_err(|_| fmt::Error)?;
        let from = parsed.validity().not_before.to_datetime();
        writeln!(f, "name         {}", parsed.subject())?;
        writeln!(f, "valid        {} to {}", from.date(), self.not_after.date())?;
        writeln!(f, "SHA-256      {}", self.fingerprint())?;
        writeln!(f, "certificate  {}", certificate_file(&self.dir).display())?;
        write!(f, "key          {}", self.dir.join(KEY_FILE).display())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn regenerating_keeps_the_old_files_readable_by_their_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let first = Authority::open(dir.path()).unwrap();
        let old_key = fs::read(dir.path().join(KEY_FILE)).unwrap();
        let (second, kept) = Authority::regenerate(dir.path()).unwrap();
        let name = |info: &Authority| info.to_string().lines().next().map(str::to_owned);
        assert_ne!(name(&first), name(&second), "devices list only the name");
        assert_eq!(fs::read(&kept[0]).unwrap(), first.certificate_pem.as_bytes());
        assert_eq!(fs::read(&kept[1]).unwrap(), old_key);
        assert_ne!(fs::read(dir.path().join(KEY_FILE)).unwrap(), old_key);
        assert_eq!(fs::metadata(&kept[1]).unwrap().permissions().mode() & 0o777, 0o600);
        // Again within a second: nothing that was kept is overwritten.
        let (_, again) = Authority::regenerate(dir.path()).unwrap();
        assert!(again.iter().all(|path| !kept.contains(path)));
        assert_eq!(fs::read(&kept[1]).unwrap(), old_key);
    }
}
