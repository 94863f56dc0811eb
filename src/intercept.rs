//! CONNECT, decrypted: a minted leaf for the client, and then the same road for every request inside.
//!
//! Anything that is not a TLS handshake for the very host of the CONNECT is tunnelled instead, with not a
//! byte lost: a page that stays cluttered is better than one that breaks.

use std::{
    pin::Pin,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::Version;
use hyper::upgrade::OnUpgrade;
use rustls::{ServerConfig, server::Acceptor};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

use crate::{
    access_control::Permit,
    authority::{Host, Scheme, Target},
    log::RequestLog,
    runtime_state::RuntimeState,
    server::{self, Conn, Taken},
    service::{Known, Proxy},
    tunnel::{self, Rewound},
};

/// How long a client may be silent before the server is given the word: protocols in which the server
/// speaks first wait for it. Nothing is lost if the client speaks later after all.
const SILENCE: Duration = Duration::from_millis(300);

/// The longest greeting: one TLS record is at most 16 KiB and a few bytes (RFC 8446 § 5.1).
const MAX_HELLO_BYTES: usize = 17 * 1024;

/// A CONNECT that may be decrypted.
pub(crate) struct Tunnel {
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) running: Arc<RuntimeState>,
    pub(crate) conn: Arc<Conn>,
    pub(crate) end: End,
    pub(crate) log: RequestLog,
}

/// Where it leads.
pub(crate) enum End {
    Elsewhere(Permit),
    /// To our own pages; nothing is connected to.
    Here(Target),
}

/// What a client begins with.
enum Greeting {
    /// A TLS handshake that names this host, or none.
    Hello { name: Option<String> },
    /// Something else.
    Other,
}

impl Tunnel {
    fn target(&self) -> &Target {
        match &self.end {
            End::Elsewhere(permit) => permit.target(),
            End::Here(target) => target,
        }
    }

    /// Decides by the client's first bytes. Boxed, because requests inside come back to the proxy:
    /// a future that contained itself would have no size.
    pub(crate) fn run(self, client: OnUpgrade) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            match client.await {
                Ok(client) => self.greet(Taken::new(client)).await,
                Err(error) => debug!(%error, "the client left before its tunnel began"),
            }
        })
    }

    async fn greet(self, mut client: Taken) {
        let mut read = BytesMut::new();
        let first = timeout(SILENCE, client.read_buf(&mut read)).await;
        if first.is_err() {
            return self.greet_with_server(client).await;
        }
        self.decide(client, read, None).await;
    }

    /// The client is silent: connects, and listens to both.
    async fn greet_with_server(self, mut client: Taken) {
        let mut read = BytesMut::new();
        let silence = self.running.config.timeouts.connect_silence;
        let End::Elsewhere(permit) = &self.end else {
            // No server of ours speaks first.
            if let Ok(Ok(_)) = timeout(silence, client.read_buf(&mut read)).await {
                self.decide(client, read, None).await;
            }
            return;
        };
        let upstream = match self.running.upstream.connect(permit).await {
            Ok(upstream) => upstream,
            Err(fault) => return self.give_up(&fault),
        };
        let spoke = tokio::select! {
            // If both have spoken, the client's bytes decide.
            biased;
            spoke = client.read_buf(&mut read) => spoke.is_ok(),
            readable = upstream.readable() => readable.is_ok(),
            () = sleep(silence) => false,
        };
        if spoke {
            self.decide(client, read, Some(upstream)).await;
        }
    }

    async fn decide(self, mut client: Taken, mut read: BytesMut, upstream: Option<TcpStream>) {
        // Half a greeting must not hold the connection for ever.
        let patience = self.running.config.timeouts.tls_handshake;
        let Ok(greeting) = timeout(patience, greeting(&mut client, &mut read)).await else {
            return self.handshake_failed("it took too long");
        };
        match greeting {
            Greeting::Hello { name } if self.is_for_target(name.as_deref()) => {
                drop(upstream);
                self.decrypt(client, read.freeze()).await;
            }
            _ => self.pass(client, read.freeze(), upstream).await,
        }
    }

    /// Names other than the target's (an address with a name inside, an encrypted name) would need a
    /// leaf for one and requests for the other.
    fn is_for_target(&self, name: Option<&str>) -> bool {
        let Some(name) = name else { return true };
        Host::parse(name).is_ok_and(|host| host.plain() == self.target().host.plain())
    }

    /// Bytes both ways after all.
    async fn pass(mut self, client: Taken, read: Bytes, upstream: Option<TcpStream>) {
        let permit = match self.end {
            End::Elsewhere(ref permit) => permit,
            End::Here(ref target) => {
                let target = Target {
                    scheme: Scheme::Http,
                    ..target.clone()
                };
                let stream = Rewound::new(read, client);
                return self.speak(stream, target, Version::HTTP_11);
            }
        };
        self.log.route = "tunnel";
        let upstream = match upstream {
            Some(upstream) => upstream,
            None => match self.running.upstream.connect(permit).await {
                Ok(upstream) => upstream,
                Err(fault) => return self.give_up(&fault),
            },
        };
        tunnel::join(
            &self.conn.life,
            Rewound::new(read, client),
            upstream,
            self.log,
        )
        .await;
    }

    /// The 200 is sent already; closing is all that is left.
    fn give_up(mut self, fault: &crate::upstream::Fault) {
        self.log.action = format!("error: {fault}");
    }

    async fn decrypt(self, client: Taken, read: Bytes) {
        let target = self.target().clone();
        let config = match self.tls_config() {
            Ok(config) => config,
            Err(error) => {
                warn!(%error, "no certificate could be made");
                return;
            }
        };
        let patience = self.running.config.timeouts.tls_handshake;
        let handshake = TlsAcceptor::from(config).accept(Rewound::new(read, client));
        let stream = match timeout(patience, handshake).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return self.handshake_failed(&error.to_string()),
            Err(_) => return self.handshake_failed("it took too long"),
        };
        let version = match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => Version::HTTP_2,
            _ => Version::HTTP_11,
        };
        self.speak(stream, target, version);
    }

    /// The same road for every request inside. A task of its own, so that what led here is not kept, nor gone through at every
    /// turn, for as long as the client stays.
    fn speak<I>(self, stream: I, target: Target, version: Version)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let conn = Conn {
            client: self.conn.client,
            local: self.conn.local,
            tunnel: Some(target),
            gate: self.running.gate.clone(),
            life: self.conn.life.of_one(),
            known: Known::default(),
            // TLS has its own sign of an orderly end, which a break lacks.
            broken: AtomicBool::default(),
        };
        // From here on each request has its own entry.
        drop(self.log);
        let life = conn.life.clone();
        life.spawn_told(server::drive(stream, self.proxy, Arc::new(conn), version));
    }

    /// Most often: the client does not trust the authority, or pins its certificates.
    fn handshake_failed(mut self, reason: &str) {
        self.log.action = format!("client refused the certificate: {reason}");
    }

    fn tls_config(&self) -> Result<Arc<ServerConfig>, Box<dyn std::error::Error>> {
        let authority = self
            .running
            .authority
            .as_ref()
            .ok_or("interception is off")?;
        Ok(authority.handshake(&self.target().host)?)
    }
}

/// Reads until it is known what the client wants; all that was read stays in `read`.
async fn greeting(client: &mut Taken, read: &mut BytesMut) -> Greeting {
    let mut acceptor = Acceptor::default();
    let mut seen = 0;
    loop {
        // 22: handshake, 3: the version's first byte (RFC 8446 § 5.1).
        if read.is_empty() || !read.starts_with(&[22, 3][..read.len().min(2)]) {
            return Greeting::Other;
        }
        let mut fresh = &read[seen..];
        while !fresh.is_empty() && acceptor.read_tls(&mut fresh).is_ok_and(|read| read > 0) {}
        seen = read.len();
        match acceptor.accept() {
            Ok(Some(accepted)) => {
                let name = accepted.client_hello().server_name().map(str::to_owned);
                return Greeting::Hello { name };
            }
            Ok(None) if read.len() < MAX_HELLO_BYTES => {}
            _ => return Greeting::Other,
        }
        if !matches!(client.read_buf(read).await, Ok(1..)) {
            return Greeting::Other;
        }
    }
}
