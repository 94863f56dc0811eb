//! Interception side by side: an encrypted origin, hudsucker and ours in front of it, and clients that trust each.

use std::{fs, net::SocketAddr, path::Path, sync::Arc};

use rustls::{ClientConfig, ServerConfig};

use super::{
    client, origin,
    proxies::{self, Running},
    tls,
};

/// hudsucker first, ours second.
pub struct Interception {
    pub contestants: [Running; 2],
    /// The origin, by name.
    pub host: String,
    /// Settings of origins that both trust.
    pub origins: Arc<ServerConfig>,
    trusted: [Vec<u8>; 2],
}

impl Interception {
    /// `plain` is an origin that is asked without encryption; `extra` is more YAML for ours.
    pub async fn start(dir: &Path, plain: SocketAddr, extra: &str) -> anyhow::Result<Self> {
        let (ca, key, origins) = tls::origin()?;
        let origin = origin::start(Some(Arc::clone(&origins)), Arc::default()).await?;
        let [ca_file, key_file] = ["origins.pem", "origins.key"].map(|name| dir.join(name));
        fs::write(&ca_file, &ca)?;
        fs::write(&key_file, &key)?;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let (certificate, key) = (path(&ca_file), path(&key_file));
        let ours = dir.join("tls");
        let extra = format!(
            "upstream: {{ extra_ca_file: {certificate} }}\nhttps: {{ intercept: on }}\n{extra}"
        );
        let contestants = [
            proxies::peer("hudsucker_proxy", &[&certificate, &key, &certificate])?,
            proxies::gleaner(&ours, &extra)?,
        ];
        // Its port is open before it is ready; its authority is there when it answers.
        client::small(contestants[1].addr, plain, 1, 1).await?;
        let trusted = [
            fs::read(&ca_file)?,
            fs::read(ours.join("authority/ca.cert.pem"))?,
        ];
        Ok(Self {
            contestants,
            host: format!("localhost:{}", origin.port()),
            origins,
            trusted,
        })
    }

    /// A client's settings for the contestant of this number.
    pub fn client(&self, at: usize, alpn: &[u8]) -> anyhow::Result<Arc<ClientConfig>> {
        tls::client(&self.trusted[at], &[alpn])
    }

    /// Small requests over HTTP/1.1: so many connections, and requests on each.
    pub async fn http1(&self, at: usize, connections: usize, each: usize) -> anyhow::Result<()> {
        let (proxy, tls) = (self.contestants[at].addr, self.client(at, b"http/1.1")?);
        client::small_encrypted(proxy, &self.host, &tls, connections, each).await?;
        Ok(())
    }

    /// The same over HTTP/2: so many streams of one connection.
    pub async fn http2(&self, at: usize, streams: usize, each: usize) -> anyhow::Result<()> {
        let (proxy, tls) = (self.contestants[at].addr, self.client(at, b"h2")?);
        client::small_http2(proxy, &self.host, &tls, streams, each).await
    }
}
