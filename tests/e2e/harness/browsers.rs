//! Chromium and Firefox as programs that load one page and end; `webdriver` is a window of Chromium.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::{TestProxy, optional};

/// Options of a Chromium that shows no window, has no extension of the system, and asks nothing of its own.
pub(super) const CHROMIUM: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Options of a Chromium that uses this proxy, for loopback too.
pub(super) fn chromium_proxy(proxy: &TestProxy) -> [String; 2] {
    ["--proxy-bypass-list=<-loopback>".to_owned(), format!("--proxy-server={}", proxy.addr)]
}

/// Changes a trust store of Mozilla's libraries.
fn certutil(program: &Path, store: &Path, arguments: &[&str]) {
    let store = format!("sql:{}", store.display());
    let status = Command::new(program).args(["-d", &store]).args(arguments).status();
    assert!(status.unwrap().success(), "certutil {arguments:?}");
}

/// Chromium, with a profile and a trust store of its own.
pub(crate) struct Browser {
    program: PathBuf,
    home: TempDir,
}

impl Browser {
    pub(crate) fn find() -> Option<Browser> {
        Some(Browser { program: optional::program("chromium", "chromium")?, home: tempfile::tempdir().unwrap() })
    }

    /// Installs a certificate as a person does, in the store that Chromium reads on Linux.
    pub(crate) fn trust(&self, name: &str, authority: &Path) -> Option<()> {
        let certutil = optional::program("certutil", "libnss3-tools")?;
        let store = self.home.path().join(".pki/nssdb");
        if !store.exists() {
            std::fs::create_dir_all(&store).unwrap();
            self.certutil(&certutil, &["-N", "--empty-password"]);
        }
        self.certutil(&certutil, &["-A", "-t", "C,,", "-n", name, "-i", authority.to_str().unwrap()]);
        Some(())
    }

    /// Removes it again.
    pub(crate) fn distrust(&self, name: &str) {
        self.certutil(Path::new("certutil"), &["-D", "-n", name]);
    }

    fn certutil(&self, program: &Path, arguments: &[&str]) {
        certutil(program, &self.home.path().join(".pki/nssdb"), arguments);
    }

    /// The DOM that the browser makes of an address.
    pub(crate) async fn dom(&self, proxy: &TestProxy, url: String) -> String {
        self.dom_with(&chromium_proxy(proxy).each_ref().map(String::as_str), url).await
    }

    /// The DOM that the browser makes of an address, this long after it by the page's clock, which does not wait for idle time.
    pub(crate) async fn dom_after(&self, time: Duration, proxy: &TestProxy, url: String) -> String {
        let [loopback, server] = chromium_proxy(proxy);
        self.dom_with(&[&loopback, &server, &format!("--virtual-time-budget={}", time.as_millis())], url).await
    }

    /// The DOM that the browser makes of an address with these options.
    pub(crate) async fn dom_with(&self, options: &[&str], url: String) -> String {
        let mut command = Command::new(&self.program);
        command
            .env("HOME", self.home.path())
            .args(CHROMIUM)
            .arg("--dump-dom")
            .args(options)
            .arg(format!("--user-data-dir={}/profile", self.home.path().display()))
            .arg(url)
            .stdin(Stdio::null());
        let output: Output = spawn_blocking(move || command.output()).await.unwrap().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Firefox, with a profile and a trust store of its own. It cannot print a page, so tests see by the requests what became of it.
pub(crate) struct Firefox {
    program: PathBuf,
    certutil: PathBuf,
    profile: TempDir,
}

impl Firefox {
    pub(crate) fn find(proxy: &TestProxy) -> Option<Self> {
        let program = optional::program("firefox-esr", "firefox-esr")?;
        let certutil = optional::program("certutil", "libnss3-tools")?;
        let profile = tempfile::tempdir().unwrap();
        let (ip, port) = (proxy.addr.ip(), proxy.addr.port());
        let settings = [
            ("network.proxy.type", "1".to_owned()),
            ("network.proxy.http", format!("'{ip}'")),
            ("network.proxy.http_port", port.to_string()),
            ("network.proxy.ssl", format!("'{ip}'")),
            ("network.proxy.ssl_port", port.to_string()),
            ("network.proxy.allow_hijacking_localhost", "true".to_owned()),
            // Nothing of its own: no updates, no settings from a server, no look for log-in pages.
            ("network.captive-portal-service.enabled", "false".to_owned()),
            ("network.connectivity-service.enabled", "false".to_owned()),
            ("services.settings.server", "'http://127.0.0.1:9/'".to_owned()),
            ("datareporting.policy.dataSubmissionEnabled", "false".to_owned()),
            ("browser.shell.checkDefaultBrowser", "false".to_owned()),
            // No extension of the system.
            ("extensions.enabledScopes", "5".to_owned()),
        ];
        let lines = settings.map(|(name, value)| format!("user_pref('{name}', {value});\n"));
        fs::write(profile.path().join("user.js"), lines.concat()).unwrap();
        let firefox = Self { program, certutil, profile };
        firefox.certutil(&["-N", "--empty-password"]);
        Some(firefox)
    }

    /// Adds a setting.
    pub(crate) fn prefer(&self, name: &str, value: &str) {
        let file = self.profile.path().join("user.js");
        let settings = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{settings}user_pref('{name}', {value});\n")).unwrap();
    }

    fn certutil(&self, arguments: &[&str]) {
        certutil(&self.certutil, self.profile.path(), arguments);
    }

    pub(crate) fn trust(&self, name: &str, authority: &Path) {
        self.certutil(&["-A", "-t", "C,,", "-n", name, "-i", authority.to_str().unwrap()]);
    }

    /// Opens an address, until it has loaded.
    pub(crate) async fn open(&self, url: String) {
        let mut command = Command::new(&self.program);
        command
            .args(["--headless", "--no-remote", "--profile"])
            .arg(self.profile.path())
            .arg("--screenshot")
            .arg(self.profile.path().join("page.png"))
            .arg(url)
            .env("HOME", self.profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = spawn_blocking(move || command.status().unwrap()).await.unwrap();
        assert!(status.success(), "{status}");
    }
}
