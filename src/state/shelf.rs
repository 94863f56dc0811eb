//! The books that people keep: files in a folder, one folder for each user or device. They are the truth; nothing is in memory.

use std::{
    fs, io,
    net::IpAddr,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::{
    config,
    net::client_program::ClientProgram,
    util::{
        atomic_file::{self, Readers},
        platform,
        random::nonce,
    },
};

const DAY: u64 = 24 * 60 * 60;

/// The books of one user or device.
pub(crate) struct BookShelf {
    settings: config::Shelf,
    root: PathBuf,
    dir: PathBuf,
}

/// What is known of a book, in a file beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptBook {
    /// The name of its file without the ending.
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) author: Option<String>,
    /// The page that it is of.
    pub(crate) page: String,
    /// When it was kept, in seconds since 1970.
    pub(crate) kept: u64,
}

impl BookShelf {
    /// The shelf of a user, or where there are none of a device; none where no books are kept.
    pub(crate) fn for_device(settings: &config::Shelf, device: &ClientProgram) -> Option<Self> {
        let root = settings.dir.clone().filter(|_| settings.enabled)?;
        let dir = root.join(owner(device.user.as_deref(), device.address));
        Some(Self { settings: settings.clone(), root, dir })
    }

    /// Its books, the newest first.
    pub(crate) fn books(&self) -> Vec<KeptBook> {
        self.remove_old();
        let mut books = books_in(&self.dir);
        books.sort_by(|one, other| other.id.cmp(&one.id));
        books
    }

    pub(crate) fn read(&self, id: &str) -> Option<Vec<u8>> {
        fs::read(self.path(id, "epub")?).ok()
    }

    pub(crate) fn keep(&self, mut book: KeptBook, epub: &[u8]) -> io::Result<()> {
        if epub.len() as u64 > self.most() {
            let problem =
                format!("it is longer than all books may be together (`shelf.max_mb`: {})", self.settings.max_mb);
            return Err(io::Error::other(problem));
        }
        platform::make_private_folder(&self.dir)?;
        for dir in [&self.root, &self.dir] {
            platform::check_owner(dir)?.map_err(io::Error::other)?;
        }
        let now = since_1970();
        book.kept = now.as_secs();
        // The order of the names is that of time.
        let id = format!("{:012}-{:08x}{:08x}", book.kept, now.subsec_nanos(), u64::from_be_bytes(nonce()) >> 32);
        atomic_file::write(&self.dir.join(format!("{id}.epub")), epub, Readers::Owner)?;
        atomic_file::write(&self.dir.join(format!("{id}.json")), &serde_json::to_vec(&book)?, Readers::Owner)?;
        self.remove_old();
        Ok(())
    }

    pub(crate) fn delete(&self, id: &str) {
        for path in ["epub", "json"].iter().filter_map(|ending| self.path(id, ending)) {
            // What is gone already is what was asked for.
            let _ = fs::remove_file(path);
        }
    }

    /// None where the name is none of ours, which could lead out of the folder.
    fn path(&self, id: &str, ending: &str) -> Option<PathBuf> {
        let is_ours = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        is_ours.then(|| self.dir.join(format!("{id}.{ending}")))
    }

    fn most(&self) -> u64 {
        u64::from(self.settings.max_mb) * 1_000_000
    }

    /// Removes what was kept too long, and of too much, on all shelves together, the oldest.
    fn remove_old(&self) {
        let files = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut books: Vec<(PathBuf, u64)> = files(&self.root)
            .flat_map(|dir| files(&dir).collect::<Vec<_>>())
            .filter(|path| path.extension().is_some_and(|ending| ending == "epub"))
            .filter_map(|path| fs::metadata(&path).ok().map(|metadata| (path, metadata.len())))
            .collect();
        books.sort_by(|(one, _), (other, _)| other.file_name().cmp(&one.file_name()));
        let since = match self.settings.keep_days {
            0 => 0,
            days => now().saturating_sub(u64::from(days) * DAY),
        };
        let mut total = 0;
        for (path, size) in books {
            total += size;
            let kept = path.file_stem().and_then(|name| name.to_str()?.split('-').next()?.parse::<u64>().ok());
            if total > self.most() || kept.is_some_and(|kept| kept < since) {
                // The next time, if not now.
                let _ = fs::remove_file(&path);
                let _ = fs::remove_file(path.with_extension("json"));
            }
        }
    }
}

/// The name of a folder for them.
fn owner(user: Option<&str>, address: IpAddr) -> String {
    match user {
        Some(user) => format!("user-{}", utf8_percent_encode(user, NON_ALPHANUMERIC)),
        None => format!("device-{}", address.to_canonical().to_string().replace(':', "_")),
    }
}

fn books_in(dir: &Path) -> Vec<KeptBook> {
    let names = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let books = names.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let read = |path: PathBuf| {
        let book: KeptBook = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        Some(KeptBook { id: path.file_stem()?.to_str()?.to_owned(), ..book })
    };
    books.filter_map(read).collect()
}

fn now() -> u64 {
    since_1970().as_secs()
}

fn since_1970() -> Duration {
    // A clock before 1970 is one that stands still.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(dir: &Path, user: Option<&str>, max_mb: u32, keep_days: u32) -> BookShelf {
        let settings = config::Shelf { enabled: true, dir: Some(dir.to_owned()), max_mb, keep_days };
        let user = user.map(Into::into);
        BookShelf::for_device(&settings, &ClientProgram { address: [127, 0, 0, 1].into(), user, agent: String::new() })
            .unwrap()
    }

    fn book(title: &str) -> KeptBook {
        KeptBook { id: String::new(), title: title.to_owned(), author: None, page: String::new(), kept: 0 }
    }

    #[test]
    fn each_has_its_own_books_and_none_leads_out_of_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (anna, ben) = (shelf(dir.path(), Some("../anna"), 1, 0), shelf(dir.path(), None, 1, 0));
        anna.keep(book("One"), b"epub").unwrap();
        assert!(ben.books().is_empty());
        let kept = &anna.books()[0];
        assert_eq!((&*kept.title, anna.read(&kept.id)), ("One", Some(b"epub".to_vec())));
        fs::write(dir.path().join("secret.epub"), "secret").unwrap();
        for id in ["../secret", "", "..", "/etc/passwd"] {
            assert_eq!(anna.read(id), None, "{id}");
        }
        assert_eq!(ben.read(&kept.id), None);
        ben.delete(&kept.id);
        assert_eq!(anna.books().len(), 1);
        anna.delete(&kept.id);
        assert!(anna.books().is_empty());
    }

    #[test]
    fn of_too_much_and_too_old_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = shelf(dir.path(), None, 1, 7);
        shelf.keep(book("New"), &vec![0; 600_000]).unwrap();
        let old = |seconds: u64, size: usize| {
            let id = format!("{seconds:012}-0");
            fs::write(shelf.dir.join(format!("{id}.epub")), vec![0; size]).unwrap();
            fs::write(shelf.dir.join(format!("{id}.json")), serde_json::to_vec(&book("Old")).unwrap()).unwrap();
        };
        old(now() - 8 * DAY, 1);
        old(now() - DAY, 500_000);
        assert_eq!(shelf.books().iter().map(|book| &*book.title).collect::<Vec<_>>(), ["New"]);
        assert!(shelf.keep(book("Long"), &vec![0; 1_000_001]).is_err());
    }
}
