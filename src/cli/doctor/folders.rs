//! What is kept on disk: the certificate authority, and the folders of the program's state and of lists.

use std::{io::ErrorKind, path::Path};

use super::{Subject, finding::Finding};
use crate::{
    Config,
    blocking::store,
    config::Intercept,
    mitm::authority::{Authority, AuthorityError},
    util::platform,
};

/// Free bytes of a disk below which downloads of lists fail soon: the large ones have some ten megabytes.
const LITTLE_ROOM: u64 = 64 << 20;

pub(super) fn check_authority(subject: &Subject) -> Vec<Finding> {
    vec![authority(&subject.config)]
}

fn authority(config: &Config) -> Finding {
    const CHECK: &str = "authority";
    if config.profiles.all.iter().all(|profile| profile.intercept == Intercept::Off) {
        return Finding::ok(CHECK, "none is needed: encrypted pages pass as they are (`https.intercept: off`)");
    }
    let dir = config.authority_dir.as_deref().ok_or(AuthorityError::NoFolder);
    match dir.and_then(Authority::find_or_check) {
        Ok(None) => Finding::ok(CHECK, "there is none yet; the first start makes it"),
        Ok(Some(authority)) => match authority.expiry_warning() {
            None => Finding::ok(CHECK, "it is valid, and only its owner can read its key"),
            Some(warning) => {
                let next = "`gleaner ca regenerate --yes` makes another, which every device must then trust";
                Finding::warning(CHECK, "it ends soon", next).with(warning)
            }
        },
        Err(AuthorityError::Create(..)) => {
            Finding::skipped(CHECK, "there is none, and its folder cannot be written: see `folders`")
        }
        Err(AuthorityError::Clock(..)) => {
            Finding::skipped(CHECK, "there is none, and none is made before the clock is set: see `clock`")
        }
        Err(error) => {
            let next = match &error {
                AuthorityError::NoFolder => "set `authority: { dir: FOLDER }` in the configuration".to_owned(),
                AuthorityError::Read(_, io) => next_step(io.kind(), "authority.dir"),
                _ => "do what the line above says; where a date is in it, look at `clock` first".to_owned(),
            };
            let summary = "it cannot be used, so that encrypted pages pass as they are";
            Finding::problem(CHECK, summary, next).with(error.to_string())
        }
    }
}

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let state = subject.config.authority_dir.as_deref();
    let lists = subject.config.blocking.dir.as_deref();
    let (Some(state), Some(lists)) = (state, lists) else {
        let next =
            "start Gleaner as a user that has a home, or name folders: `authority: { dir: … }`, `blocking: { dir: … }`";
        return vec![Finding::warning("folders", "no folder is known in which anything could be kept", next)];
    };
    let mut findings = vec![folder(state, "authority.dir")];
    // Most often it is in the other, and on the same disk.
    if !lists.starts_with(state) || lists.exists() {
        findings.push(folder(lists, "blocking.dir"));
    }
    findings
}

fn folder(dir: &Path, key: &'static str) -> Finding {
    const CHECK: &str = "folders";
    let room = room(dir);
    let shown = dir.display();
    let finding = match (store::check(dir), room) {
        (Err(error), _) => {
            let summary = match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full, so that nothing can be kept",
                ErrorKind::ReadOnlyFilesystem => "the disk cannot be written, so that nothing can be kept",
                _ => "this user cannot write there, so that nothing can be kept",
            };
            // Lists are kept in memory then.
            let next = next_step(error.kind(), key);
            let finding = if key == "blocking.dir" {
                Finding::warning(CHECK, summary, next)
            } else {
                Finding::problem(CHECK, summary, next)
            };
            finding.with(format!("{shown}: {error}"))
        }
        (Ok(()), Some(bytes)) if bytes < LITTLE_ROOM => {
            Finding::warning(CHECK, "the disk is nearly full", next_step(ErrorKind::StorageFull, key))
                .with(format!("{shown}: {} MiB are free", bytes >> 20))
        }
        (Ok(()), _) => Finding::ok(CHECK, "the folder can be written").with(shown.to_string()),
    };
    match room {
        Some(bytes) => finding.figure("free_mebibytes", bytes >> 20),
        None => finding,
    }
}

fn next_step(kind: ErrorKind, key: &str) -> String {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "delete what is not needed; `df -h` shows how full each disk is".to_owned()
        }
        ErrorKind::ReadOnlyFilesystem => {
            format!("name a folder on another disk with `{key}`; a disk that could be written before may be broken")
        }
        _ => format!(
            "run this as the user that Gleaner runs as; if it is the same, `chown` the folder to that user, or name another \
             with `{key}`"
        ),
    }
}

/// Bytes that this user may still write on the disk of a folder, or of the one in which it will be made.
fn room(dir: &Path) -> Option<u64> {
    platform::room(dir.ancestors().find(|dir| dir.exists())?)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    #[test]
    fn a_folder_is_tried_and_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let made_later = dir.path().join("state/of/gleaner");
        let good = folder(&made_later, "authority.dir");
        assert!(matches!(good.level, Level::Ok | Level::Warning), "{good:?}");
        assert!(good.figures.contains_key("free_mebibytes"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let bad = folder(Path::new("/proc/gleaner"), "blocking.dir");
        assert!(bad.level == Level::Warning && bad.next.contains("`blocking.dir`"), "{bad:?}");
    }
}
