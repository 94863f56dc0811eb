//! A network of a test's own: a home network and a public address on one virtual interface, and names in a hosts file.

use std::{env, fs, process::Command};

use super::optional;

/// The address of a device in the home network.
pub(crate) const HOME: &str = "192.168.77.1";

/// A public address (RFC 5737).
pub(crate) const PUBLIC: &str = "203.0.113.5";

/// The variable that names the hosts file inside of the namespace.
const HOSTS: &str = "GLEANER_TEST_HOSTS";

const READY: &str = "the network is ready";

/// Makes the network; `$HOSTS` is the file with its names. A dummy interface where the kernel has no pairs.
const SETUP: &str = "
ip link set lo up
ip link add home0 type veth peer name home1 2>/dev/null && ip link set home1 up || ip link add home0 type dummy || exit 1
ip addr add 192.168.77.1/24 dev home0 && ip addr add 203.0.113.5/24 dev home0 && ip link set home0 up || exit 1
mount --bind \"$GLEANER_TEST_HOSTS\" /etc/hosts || exit 1
echo 'the network is ready'
exec \"$0\" --exact \"$1\" --nocapture";

/// Whether this process is in such a network. Else the test with this name is run once more in one, and this process has nothing left
/// to do.
pub(crate) fn is_inside(test: &str) -> bool {
    if env::var_os(HOSTS).is_some() {
        return true;
    }
    let dir = tempfile::tempdir().unwrap();
    let hosts = dir.path().join("hosts");
    fs::write(&hosts, "127.0.0.1 localhost\n").unwrap();
    let mut command = Command::new("unshare");
    command.args(["-rnm", "sh", "-c", SETUP]).arg(env::current_exe().unwrap()).arg(test).env(HOSTS, &hosts);
    let Ok(output) = command.output() else {
        optional::skip("unshare is not installed: apt install util-linux");
        return false;
    };
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if stdout.contains(READY) {
        assert!(output.status.success() && stdout.contains("1 passed"), "in the network: {stdout}\n{stderr}");
    } else {
        optional::skip(&format!("a network namespace is not allowed here, or `ip` is missing: {}", stderr.trim()));
    }
    false
}

/// Gives names to addresses, from now on.
pub(crate) fn set_names(names: &[(&str, &str)]) {
    let lines: String = names.iter().map(|(name, address)| format!("{address} {name}\n")).collect();
    // In place: another file would not be the mounted one.
    fs::write("/etc/hosts", format!("127.0.0.1 localhost\n{lines}")).unwrap();
}
