//! Interception side by side: an encrypted origin, hudsucker and Gleaner in front of it, and clients that trust each.

use std::{fs, net::SocketAddr, path::Path, sync::Arc};

use rustls::ClientConfig;

use super::{
    client, origin,
    proxies::{self, Running},
    tls,
};

/// hudsucker first, Gleaner second.
pub(crate) struct Interception {
    pub(crate) contestants: [Running; 2],
    /// The origin, by name.
    host: String,
    trusted: [Vec<u8>; 2],
}

impl Interception {
    /// `plain` is an origin without TLS; `extra` is more YAML for Gleaner.
    pub(crate) async fn start(dir: &Path, plain: SocketAddr, extra: &str) -> anyhow::Result<Self> {
        let (ca, key, origins) = tls::origin()?;
        let origin = origin::start(Some(origins)).await?;
        let [ca_file, key_file] = ["origins.pem", "origins.key"].map(|name| dir.join(name));
        fs::write(&ca_file, &ca)?;
        fs::write(&key_file, &key)?;
        let gleaner = dir.join("tls");
        let extra =
            format!("upstream: {{ extra_ca_file: {} }}\nhttps: {{ intercept: on }}\n{extra}", ca_file.display());
        let contestants = [proxies::hudsucker(&ca_file, &key_file, &ca_file)?, proxies::gleaner(&gleaner, &extra)?];
        // Its port is open before its authority is written; both are there once it answers.
        client::small(contestants[1].addr, plain, 1, 1).await?;
        let trusted = [fs::read(&ca_file)?, fs::read(gleaner.join("authority/ca.cert.pem"))?];
        Ok(Self { contestants, host: format!("localhost:{}", origin.port()), trusted })
    }

    fn client(&self, at: usize, alpn: &[u8]) -> anyhow::Result<Arc<ClientConfig>> {
        tls::client(&self.trusted[at], &[alpn])
    }

    /// Small requests over HTTP/1.1: so many connections, and requests on each.
    pub(crate) async fn http1(&self, at: usize, connections: usize, each: usize) -> anyhow::Result<()> {
        let (proxy, tls) = (self.contestants[at].addr, self.client(at, b"http/1.1")?);
        client::small_encrypted(proxy, &self.host, &tls, connections, each).await?;
        Ok(())
    }

    /// Sends requests over HTTP/2 through a contestant that intercepts: so many streams of one connection.
    pub(crate) async fn http2(&self, at: usize, streams: usize, each: usize) -> anyhow::Result<()> {
        let (proxy, tls) = (self.contestants[at].addr, self.client(at, b"h2")?);
        client::small_http2(proxy, &self.host, &tls, streams, each).await
    }
}
