//! `gleaner serve`: binds, prints what to do next, and runs until a signal ends it.

use std::{
    io::{self, Write as _},
    net::SocketAddr,
    path, process,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use tokio::{
    net::TcpListener,
    task::{JoinSet, spawn_blocking},
    time,
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use super::{EX_UNAVAILABLE, EX_USAGE, Failure, ServeArguments, banner, listeners};
use crate::{
    Proxy,
    config::Lookup,
    drivers::{health, icap, list_updates, reload, update_check},
    http::log,
    state::loaded_config::LoadedConfig,
    util::platform::{self, EndSignals, ReloadSignal, ServiceState},
};

pub(super) fn run(config: Option<path::PathBuf>, arguments: ServeArguments) -> anyhow::Result<()> {
    arguments.check().map_err(|problem| Failure::error(EX_USAGE, problem))?;
    let lookup = Lookup::new(config);
    let mut loaded = LoadedConfig::find(&lookup)?;
    arguments.apply(&mut loaded.config);
    log::init(loaded.config.log);
    let served = tokio::runtime::Runtime::new()?.block_on(serve(lookup, loaded, arguments));
    log::flush();
    served
}

async fn serve(lookup: Lookup, loaded: LoadedConfig, arguments: ServeArguments) -> anyhow::Result<()> {
    // Each connection takes a descriptor. Where the limit cannot be raised, fewer connections are admitted.
    platform::raise_descriptors();
    let (mut listeners, mut own) = (Vec::new(), Vec::new());
    for listener in platform::inherited_listeners()? {
        listener.set_nonblocking(true)?;
        own.push(listener.local_addr()?);
        listeners.push(TcpListener::from_std(listener)?);
    }
    // Those stand in the place of what the configuration names.
    let named = if own.is_empty() { &loaded.config.listen[..] } else { &[] };
    for addr in named {
        let bound = listeners::bind(*addr, &own).map_err(|error| cannot_listen(*addr, &error))?;
        if let Some(listener) = bound {
            own.push(listener.local_addr()?);
            listeners.push(TcpListener::from_std(listener)?);
        } else {
            info!("this machine has no IPv6");
        }
    }
    let health = match loaded.config.health.listen {
        Some(addr) => Some(TcpListener::bind(addr.0).await.map_err(|error| cannot_listen(addr.0, &error))?),
        None => None,
    };
    let icap = match loaded.config.icap.listen {
        Some(addr) => Some(TcpListener::bind(addr.0).await.map_err(|error| cannot_listen(addr.0, &error))?),
        None => None,
    };
    let proxy = Proxy::new(loaded, own.clone())?;
    // Before the banner is printed: a signal after it ends gracefully.
    let shutdown = CancellationToken::new();
    tokio::spawn(end_on_signal(Arc::clone(&proxy), shutdown.clone())?);
    if let Some(listener) = health {
        tokio::spawn(health::serve(listener, Arc::clone(&proxy)));
    }
    let banner = banner::text(&proxy, &lookup, &own);
    proxy.set_config_lookup(lookup);
    // The watch is open before the banner is printed: no save after that is missed.
    let watched = arguments.clone();
    let watch = reload::watch(Arc::clone(&proxy), move |config| watched.apply(config));
    // As that for the end: a signal that is not waited for ends the program.
    let reload = reload_on_signal(Arc::clone(&proxy), arguments)?;
    // The proxy runs without standard output too.
    let _ = io::stdout().write_all(banner.as_bytes());
    platform::tell_service_manager(ServiceState::Ready);
    if let Some(interval) = platform::watchdog_interval() {
        tokio::spawn(feed_watchdog(interval));
    }

    let mut servers = JoinSet::new();
    for listener in listeners {
        servers.spawn(crate::serve(listener, Arc::clone(&proxy), shutdown.clone()));
    }
    if let Some(listener) = icap {
        servers.spawn(icap::serve(listener, Arc::clone(&proxy), shutdown.clone()));
    }
    tokio::spawn(list_updates::maintain(Arc::clone(&proxy)));
    tokio::spawn(update_check::maintain(proxy));
    tokio::spawn(reload);
    tokio::spawn(watch);
    while let Some(served) = servers.join_next().await {
        served??;
    }
    Ok(())
}

/// Says again and again that this program works. Where no thread of the runtime does, nothing is said.
async fn feed_watchdog(interval: time::Duration) {
    let mut ticks = time::interval(interval);
    loop {
        ticks.tick().await;
        platform::tell_service_manager(ServiceState::Alive);
    }
}

/// Why there is no listener, and what to do.
pub(super) fn cannot_listen(addr: SocketAddr, error: &io::Error) -> anyhow::Error {
    let reason = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another program listens there, perhaps another Gleaner; end it, or choose another port with --listen or \
             `listen` in the configuration"
        }
        io::ErrorKind::AddrNotAvailable => "this machine has no such address",
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 need a privilege that this program does not have; choose a higher one"
        }
        _ => return Failure::error(EX_UNAVAILABLE, format!("cannot listen on {addr}: {error}")),
    };
    Failure::error(EX_UNAVAILABLE, format!("cannot listen on {addr}: {reason}"))
}

/// The first signal ends gracefully, the second at once.
fn end_on_signal(proxy: Arc<Proxy>, shutdown: CancellationToken) -> anyhow::Result<impl Future<Output = ()>> {
    let mut signals = EndSignals::new()?;
    Ok(async move {
        signals.next().await;
        info!("ending, requests in flight may finish; a second signal ends at once");
        platform::tell_service_manager(ServiceState::Stopping);
        proxy.is_ending.store(true, Relaxed);
        let drain = Duration::from_secs(proxy.state().config.limits.drain_seconds);
        let end = async {
            time::sleep(drain).await;
            shutdown.cancel();
            std::future::pending().await
        };
        let code = tokio::select! {
            code = signals.next() => code,
            code = end => code,
        };
        log::flush();
        process::exit(code);
    })
}

fn reload_on_signal(proxy: Arc<Proxy>, arguments: ServeArguments) -> anyhow::Result<impl Future<Output = ()>> {
    let mut signal = ReloadSignal::new()?;
    Ok(async move {
        loop {
            signal.next().await;
            info!("SIGHUP: reading the configuration again");
            platform::tell_service_manager(ServiceState::Reloading);
            let (proxy, arguments) = (Arc::clone(&proxy), arguments.clone());
            let reloaded = spawn_blocking(move || reload::reload(&proxy, |config| arguments.apply(config))).await;
            if let Err(error) = reloaded {
                error!(%error, "the configuration could not be read again");
            }
            platform::tell_service_manager(ServiceState::Ready);
        }
    })
}
