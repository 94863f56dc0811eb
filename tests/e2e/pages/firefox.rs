//! A household's Firefox, which has a trust store of its own. It cannot print a page, so the pages tell by their requests what
//! became of them: the script of an untouched one runs.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::harness::{Origin, TestCa, TestProxy, optional, origin::html};

/// An article among menus, advertisements and a cookie dialog.
const DEMO: &str = include_str!("../../../docs/demo/page.html");

pub(crate) struct Firefox {
    program: std::path::PathBuf,
    certutil: std::path::PathBuf,
    profile: tempfile::TempDir,
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
        let store = format!("sql:{}", self.profile.path().display());
        let status = Command::new(&self.certutil).args(["-d", &store]).args(arguments).status();
        assert!(status.unwrap().success(), "certutil {arguments:?}");
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
        let status = tokio::task::spawn_blocking(move || command.status().unwrap()).await.unwrap();
        assert!(status.success(), "{status}");
    }
}

#[tokio::test]
async fn a_firefox_without_the_certificate_browses_untouched_and_with_it_decluttered() {
    let ca = TestCa::new();
    let page = DEMO.replace("</head>", "<script>fetch('/ran')</script></head>");
    let origin = Origin::https(&ca, move |_| html(page.clone())).await;
    let proxy = TestProxy::trusting(&ca, "").await;
    let Some(firefox) = Firefox::find(&proxy) else { return };
    firefox.trust("origins", &proxy.ca_file().parent().unwrap().with_file_name("origins.pem"));
    let asked = |path: &str| origin.requests().iter().filter(|seen| seen.uri.path() == path).count();
    firefox.open("http://gleaner.internal/".to_owned()).await;
    firefox.open(origin.https_url("/untouched")).await;
    assert_eq!((asked("/untouched"), asked("/ran")), (1, 1));
    firefox.trust("gleaner", &proxy.ca_file());
    firefox.open("http://gleaner.internal/".to_owned()).await;
    let list = gleaner::TrustedDevices::open(proxy.ca_file().parent());
    assert_eq!(list.all().len(), 1);
    firefox.open(origin.https_url("/decluttered")).await;
    assert_eq!((asked("/decluttered"), asked("/ran")), (1, 1));
    proxy.stop().await;
}
