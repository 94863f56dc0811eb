//! Another configuration without another process: the file is watched, and a bad save changes nothing.
//!
//! What a configuration puts in force is for `proxy`.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::{sync::mpsc, time::sleep};
use tracing::{error, info, warn};

use crate::{
    config::{Config, Lookup},
    proxy::Proxy,
};

/// Quiet after a change before the file is read: editors write in several steps, some with
/// pauses of tens of milliseconds. Raising it makes a save take effect later.
const DEBOUNCE: Duration = Duration::from_millis(200);

/// Reads the configuration again and puts it in force, or says why not.
pub fn reload(proxy: &Proxy, overrides: impl FnOnce(&mut Config)) {
    let Some(file) = proxy.config_file() else {
        return;
    };
    let lookup = Lookup::new(Some(file.to_path_buf()));
    let loaded = lookup
        .load()
        .map_err(|error| error.to_string())
        .and_then(|found| {
            let mut config = found.config;
            overrides(&mut config);
            let before = proxy.config();
            warn_of_restart(&before, &config);
            proxy.reload(config).map_err(|error| error.to_string())
        });
    match loaded {
        Ok(()) => info!(file = %file.display(), "configuration reloaded"),
        Err(error) => {
            error!(
                error,
                "configuration not reloaded, the one before it stays in force"
            );
            proxy.reload_failed(&error);
        }
    }
}

/// Some settings are read at start only.
fn warn_of_restart(before: &Config, after: &Config) {
    let changed = [
        ("listen", before.listen != after.listen),
        ("authority.dir", before.authority_dir != after.authority_dir),
        ("log", before.log != after.log),
        (
            "limits.connections",
            before.limits.connections != after.limits.connections,
        ),
        (
            "limits.page_workers",
            before.limits.page_workers != after.limits.page_workers,
        ),
    ];
    for (key, _) in changed.into_iter().filter(|(_, changed)| *changed) {
        warn!(key, "this setting takes effect at the next start");
    }
}

/// Watches the configuration and its lists, reloading on every save. The watch is open when this
/// returns; the future ends where files cannot be watched, and then only a signal reloads.
pub fn watch(
    proxy: Arc<Proxy>,
    overrides: impl Fn(&mut Config) + Send,
) -> impl Future<Output = ()> + Send {
    let first = Watch::begin(&proxy);
    async move {
        let Some(mut watch) = first else { return };
        loop {
            watch.changed().await;
            reload(&proxy, &overrides);
            // The lists to watch may be others now.
            let Some(next) = Watch::begin(&proxy) else {
                return;
            };
            // What was saved before the new watch was open is known to the old one.
            if watch.pending() {
                reload(&proxy, &overrides);
            }
            watch = next;
        }
    }
}

/// An open watch.
struct Watch {
    changes: mpsc::Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    fn begin(proxy: &Proxy) -> Option<Self> {
        let files = files(proxy)?;
        // Room for one: a second change before the first is seen says nothing new.
        let (notice, changes) = mpsc::channel(1);
        let names: HashSet<PathBuf> = files.iter().cloned().collect();
        let on_event = move |event: notify::Result<Event>| {
            let ours = |event: &Event| {
                !event.kind.is_access() && event.paths.iter().any(|path| names.contains(path))
            };
            if event.is_ok_and(|event| ours(&event)) {
                // Full: the change is known already. Closed: the watch is ending.
                let _ = notice.try_send(());
            }
        };
        let mut watcher = notify::recommended_watcher(on_event)
            .inspect_err(|error| warn!(%error, "files cannot be watched"))
            .ok()?;
        // The folders, because editors replace the file and a watch on it would follow the old one.
        let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
        for folder in folders {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                warn!(%error, folder = %folder.display(), "a folder cannot be watched");
            }
        }
        Some(Self {
            changes,
            _watcher: watcher,
        })
    }

    /// Waits for a change, and then until no more come.
    async fn changed(&mut self) {
        if self.changes.recv().await.is_none() {
            return std::future::pending().await;
        }
        self.settle().await;
    }

    async fn settle(&mut self) {
        loop {
            sleep(DEBOUNCE).await;
            if !self.pending() {
                return;
            }
        }
    }

    /// Whether something changed since the last look.
    fn pending(&mut self) -> bool {
        let mut pending = false;
        while self.changes.try_recv().is_ok() {
            pending = true;
        }
        pending
    }
}

/// The files to watch, as the watcher will name them.
fn files(proxy: &Proxy) -> Option<Vec<PathBuf>> {
    let file = proxy.config_file()?.to_path_buf();
    let lists = proxy.config().watched;
    let absolute = |path: PathBuf| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    Some(
        std::iter::once(file)
            .chain(lists)
            .filter_map(absolute)
            .collect(),
    )
}
