//! TLS sessions are resumed on both sides, and never across hosts, authorities or configurations.

use std::{fs, net::IpAddr, sync::Arc};

use rustls::{
    ClientConfig, HandshakeKind, NamedGroup, RootCertStore, ServerConfig, SupportedProtocolVersion,
    client::{
        ClientSessionMemoryCache, ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue,
    },
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
    version::{TLS12, TLS13},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::{
    harness::{
        TestCa, TestProxy,
        client::connect,
        get,
        namespace::{self, set_names},
        origin::read_head,
        program::gleaner,
    },
    https::certificates::self_signed,
};

const ON: &str = "https: { intercept: on }\naccess: { allow_targets: ['127.0.0.1:443', '[::1]:443'] }\n";

/// A proxy in a network where the hosts of these tests do TLS and no more.
async fn proxy_of_hosts() -> TestProxy {
    set_names(&[("a.example", "127.0.0.1"), ("b.example", "127.0.0.1")]);
    let ca = TestCa::new();
    let acceptor = TlsAcceptor::from(ca.server(&["a.example", "b.example", "127.0.0.1", "::1"], &[], |_| {}));
    for ip in ["127.0.0.1", "::1"] {
        let listener = TcpListener::bind((ip, 443)).await.unwrap();
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let mut taken = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                taken.push(acceptor.accept(stream).await);
            }
        });
    }
    TestProxy::trusting(&ca, ON).await
}

/// A client that trusts the proxy and keeps its sessions.
fn client(proxy: &TestProxy, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let pem = fs::read(proxy.ca_file()).unwrap();
    roots.add(CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// One intercepted connection. Its request names no host and goes nowhere; tickets come with the answer.
async fn visit(proxy: &TestProxy, host: &str, client: &Arc<ClientConfig>) -> std::io::Result<HandshakeKind> {
    let stream = connect(proxy, &format!("{host}:443")).await;
    let name = host.trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(name).unwrap();
    let connector = TlsConnector::from(Arc::clone(client));
    let mut stream = connector.connect(name, stream).await?;
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await?;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    Ok(stream.get_ref().1.handshake_kind().unwrap())
}

/// A client's memory that takes all hosts for one.
#[derive(Debug)]
struct Confused(ClientSessionMemoryCache);

impl Confused {
    fn name() -> ServerName<'static> {
        ServerName::try_from("any.example").unwrap()
    }
}

impl ClientSessionStore for Confused {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(Self::name(), group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.0.kx_hint(&Self::name())
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.0.set_tls12_session(Self::name(), value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.0.tls12_session(&Self::name())
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.0.remove_tls12_session(&Self::name());
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(Self::name(), value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.0.take_tls13_ticket(&Self::name())
    }
}

#[tokio::test]
async fn a_client_that_comes_back_resumes_its_session() {
    if !namespace::enter("https::resumption::a_client_that_comes_back_resumes_its_session", "") {
        return;
    }
    let proxy = proxy_of_hosts().await;
    for version in [&TLS13, &TLS12] {
        for host in ["a.example", "127.0.0.1"] {
            let client = Arc::new(client(&proxy, &[version]));
            let first = visit(&proxy, host, &client).await.unwrap();
            assert_eq!(first, HandshakeKind::Full, "{version:?} {host}");
            let second = visit(&proxy, host, &client).await.unwrap();
            assert_eq!(second, HandshakeKind::Resumed, "{version:?} {host}");
        }
    }
    proxy.stop().await;
}

/// RFC 8446 § 4.6.1: tickets are for the name in the client's greeting. Addresses have none there (RFC 6066 § 3), so
/// their tickets must be told apart by something else.
#[tokio::test]
async fn a_ticket_of_one_host_resumes_nothing_at_another() {
    if !namespace::enter("https::resumption::a_ticket_of_one_host_resumes_nothing_at_another", "") {
        return;
    }
    let proxy = proxy_of_hosts().await;
    for version in [&TLS13, &TLS12] {
        for (host, other) in [("a.example", "b.example"), ("127.0.0.1", "[::1]")] {
            let mut client = client(&proxy, &[version]);
            let memory = Confused(ClientSessionMemoryCache::new(8));
            client.resumption = Resumption::store(Arc::new(memory));
            let client = Arc::new(client);
            for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
                let kind = visit(&proxy, host, &client).await.unwrap();
                assert_eq!(kind, expected, "{version:?} {host}");
            }
            let there = visit(&proxy, other, &client).await.unwrap();
            assert_eq!(there, HandshakeKind::Full, "{version:?} {other}");
        }
    }
    proxy.stop().await;
}

#[tokio::test]
async fn no_session_outlives_its_authority() {
    if !namespace::enter("https::resumption::no_session_outlives_its_authority", "") {
        return;
    }
    let proxy = proxy_of_hosts().await;
    let client = Arc::new(client(&proxy, &[&TLS13]));
    for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
        let kind = visit(&proxy, "a.example", &client).await.unwrap();
        assert_eq!(kind, expected);
    }
    let folder = proxy.ca_file().parent().unwrap().to_path_buf();
    let file = folder.parent().unwrap().join("for-ca.yaml");
    fs::write(&file, format!("authority: {{ dir: '{}' }}", folder.display())).unwrap();
    let made = gleaner(file.parent().unwrap(), &["ca", "regenerate", "--yes", "--config", "for-ca.yaml"], "");
    assert!(made.status.success(), "{made:?}");
    gleaner::reload::reload(&proxy.proxy, |_| {});
    // A resumed session would have been taken without a look at the certificate, which is of an unknown authority now.
    let refused = visit(&proxy, "a.example", &client).await.unwrap_err();
    let why = refused.to_string();
    assert!(why.contains("invalid peer certificate"), "{why}");
    proxy.stop().await;
}

/// A server that answers one request for each connection, and tells how its handshakes went.
async fn server(ip: IpAddr, config: Arc<ServerConfig>) -> (u16, mpsc::UnboundedReceiver<HandshakeKind>) {
    let (tell, told) = mpsc::unbounded_channel();
    let listener = TcpListener::bind((ip, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(config);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Who is refused ends the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let _ = tell.send(stream.get_ref().1.handshake_kind().unwrap());
            read_head(&mut stream).await;
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    (port, told)
}

/// More of them than the TLS library remembers by itself (32).
#[tokio::test]
async fn the_proxy_resumes_its_sessions_with_many_servers() {
    const SERVERS: u8 = 40;
    let ca = TestCa::new();
    let access = "access: { allow_targets: ['127.0.0.0/8:1-65535'] }\n";
    let proxy = TestProxy::trusting(&ca, access).await;
    let mut servers = Vec::new();
    for last in 1..=SERVERS {
        let ip = IpAddr::from([127, 0, 0, last]);
        let config = ca.server(&[&ip.to_string()], &[], |_| {});
        let (port, told) = server(ip, config).await;
        servers.push((format!("https://{ip}:{port}/"), told));
    }
    for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
        for (url, told) in &mut servers {
            assert_eq!(get(&proxy, url, &[]).await.status, 200, "{url}");
            assert_eq!(told.recv().await, Some(expected), "{url}");
        }
    }
    proxy.stop().await;
}

#[tokio::test]
async fn a_spared_host_lends_its_session_to_no_other_and_to_no_later_configuration() {
    let proxy = TestProxy::start("upstream: { insecure_hosts: [localhost] }").await;
    let (port, mut told) = server([127, 0, 0, 1].into(), self_signed()).await;
    let url = |host: &str| format!("https://{host}:{port}/");
    for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
        assert_eq!(get(&proxy, &url("localhost"), &[]).await.status, 200);
        assert_eq!(told.recv().await, Some(expected));
    }
    // The same server, with the same key for its tickets.
    assert_eq!(get(&proxy, &url("127.0.0.1"), &[]).await.status, 502);
    proxy.reload("upstream: { insecure_hosts: [elsewhere.example] }");
    assert_eq!(get(&proxy, &url("localhost"), &[]).await.status, 502);
    assert!(told.try_recv().is_err(), "a handshake that should have failed");
    proxy.stop().await;
}
