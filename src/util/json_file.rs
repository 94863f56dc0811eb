//! A value in a JSON file of the authority's folder, which several processes read and change.
//!
//! The file is the truth: it is read again when it has changed. A change is made in memory at once and written soon; at that moment
//! it is applied again to what another process may have written in between, so that no change is lost.

use std::{
    fmt,
    fs::{self, File},
    io,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use parking_lot::{Mutex, MutexGuard};
use serde::{Serialize, de::DeserializeOwned};
use tokio::runtime::Handle;
use tracing::warn;

use super::atomic_file::{self, Readers};

/// Largest file that is read: what the largest list takes, several times over.
const MAX_FILE: u64 = 4 << 20;

/// The value and its file.
#[derive(Debug)]
pub(crate) struct JsonFile<T>(Arc<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    /// None: the value is kept in memory only.
    path: Option<PathBuf>,
    /// What the value is, for messages.
    name: &'static str,
    state: Mutex<ValueState<T>>,
    /// Held while the file is written: the newest value comes last.
    writing: Mutex<()>,
}

struct ValueState<T> {
    value: T,
    /// The modification time of the file when it was read or written.
    modified: Option<SystemTime>,
    /// Changes that are not in the file yet.
    unwritten: Vec<PendingEdit<T>>,
    /// How often the value was read from the file.
    reads: u64,
}

type PendingEdit<T> = Box<dyn Fn(&mut T) + Send>;

/// The value, and how often it was read from the file.
pub(crate) struct Current<'a, T>(MutexGuard<'a, ValueState<T>>);

impl<T: Default + Serialize + DeserializeOwned + Send + 'static> JsonFile<T> {
    /// The value in this file of a folder, or one that is kept in memory only. `name` is for messages.
    pub(crate) fn open(dir: Option<&Path>, file: &str, name: &'static str) -> Self {
        let path = dir.map(|dir| dir.join(file));
        let state = ValueState { value: T::default(), modified: None, unwritten: Vec::new(), reads: 0 };
        Self(Arc::new(Inner { path, name, state: Mutex::new(state), writing: Mutex::new(()) }))
    }

    /// The value, read again if the file has changed.
    pub(crate) fn get(&self) -> Current<'_, T> {
        let mut state = self.0.state.lock();
        // Until the changes are written the file is older than the value.
        if state.unwritten.is_empty() {
            self.0.refresh(&mut state);
        }
        Current(state)
    }

    /// Changes the value, and writes it soon. The change may be made more than once, on different values.
    pub(crate) fn change<R>(&self, change: impl Fn(&mut T) -> R + Send + 'static) -> R {
        let mut state = self.get().0;
        let result = change(&mut state.value);
        if self.0.path.is_none() {
            return result;
        }
        state.unwritten.push(Box::new(move |value| drop(change(value))));
        drop(state);
        let inner = Arc::clone(&self.0);
        let write = move || {
            if let Err(error) = inner.write() {
                warn!(%error, file = ?inner.path, "{} cannot be written; changes are forgotten at the end", inner.name);
            }
        };
        // A slow disk delays no request.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
        result
    }

    /// Changes the value, and writes it.
    pub(crate) fn change_now<R>(&self, change: impl Fn(&mut T) -> R + Send + 'static) -> io::Result<R> {
        let mut state = self.get().0;
        let result = change(&mut state.value);
        state.unwritten.push(Box::new(move |value| drop(change(value))));
        drop(state);
        self.0.write().map(|()| result)
    }
}

impl<T: Default + Serialize + DeserializeOwned> Inner<T> {
    /// Reads the file if it has changed. Whether it has.
    fn refresh(&self, state: &mut ValueState<T>) -> bool {
        let Some(path) = &self.path else { return false };
        let metadata = fs::metadata(path).ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        // A file that is gone is an empty value, unless it could never be written.
        if modified == state.modified {
            return false;
        }
        let is_small = metadata.is_some_and(|metadata| metadata.len() <= MAX_FILE);
        let read = is_small.then(|| fs::read(path).ok()).flatten();
        let parsed = read.map(|bytes| serde_json::from_slice(&bytes)).transpose().inspect_err(|error| {
            warn!(%error, file = %path.display(), "{} cannot be read and counts as empty", self.name);
        });
        state.value = parsed.ok().flatten().unwrap_or_default();
        state.modified = modified;
        state.reads += 1;
        true
    }

    /// Writes the changes that were made, on what is in the file now.
    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let _one_at_a_time = self.writing.lock();
        // Other processes wait; where the folder cannot be written in, the file cannot either.
        let lock = File::create(path.with_extension("lock"));
        if let Ok(lock) = &lock {
            lock.lock()?;
        }
        let (bytes, written) = {
            let mut state = self.state.lock();
            if state.unwritten.is_empty() {
                return Ok(());
            }
            if self.refresh(&mut state) {
                let ValueState { value, unwritten, .. } = &mut *state;
                for change in unwritten.iter() {
                    change(value);
                }
            }
            (serde_json::to_vec_pretty(&state.value)?, state.unwritten.len())
        };
        let modified = atomic_file::write(path, &bytes, Readers::Owner);
        let mut state = self.state.lock();
        // Also where that failed: the value stays as it is in memory until the file changes.
        state.unwritten.drain(..written);
        state.modified = modified?;
        Ok(())
    }
}

impl<T> Current<'_, T> {
    /// How often the value was read from the file.
    pub(crate) fn reads(&self) -> u64 {
        self.0.reads
    }
}

impl<T> Deref for Current<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueState<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueState").field("value", &self.value).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(dir: &Path) -> JsonFile<Vec<u8>> {
        JsonFile::open(Some(dir), "numbers.json", "the list of numbers")
    }

    #[test]
    fn what_one_process_writes_the_other_has_and_neither_overwrites_it() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (open(dir.path()), open(dir.path()));
        for number in 0..4 {
            [&one, &other][usize::from(number % 2)].change(move |list| list.push(number));
        }
        assert_eq!(*one.get(), [0, 1, 2, 3]);
        assert_eq!(other.change_now(Vec::pop).unwrap(), Some(3));
        assert_eq!((&*one.get(), &*open(dir.path()).get()), (&vec![0, 1, 2], &vec![0, 1, 2]));
    }

    /// A process reads, another writes, and the first writes what it changed.
    #[test]
    fn a_change_is_made_anew_on_what_was_written_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (open(dir.path()), open(dir.path()));
        let mut state = one.get().0;
        state.value.push(1);
        state.unwritten.push(Box::new(|list| list.push(1)));
        drop(state);
        other.change(|list| list.push(2));
        one.0.write().unwrap();
        assert_eq!(*other.get(), [2, 1]);
    }

    #[test]
    fn a_broken_file_counts_as_empty_and_one_that_cannot_be_written_changes_nothing_in_memory() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("numbers.json"), "[1, broken").unwrap();
        assert!(open(dir.path()).get().is_empty());
        let list = open(&dir.path().join("none"));
        list.change(|list| list.push(1));
        assert_eq!(*list.get(), [1]);
        assert!(list.change_now(|list| list.push(2)).is_err());
    }
}
