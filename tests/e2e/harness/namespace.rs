//! A network of a test's own, with ports and addresses that it may change: the test runs once more, as a program in it.

use std::{
    env,
    process::{Command, Stdio},
};

use super::optional;

/// Tells the test inside that it is there.
const INSIDE: &str = "GLEANER_TEST_NAMESPACE";

/// Whether the test goes on here, in a network where only loopback is up and this was done in a shell. Outside of it the
/// test is run there to its end, which must be a good one; without the privileges it is skipped.
pub(crate) fn enter(test: &str, before: &str) -> bool {
    if env::var_os(INSIDE).is_some() {
        return true;
    }
    let able =
        Command::new("unshare").args(["-n", "-m", "ip", "link", "set", "lo", "up"]).stderr(Stdio::null()).status();
    if !able.is_ok_and(|status| status.success()) {
        optional::skip("`unshare -n -m` or `ip` is not allowed or missing: run it as root, apt install iproute2");
        return false;
    }
    let script = format!("set -e; ip link set lo up; {before}\nexec \"$0\" --exact \"$1\" --nocapture");
    let output = Command::new("unshare")
        .args(["-n", "-m", "sh", "-c", &script])
        .arg(env::current_exe().unwrap())
        .arg(test)
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    false
}

/// Changes the network that the test is in.
pub(crate) fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split_whitespace()).status();
    assert!(status.unwrap().success(), "ip {arguments}");
}
