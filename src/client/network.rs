//! Changes of the machine's network, after which kept connections lead nowhere: other addresses (Wi-Fi, VPN, dock), and
//! sleep.
//!
//! It is looked for while a request is under way and at no other time, so that an idle program is never woken. That the
//! kernel tells of changes (netlink) would find them no sooner for any request, and differs from system to system.

use std::{
    net::IpAddr,
    time::{Duration, Instant, SystemTime},
};

use parking_lot::Mutex;
use tracing::info;

/// How often the addresses are read at most: that takes some 50 µs. Raising it lets more requests go to dead connections.
const READ_EVERY: Duration = Duration::from_secs(1);

/// By how much the clock of the day may go ahead of the one that stands still in sleep. A smaller step may be a
/// correction by NTP, and routers keep connections over so short a sleep.
const SLEPT: Duration = Duration::from_secs(5);

/// The network as it was when it was last looked at.
pub(super) struct Network {
    last: Mutex<Snapshot>,
}

/// The address that a connection was opened from.
pub(super) struct OwnAddress<'a> {
    network: &'a Network,
    address: Option<IpAddr>,
}

impl OwnAddress<'_> {
    pub(super) fn is_gone(&self) -> bool {
        self.address.is_some_and(|address| !self.network.current().addresses.contains(&address))
    }
}

struct Snapshot {
    at: Instant,
    clock: SystemTime,
    addresses: Vec<IpAddr>,
    changes: usize,
}

impl Network {
    pub(super) fn new() -> Self {
        let snapshot = Snapshot { at: Instant::now(), clock: SystemTime::now(), addresses: addresses(), changes: 0 };
        Self { last: Mutex::new(snapshot) }
    }

    /// How many changes there have been so far.
    pub(super) fn changes(&self) -> usize {
        self.current().changes
    }

    /// An address as long as it is watched, if the machine has it now: some have more than their interfaces tell.
    pub(super) fn watch(&self, address: Option<IpAddr>) -> OwnAddress<'_> {
        let has = |address: &IpAddr| self.last.lock().addresses.contains(address);
        OwnAddress { network: self, address: address.filter(has) }
    }

    fn current(&self) -> parking_lot::MutexGuard<'_, Snapshot> {
        let mut last = self.last.lock();
        if last.at.elapsed() >= READ_EVERY {
            last.update(Instant::now(), SystemTime::now(), addresses());
        }
        last
    }
}

impl Snapshot {
    fn update(&mut self, at: Instant, clock: SystemTime, addresses: Vec<IpAddr>) {
        let awake = at.saturating_duration_since(self.at);
        let passed = clock.duration_since(self.clock).unwrap_or_default();
        let has_slept = passed > awake + SLEPT;
        // None could be read, which says nothing.
        let has_moved = !addresses.is_empty() && addresses != self.addresses;
        if has_slept || has_moved {
            self.changes += 1;
            info!(has_slept, has_moved, "the machine's network has changed: kept connections are closed");
        }
        if has_moved {
            self.addresses = addresses;
        }
        (self.at, self.clock) = (at, clock);
    }
}

fn addresses() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let mut addresses: Vec<IpAddr> = interfaces.iter().map(if_addrs::Interface::ip).collect();
    addresses.sort_unstable();
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_addresses_and_sleep_are_changes_and_time_is_none() {
        let (at, clock, hour) = (Instant::now(), SystemTime::now(), Duration::from_hours(1));
        let [one, other]: [IpAddr; 2] = [[192, 168, 1, 2].into(), [10, 0, 0, 2].into()];
        for (awake, passed, addresses, changes) in [
            (hour, hour, vec![one], 0),
            (hour, Duration::ZERO, vec![one], 0),
            (hour, hour + SLEPT, Vec::new(), 0),
            (hour, hour + SLEPT * 2, vec![one], 1),
            (hour, hour, vec![other], 1),
            (hour, hour, vec![one, other], 1),
        ] {
            let mut snapshot = Snapshot { at, clock, addresses: vec![one], changes: 0 };
            snapshot.update(at + awake, clock + passed, addresses.clone());
            assert_eq!(snapshot.changes, changes, "{passed:?} {addresses:?}");
        }
    }
}
