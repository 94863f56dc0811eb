//! Runs a test again, as a program inside a network namespace of its own, with addresses and ports that it may change.

use std::{
    env, fs,
    process::{Command, Output},
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

use super::optional;

/// The address of a device in the home network of [`enter_home`].
pub(crate) const HOME: &str = "192.168.77.1";

/// A public address (RFC 5737) in the network of [`enter_home`].
pub(crate) const PUBLIC: &str = "203.0.113.5";

/// Tells the test inside that it is there; names its hosts file.
const INSIDE: &str = "GLEANER_TEST_NAMESPACE";

const READY: &str = "the network is ready";

/// A home network and a public address on one virtual interface, a dummy one where the kernel has no pairs.
const HOME_NETWORK: &str = "
ip link add home0 type veth peer name home1 2>/dev/null && ip link set home1 up || ip link add home0 type dummy
ip addr add 192.168.77.1/24 dev home0 && ip addr add 203.0.113.5/24 dev home0 && ip link set home0 up";

/// Whether the test goes on here, in a network where only loopback is up, names are those of [`set_names`], and this was done in a
/// shell. Outside of it the test is run there to its end, which must be a good one; without the privileges it is skipped.
pub(crate) fn enter(test: &str, before: &str) -> bool {
    if env::var_os(INSIDE).is_some() {
        return true;
    }
    let dir = tempfile::tempdir().unwrap();
    let hosts = dir.path().join("hosts");
    fs::write(&hosts, "127.0.0.1 localhost\n").unwrap();
    let script = format!(
        "set -e; ip link set lo up; mount --bind \"${INSIDE}\" /etc/hosts; {before}\necho '{READY}'; exec \"$0\" --exact \"$1\" --nocapture"
    );
    let mut command = Command::new("unshare");
    command.args(["-n", "-m", "sh", "-c", &script]).arg(env::current_exe().unwrap()).arg(test).env(INSIDE, &hosts);
    let Ok(Output { status, stdout, stderr }) = command.output() else {
        optional::skip("unshare is not installed: apt install util-linux");
        return false;
    };
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if stdout.contains(READY) {
        assert!(status.success() && stdout.contains("1 passed"), "in the network: {stdout}\n{stderr}");
    } else {
        let reason = stderr.trim();
        optional::skip(&format!(
            "`unshare -n -m` or `ip` is not allowed or missing: run it as root, apt install iproute2: {reason}"
        ));
    }
    false
}

/// [`enter`] a network with [`HOME`] and [`PUBLIC`].
pub(crate) fn enter_home(test: &str) -> bool {
    enter(test, HOME_NETWORK)
}

/// Gives names to addresses, from now on.
pub(crate) fn set_names(names: &[(&str, &str)]) {
    let lines: Vec<String> = names.iter().map(|(name, address)| format!("{address} {name}")).collect();
    // In place: another file would not be the mounted one.
    fs::write("/etc/hosts", format!("127.0.0.1 localhost\n{}\n", lines.join("\n"))).unwrap();
}

/// Has a proxy of this test look names up again, which it keeps for a minute in one network: the network changes.
pub(crate) async fn forget_names() {
    static CHANGES: AtomicU8 = AtomicU8::new(1);
    ip(&format!("addr add 127.99.0.{}/32 dev lo", CHANGES.fetch_add(1, Relaxed)));
    // Addresses are looked at once a second.
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
}

/// Changes the network that the test is in.
pub(crate) fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split_whitespace()).status();
    assert!(status.unwrap().success(), "ip {arguments}");
}
