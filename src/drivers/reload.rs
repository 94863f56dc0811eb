//! Reloading: the configuration file is watched, and a file with mistakes changes nothing.
//!
//! What is built from a configuration is in `state::runtime_state`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use tokio::{sync::mpsc, task::spawn_blocking, time::sleep};
use tracing::{error, info, warn};

use crate::{
    config::{Config, Lookup},
    mitm::authority,
    state::{loaded_config::LoadedConfig, proxy::Proxy},
};

/// Time without changes before the file is read: editors write in several steps, some with
/// pauses of tens of milliseconds. Raising it makes a save take effect later.
const DEBOUNCE: Duration = Duration::from_millis(200);

/// Time without changes before a file is read that asks nobody for a password any more: it may be half of one, written to
/// a slow disk.
const PAUSE_BEFORE_DROPPING_USERS: Duration = Duration::from_secs(3);

/// Reads the configuration again, from where it was looked for at start, and puts it in force, or logs why not. Compiling
/// lists may take seconds, so this is no function for a thread that serves requests.
pub fn reload(proxy: &Proxy, overrides: impl FnOnce(&mut Config)) {
    let Some(lookup) = proxy.config_lookup() else {
        return info!("no configuration file is known, the defaults stay in force");
    };
    report(proxy, load(proxy, &lookup, overrides), false);
}

/// The file that was read, if there is one, and the keys in it that take effect at the next start.
type Reloaded = Result<Option<(PathBuf, Vec<&'static str>)>, String>;

/// Logs the outcome, and keeps an error for the start page. `is_of_lists`: nothing else has changed.
fn report(proxy: &Proxy, loaded: Reloaded, is_of_lists: bool) {
    match loaded {
        Ok(_) if is_of_lists => info!("a list or the pause of blocking has changed, and is in force"),
        Ok(Some((file, waiting))) => {
            for key in waiting {
                warn!(key, "this setting takes effect at the next start");
            }
            info!(file = %file.display(), "configuration reloaded");
        }
        Ok(None) => info!("no configuration file found, the defaults stay in force"),
        Err(error) => {
            error!(error, "configuration not reloaded, the one before it stays in force");
            proxy.reload_error.store(Some(Arc::new(error)));
        }
    }
}

fn load(proxy: &Proxy, lookup: &Lookup, overrides: impl FnOnce(&mut Config)) -> Reloaded {
    // A signal and the watch may reload at once: one after the other, so that what was read last is in force.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let mut loaded = LoadedConfig::find(lookup).map_err(|error| error.to_string())?;
    if let (None, Some(file)) = (&loaded.file, proxy.config_file()) {
        // More likely a mistake than a wish for the defaults.
        return Err(format!("{}: the file is gone", file.display()));
    }
    if let Some(file) = loaded.file.as_deref().filter(|file| fs::metadata(file).is_ok_and(|file| file.len() == 0)) {
        return Err(format!("{}: the file is empty; `{{}}` in it would mean the defaults", file.display()));
    }
    overrides(&mut loaded.config);
    let waiting = waiting_for_restart(&proxy.started_with, &loaded.config);
    let file = loaded.file.clone();
    proxy.reload(loaded).map_err(|error| error.to_string())?;
    let Some(file) = file else { return Ok(None) };
    proxy.file.store(Some(Arc::new(file.clone())));
    Ok(Some((file, waiting)))
}

/// Some settings are read at start only: those of them that have changed.
fn waiting_for_restart(before: &Config, after: &Config) -> Vec<&'static str> {
    let changed = [
        ("listen", before.listen != after.listen),
        ("health.listen", before.health.listen != after.health.listen),
        ("icap.listen", before.icap.listen != after.icap.listen),
        ("authority.dir", before.authority_dir != after.authority_dir),
        ("log", before.log != after.log),
        ("limits.connections", before.limits.connections != after.limits.connections),
        ("limits.page_workers", before.limits.page_workers != after.limits.page_workers),
    ];
    changed.into_iter().filter_map(|(key, changed)| changed.then_some(key)).collect()
}

/// Watches the configuration and its lists, and reloads on every save. The watch is open when this function
/// returns; the future ends where files cannot be watched, and then only a signal reloads.
///
/// Files are read and lists compiled, which may take seconds, away from the threads that serve requests.
pub fn watch(
    proxy: Arc<Proxy>,
    overrides: impl Fn(&mut Config) + Send + Sync + 'static,
) -> impl Future<Output = ()> + Send {
    let first = Watch::begin(&proxy);
    let overrides = Arc::new(overrides);
    async move {
        let Some(mut watch) = first else { return };
        loop {
            watch.changed(&proxy).await;
            let asked = Arc::clone(&proxy);
            if spawn_blocking(move || drops_users(&asked)).await.unwrap_or(true) {
                watch.rest(PAUSE_BEFORE_DROPPING_USERS).await;
            }
            let is_of_lists = !watch.is_of_others.load(Relaxed);
            let lists = proxy.state().blocker.fingerprint;
            // Repeated until the watch covers the files in force: a folder may have appeared, a link may have another
            // target, other lists may be named. Each watch is open before the files are read, and one save is
            // reported once.
            let loaded = loop {
                let (Some(next), Some(lookup)) = (Watch::begin(&proxy), proxy.config_lookup()) else { return };
                watch = next;
                let (changed, overrides) = (Arc::clone(&proxy), Arc::clone(&overrides));
                let loading = spawn_blocking(move || load(&changed, &lookup, &*overrides));
                let loaded = loading.await.unwrap_or_else(|error| Err(error.to_string()));
                if watch.names == names(&proxy) {
                    break loaded;
                }
            };
            if !is_of_lists || loaded.is_err() || proxy.state().blocker.fingerprint != lists {
                report(&proxy, loaded, is_of_lists);
            }
        }
    }
}

/// An open watch.
struct Watch {
    names: BTreeSet<PathBuf>,
    changes: mpsc::Receiver<()>,
    /// Whether another file than that of a list, or of the pause, has changed.
    is_of_others: Arc<AtomicBool>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    fn begin(proxy: &Proxy) -> Option<Self> {
        let names = names(proxy);
        if names.is_empty() {
            return None;
        }
        // Capacity one: a second change before the first is received adds nothing.
        let (notice, changes) = mpsc::channel(1);
        let wanted = names.clone();
        let lists: BTreeSet<_> = proxy.state().blocker.files().iter().flat_map(|file| trace(file)).collect();
        let is_of_others = Arc::new(AtomicBool::new(false));
        let others = Arc::clone(&is_of_others);
        let on_event = move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            let ours: Vec<_> = event.paths.iter().filter(|path| wanted.contains(*path)).collect();
            if !event.kind.is_access() && !ours.is_empty() {
                others.fetch_or(ours.iter().any(|path| !lists.contains(*path)), Relaxed);
                // Full: the change is known already. Closed: the watch is ending.
                let _ = notice.try_send(());
            }
        };
        let mut watcher =
            notify::recommended_watcher(on_event).inspect_err(|error| warn!(%error, "files cannot be watched")).ok()?;
        // The folders, because editors replace the file and a watch on it would follow the old one.
        let folders: BTreeSet<&Path> = names.iter().filter_map(|name| name.parent()).collect();
        for folder in folders {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                warn!(%error, folder = %folder.display(), "a folder cannot be watched");
            }
        }
        Some(Self { names, changes, is_of_others, _watcher: watcher })
    }

    /// Waits for a change, and then until no more come.
    async fn changed(&mut self, proxy: &Proxy) {
        tokio::select! {
            change = self.changes.recv() => if change.is_none() {
                return std::future::pending().await;
            },
            () = proxy.lists_changed.notified() => {}
        }
        self.rest(DEBOUNCE).await;
    }

    /// Waits until there was no change for so long.
    async fn rest(&mut self, time: Duration) {
        sleep(time).await;
        while self.changes.try_recv().is_ok() {
            sleep(time).await;
        }
    }
}

/// Whether the file that is there now asks nobody for a password, and the configuration in force does.
fn drops_users(proxy: &Proxy) -> bool {
    let found = proxy.config_lookup().and_then(|lookup| lookup.read().ok());
    !proxy.config().access.users.is_empty() && found.is_some_and(|found| found.config.access.users.is_empty())
}

/// The paths to watch, as the watcher names them: every place where the configuration may be, its lists, and the
/// certificate of the authority, which may not be made yet.
fn names(proxy: &Proxy) -> BTreeSet<PathBuf> {
    let places = proxy.config_lookup().into_iter().flat_map(|lookup| lookup.places);
    let state = proxy.state();
    let authority = state.config.authority_dir.as_deref().map(authority::certificate_file);
    let files = places.chain(state.watched.iter().cloned()).chain(authority);
    files.flat_map(|path| trace(&path)).collect()
}

/// Most links that are followed; the kernel stops at 40 too.
const MOST_LINKS: usize = 40;

/// The file that a path leads to and every link on the way to it: a change of any is a change of the
/// file. Of a path that is not there yet, the first part that is missing.
fn trace(path: &Path) -> Vec<PathBuf> {
    let Ok(path) = std::path::absolute(path) else {
        return Vec::new();
    };
    // In reverse order: the next part is the last of the vector.
    let parts = |path: &Path| -> Vec<PathBuf> { path.components().rev().map(|part| PathBuf::from(&part)).collect() };
    let (mut found, mut at, mut left) = (Vec::new(), PathBuf::new(), parts(&path));
    while let Some(part) = left.pop() {
        match part.as_os_str().as_encoded_bytes() {
            b"." => continue,
            b".." => {
                at.pop();
                continue;
            }
            _ => at.push(part),
        }
        if let Ok(target) = at.read_link() {
            found.push(at.clone());
            if found.len() > MOST_LINKS {
                return found;
            }
            // An absolute target starts with the root, and pushing that replaces the path.
            at.pop();
            left.extend(parts(&target));
        } else if !at.exists() {
            break;
        }
    }
    found.push(at);
    found
}
