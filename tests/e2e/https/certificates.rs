//! Certificate checks on both sides: bad or weak certificates of origins are refused before a byte of the request is
//! sent, except for `https.insecure_hosts`; our own certificates satisfy a strict client.

use std::{path::Path, sync::Arc};

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, KeyPair};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::mpsc,
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    Origin, PAGE, TestCa, TestProxy,
    client::connect_tls,
    get,
    openssl::OpenSsl,
    origin::{html, read_head},
};

const ON: &str = "https: { intercept: on }\n";

/// A server that tells what it was sent after the handshake, once per connection.
async fn listening(config: Arc<ServerConfig>) -> (Origin, mpsc::UnboundedReceiver<Vec<u8>>) {
    let (tell, told) = mpsc::unbounded_channel();
    let acceptor = TlsAcceptor::from(config);
    let origin = Origin::sockets(move |stream| {
        let (acceptor, tell) = (acceptor.clone(), tell.clone());
        async move {
            let mut sent = Vec::new();
            if let Ok(mut stream) = acceptor.accept(stream).await {
                // The client's alert is an error here and an end all the same.
                let _ = stream.read_to_end(&mut sent).await;
            }
            let _ = tell.send(sent);
        }
    })
    .await;
    (origin, told)
}

/// Asks inside of an intercepted connection: the whole answer.
async fn ask(proxy: &TestProxy, port: u16) -> String {
    let target = format!("localhost:{port}");
    let mut stream = connect_tls(proxy, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
    let request =
        format!("GET /secret?secret HTTP/1.1\r\nHost: {target}\r\nCookie: secret\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

fn assert_refused(answer: &str, reason: &str) {
    assert!(answer.starts_with("HTTP/1.1 502"), "{reason}: {answer}");
    assert!(answer.contains(reason) && answer.contains("localhost"), "{reason}: {answer}");
}

pub(crate) fn self_signed() -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    Arc::new(config)
}

#[tokio::test]
async fn bad_certificates_are_refused_before_a_byte_of_the_request_is_sent() {
    let ca = TestCa::new();
    let dated = |from: i32, to: i32| {
        move |params: &mut CertificateParams| {
            params.not_before = rcgen::date_time_ymd(from, 1, 1);
            params.not_after = rcgen::date_time_ymd(to, 1, 1);
        }
    };
    let for_clients = |params: &mut CertificateParams| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    };
    let names = &["localhost"];
    let cases = [
        (ca.server(names, &[], dated(2020, 2021)), "it has expired"),
        (ca.server(names, &[], dated(2090, 2091)), "not valid yet"),
        (ca.server(&["other.example"], &[], |_| {}), "issued for another host"),
        (ca.server(&["*.localhost"], &[], |_| {}), "issued for another host"),
        (TestCa::new().server(names, &[], |_| {}), "unknown authority"),
        (self_signed(), "self-signed"),
        (ca.server(names, &[], for_clients), "not issued for web servers"),
    ];
    let proxy = TestProxy::trusting(&ca, ON).await;
    for (config, reason) in cases {
        let (origin, mut told) = listening(config).await;
        assert_refused(&ask(&proxy, origin.addr.port()).await, reason);
        assert_eq!(told.recv().await.unwrap(), b"", "{reason}");
        // Not intercepted, the same: an encrypted address in a plain request.
        let answer = get(&proxy, &origin.https_url("/secret"), &[]).await;
        assert_eq!(answer.status, 502, "{reason}");
        assert!(answer.text().contains(reason), "{}", answer.text());
        // And what a person can do about it.
        assert!(answer.text().contains("except:\n  - &quot;localhost&quot;"), "{}", answer.text());
        assert_eq!(told.recv().await.unwrap(), b"", "{reason}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn a_host_of_insecure_hosts_is_spared_and_no_other() {
    let tls = self_signed();
    let origin = Origin::tls(tls.into(), |_| html(PAGE)).await;
    let proxy = TestProxy::start("upstream: { insecure_hosts: [localhost] }").await;
    let spared = get(&proxy, &origin.https_url("/"), &[]).await;
    assert_eq!(spared.status, 200);
    // The same server under a name that is not listed.
    let other = get(&proxy, &format!("https://{}/", origin.addr), &[]).await;
    assert_eq!(other.status, 502);
    // Taken out of the list, it is refused at once: no connection is left from before.
    proxy.reload("upstream: { insecure_hosts: [elsewhere.example] }");
    let refused = get(&proxy, &origin.https_url("/"), &[]).await;
    assert_eq!(refused.status, 502);
    proxy.stop().await;
}

#[tokio::test]
async fn weak_keys_and_signatures_of_a_real_server_are_refused() {
    let ca = TestCa::new();
    let Some(openssl) = OpenSsl::new(&ca) else {
        return;
    };
    let cases = [
        ("rsa:1024", "sha256", "-tls1_3", "key is too weak"),
        ("rsa:1024", "sha256", "-tls1_2", "key is too weak"),
        ("rsa:2048", "sha1", "-tls1_3", "signature is too weak"),
    ];
    let proxy = TestProxy::trusting(&ca, ON).await;
    for (key, digest, options, reason) in cases {
        openssl.leaf(key, digest);
        let (server, port) = openssl.serve(options);
        assert_refused(&ask(&proxy, port).await, reason);
        let (told, _) = server.end();
        assert!(!told.contains("GET") && !told.contains("secret"), "{reason}: {told}");
    }
    for (key, digest, reason) in
        [("rsa:2048", "sha1", "signature is too weak (SHA-1"), ("rsa:1024", "sha256", "key is too weak")]
    {
        openssl.leaf_of_intermediate(key, digest);
        let (server, port) = openssl.serve("-tls1_3 -cert_chain between.pem");
        assert_refused(&ask(&proxy, port).await, reason);
        let (told, _) = server.end();
        assert!(!told.contains("GET") && !told.contains("secret"), "{reason}: {told}");
    }
    openssl.leaf_below_md5();
    let (_server, port) = openssl.serve("-tls1_3 -cert_chain chain.pem");
    assert_refused(&ask(&proxy, port).await, "signature is too weak (MD5");
    openssl.leaf_of_intermediate("rsa:2048", "sha256");
    let (_server, port) = openssl.serve("-tls1_3 -www -cert_chain between.pem");
    let answer = ask(&proxy, port).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The same server with nothing wrong is asked: the table refuses for its reasons only.
    openssl.leaf("rsa:2048", "sha256");
    let (_server, port) = openssl.serve("-tls1_2 -www");
    let answer = ask(&proxy, port).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    proxy.stop().await;
}

/// Leaves of ours as a strict client sees them: names, international ones too, and addresses.
#[tokio::test]
async fn leaves_for_names_and_addresses_are_accepted_by_a_strict_client() {
    let of_origin = TestCa::new();
    let origin = Origin::https(&of_origin, |_| html(PAGE)).await;
    let proxy = TestProxy::trusting(&of_origin, ON).await;
    let port = origin.addr.port();
    let ca: &Path = &proxy.ca_file();
    for host in ["localhost", "127.0.0.1"] {
        let target = format!("{host}:{port}");
        connect_tls(&proxy, &target, ca, &[b"http/1.1"]).await.unwrap_or_else(|error| panic!("{host}: {error}"));
    }
    // No one answers under it, and on this port no one is asked before the leaf is made.
    let mut stream = connect_tls(&proxy, "xn--bcher-kva.invalid:80", ca, &[b"http/1.1"]).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: xn--bcher-kva.invalid:80\r\n\r\n").await.unwrap();
    let head = read_head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    proxy.stop().await;
}
