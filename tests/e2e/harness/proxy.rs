//! The proxy in process, on a port of its own.

use std::{fs, net::SocketAddr, path::PathBuf, sync::Arc};

use gleaner::{LoadedConfig, Proxy};
use serde_yaml::Value;
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::TestCa;

pub(crate) struct TestProxy {
    pub(crate) addr: SocketAddr,
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) shutdown: CancellationToken,
    server: JoinHandle<std::io::Result<()>>,
    dir: TempDir,
}

impl TestProxy {
    /// Starts with these settings laid over what every test needs.
    pub(crate) async fn start(yaml: &str) -> Self {
        Self::with_dir(yaml, tempfile::tempdir().unwrap()).await
    }

    /// Starts a proxy that trusts this authority of origins, with these settings. Where they have a section `upstream`, it names the
    /// file itself, `origins.pem`.
    pub(crate) async fn trusting(ca: &TestCa, yaml: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("origins.pem"), ca.pem()).unwrap();
        let trust = if yaml.contains("extra_ca_file") { "" } else { "upstream: { extra_ca_file: origins.pem }\n" };
        Self::with_dir(&format!("{trust}{yaml}"), dir).await
    }

    /// Starts a proxy without a configuration file, which would be at this place.
    pub(crate) async fn without_file(place: &std::path::Path) -> Self {
        let proxy = Self::with_file(full(""), tempfile::tempdir().unwrap(), None).await;
        proxy.proxy.set_config_lookup(gleaner::config::Lookup { places: vec![place.to_owned()], named: false });
        proxy
    }

    async fn with_dir(yaml: &str, dir: TempDir) -> Self {
        let file = dir.path().join("config.yaml");
        fs::write(&file, full(yaml)).unwrap();
        Self::with_file(full(yaml), dir, Some(file)).await
    }

    async fn with_file(yaml: String, dir: TempDir, file: Option<PathBuf>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let mut loaded = LoadedConfig::from_yaml(&yaml, Some(&dir.path().join("config.yaml"))).unwrap();
        loaded.file = file;
        let proxy = Proxy::new(loaded, vec![addr]).unwrap();
        let shutdown = CancellationToken::new();
        let server = tokio::spawn(gleaner::serve(listener, Arc::clone(&proxy), shutdown.clone()));
        Self { addr, proxy, shutdown, server, dir }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The certificate that clients must trust.
    pub(crate) fn ca_file(&self) -> PathBuf {
        self.dir.path().join("authority/ca.cert.pem")
    }

    /// Saves other settings the way editors do: a new file put in the old one's place.
    pub(crate) fn save(&self, yaml: &str) {
        let new = self.dir.path().join("config.yaml.new");
        fs::write(&new, full(yaml)).unwrap();
        fs::rename(new, self.dir.path().join("config.yaml")).unwrap();
    }

    /// Puts other settings in force.
    pub(crate) fn reload(&self, yaml: &str) {
        self.save(yaml);
        gleaner::reload::reload(&self.proxy, |_| {});
        let error = self.proxy.reload_error();
        assert!(error.is_none(), "{error:?}");
    }

    /// Ends the proxy; what panicked inside comes out here.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.server.await.unwrap().unwrap();
    }
}

/// The test's own settings, laid over loopback targets and an authority in the test's folder.
pub(crate) fn full(yaml: &str) -> String {
    let base = "access: { allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535'] }\n\
                authority: { dir: authority }\n";
    let mut settings: Value = serde_yaml::from_str(base).unwrap();
    if let Ok(Value::Mapping(own)) = serde_yaml::from_str::<Value>(yaml) {
        settings.as_mapping_mut().unwrap().extend(own);
        return serde_yaml::to_string(&settings).unwrap();
    }
    // Not a map, as a test of bad files wants it.
    format!("{base}{yaml}")
}
