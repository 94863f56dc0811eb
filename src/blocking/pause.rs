//! The pause of all devices: a file in the folder of lists with the time at which it ends, so that another process can set it; the
//! program watches it as it does its configuration. And the pauses of single devices, which are in memory.

use std::{
    fs, io,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    net::client_program::ClientProgram,
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Longest pause: whoever wants more switches blocking off.
const LONGEST: Duration = Duration::from_hours(24);

/// Sets, reads and ends the pause of the programs that keep their lists in one folder.
#[derive(Debug)]
pub struct Pause;

impl Pause {
    pub(super) fn file(dir: &Path) -> PathBuf {
        dir.join("paused-until")
    }

    /// When it ends, if one was set.
    pub(super) fn read(dir: &Path) -> Option<SystemTime> {
        let text = fs::read_to_string(Self::file(dir)).ok()?;
        let until = UNIX_EPOCH.checked_add(Duration::from_secs(text.trim().parse().ok()?))?;
        // What lies further ahead was not written by this program, or the clock was wrong.
        (until <= SystemTime::now() + LONGEST).then_some(until)
    }

    /// Begins a pause of this length.
    pub fn set(dir: &Path, length: Duration) -> io::Result<()> {
        let until = SystemTime::now() + length.min(LONGEST);
        let seconds = until.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        super::store::write(&Self::file(dir), format!("{seconds}\n").as_bytes())
    }

    /// Ends it. Whether there was one.
    pub fn end(dir: &Path) -> io::Result<bool> {
        match fs::remove_file(Self::file(dir)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true),
        }
    }
}

/// Most devices with a pause; of more, those that have not been used longest lose theirs.
const MAX_DEVICES: usize = 1000;

/// Which devices have paused blocking for themselves, and until when. A device is an address and its user, with all its programs.
pub(crate) struct PausedDevices(ExpiringMap<(IpAddr, Option<Arc<str>>), SystemTime>);

impl PausedDevices {
    pub(crate) fn new() -> Self {
        Self(ExpiringMap::new(MAX_DEVICES, Lifetime::SinceInsertion(LONGEST)))
    }

    /// Begins a pause of this length; none ends it.
    pub(crate) fn set(&self, device: &ClientProgram, length: Duration) {
        let key = (device.address, device.user.clone());
        if length.is_zero() {
            self.0.remove(&key);
        } else {
            self.0.insert(key, SystemTime::now() + length.min(LONGEST));
        }
    }

    /// When this device's pause ends, if it has one.
    pub(crate) fn until(&self, device: &ClientProgram) -> Option<SystemTime> {
        self.ends_at(device.address, device.user.clone())
    }

    /// When the pause of this address and user ends, if there is one. The address is in canonical form.
    pub(crate) fn ends_at(&self, address: IpAddr, user: Option<Arc<str>>) -> Option<SystemTime> {
        self.0.get(&(address, user)).filter(|until| *until > SystemTime::now())
    }
}

/// The minutes until then, for a person.
pub(crate) fn minutes_until(time: SystemTime) -> u64 {
    let left = time.duration_since(SystemTime::now()).unwrap_or_default();
    left.as_secs().div_ceil(60).max(1)
}

/// Reads a length of time such as `90s`, `10m` or `2h`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected =
        || format!("{text:?} is no length of a pause; expected a number with `s`, `m` or `h`, such as 10m, up to 24h");
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[number.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(expected()),
    };
    let length = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds)).map(Duration::from_secs);
    length.filter(|length| !length.is_zero() && *length <= LONGEST).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_a_number_with_a_unit() {
        for (text, seconds) in [("90s", 90), ("10m", 600), ("24h", 86_400)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "m", "10", "0m", "25h", "-1m", "10 m", "1d", "99999999999999999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pause_that_lies_too_far_ahead_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Pause::read(dir.path()), None);
        Pause::set(dir.path(), Duration::from_mins(10)).unwrap();
        assert!(Pause::read(dir.path()).is_some());
        fs::write(Pause::file(dir.path()), "99999999999").unwrap();
        assert_eq!(Pause::read(dir.path()), None);
        assert!(Pause::end(dir.path()).unwrap() && !Pause::end(dir.path()).unwrap());
    }
}
