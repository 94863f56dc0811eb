//! TLS that we cannot speak and the client can is tunnelled, so that the client gets what it gets without a proxy.

use std::sync::Arc;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{connect, connect_tls, curl, curl_command, get, run},
    openssl::OpenSsl,
    origin::response,
    tls::trusting,
    wire::{read_until, soon},
};

const ON: &str = "https: { intercept: on }";

#[tokio::test]
async fn origins_and_clients_that_our_tls_cannot_serve_meet_each_other() {
    const OLD: &str = "DEFAULT:@SECLEVEL=0";
    let ca = TestCa::new();
    let Some(openssl) = OpenSsl::new(&ca) else {
        return;
    };
    let rsa = "rsa:2048";
    let cases: [(&str, &str, &[&str]); 12] = [
        // Origins: printers, routers, authorities of firms.
        ("ec -pkeyopt ec_paramgen_curve:P-521", "", &[]),
        (rsa, "-tls1_2 -cipher ECDHE-RSA-AES128-SHA", &[]),
        (rsa, "-tls1_2 -cipher AES128-GCM-SHA256", &[]),
        (rsa, "-tls1_1", &["--ciphers", OLD]),
        (rsa, "-tls1", &["--ciphers", OLD]),
        (rsa, "-Verify 1 -verify_return_error -CAfile ca.pem", &["--cert", "leaf.pem", "--key", "leaf.key"]),
        // Clients.
        (rsa, "", &["--tls-max", "1.1", "--ciphers", OLD]),
        (rsa, "", &["--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-SHA"]),
        (rsa, "", &["--tls-max", "1.2", "--ciphers", "AES128-GCM-SHA256"]),
        // Those that know certificates of RSA alone, or no group of ours; and one that names no protocol.
        (rsa, "", &["--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305"]),
        (rsa, "", &["--curves", "P-521"]),
        (rsa, "", &["--no-alpn"]),
    ];
    let mut wrong = Vec::new();
    for (key, options, arguments) in cases {
        openssl.leaf(key, "sha256");
        let (_server, port) = openssl.serve(&format!("-www {options}"));
        let proxy = TestProxy::trusting(&ca, ON).await;
        let url = format!("https://localhost:{port}/");
        let without = [&["--noproxy", "*", "--insecure", "--fail", &url], arguments].concat();
        let through = [&["--insecure", "--fail", &url], arguments].concat();
        for (way, arguments) in [("without", without), ("through", through)] {
            let Some(mut command) = curl_command(&proxy, &arguments) else {
                return;
            };
            command.current_dir(openssl.dir.path());
            let (well, text) = run(command).await;
            if !well || !text.contains("s_server") {
                wrong.push(format!("{key} {options} {arguments:?} {way} the proxy: {:?}", text.lines().next()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Without a tunnel it is an error that says why. Under TLS 1.3 the server says so after the handshake.
#[tokio::test]
async fn a_server_that_requires_a_client_certificate_is_told_as_that() {
    let ca = TestCa::new();
    let Some(openssl) = OpenSsl::new(&ca) else {
        return;
    };
    openssl.leaf("rsa:2048", "sha256");
    for version in ["-tls1_2", "-tls1_3"] {
        let (_server, port) = openssl.serve(&format!("-www {version} -Verify 1 -verify_return_error -CAfile ca.pem"));
        let proxy = TestProxy::trusting(&ca, "").await;
        let answer = get(&proxy, &format!("https://localhost:{port}/"), &[]).await;
        assert_eq!(answer.status, 502, "{version}");
        assert!(answer.text().contains("asks for a certificate of the client"), "{version}: {}", answer.text());
    }
}

/// A connection through the proxy to an origin whose certificate the client knows: nobody else can have opened it.
async fn tunnelled(proxy: &TestProxy, origin: &Origin, alpn: &[&[u8]]) -> tokio_rustls::client::TlsStream<TcpStream> {
    let target = origin.host_and_port();
    let stream = connect(proxy, &target).await;
    let trust = proxy.ca_file().parent().unwrap().with_file_name("origins.pem");
    let connector = TlsConnector::from(trusting(&trust, alpn));
    let connected = connector.connect("localhost".try_into().unwrap(), stream);
    soon(connected).await.expect("it is the origin's own certificate")
}

#[tokio::test]
async fn protocols_other_than_http_are_tunnelled() {
    let ca = TestCa::new();
    let origin = Origin::tls_sockets(&ca, &[b"imap", b"mqtt"], move |mut stream| async move {
        let _ = stream.write_all(b"* OK").await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    for alpn in [b"imap", b"mqtt"] {
        let mut stream = tunnelled(&proxy, &origin, &[alpn]).await;
        let mut greeting = [0; 4];
        soon(stream.read_exact(&mut greeting)).await.unwrap();
        assert_eq!(&greeting, b"* OK");
    }
}

/// Neither names a protocol by ALPN: the server speaks first, as of mail, or the client, as of chat.
#[tokio::test]
async fn protocols_other_than_http_that_have_no_name_pass_between_two_tls_connections() {
    let ca = TestCa::new();
    let origin = Origin::tls_sockets(&ca, &[], move |mut stream| async move {
        let _ = stream.write_all(b"* OK ready\r\n").await;
        let (mut reader, mut writer) = tokio::io::split(stream);
        let _ = tokio::io::copy(&mut reader, &mut writer).await;
    })
    .await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = origin.host_and_port();
    let talk = async |said: &'static [u8]| {
        let mut stream = connect_tls(&proxy, &target, &proxy.ca_file(), &[]).await.unwrap();
        stream.write_all(said).await.unwrap();
        let mut got = read_until(&mut stream, "ready\r\n").await;
        stream.write_all(b"more\r\n").await.unwrap();
        got += &read_until(&mut stream, "more\r\n").await;
        assert_eq!(got.as_bytes(), [b"* OK ready\r\n", said, b"more\r\n"].concat());
    };
    tokio::join!(talk(b""), talk(b"NICK anna\r\n"), talk(b"\x10\x0c\0\x04MQTT"));
}

/// RFC 5280 § 4.2.2.1: the certificate says where its issuer's is, and browsers fetch it.
#[tokio::test]
async fn a_chain_without_its_intermediate_is_completed() {
    let ca = TestCa::new();
    let Some(openssl) = OpenSsl::new(&ca) else {
        return;
    };
    let issuer = Arc::<std::sync::Mutex<Vec<u8>>>::default();
    let handed = Arc::clone(&issuer);
    let store = Origin::http(move |_| {
        let body = handed.lock().unwrap().clone();
        response(&[("content-type", "application/pkix-cert")], body)
    })
    .await;
    let names =
        format!("subjectAltName=DNS:localhost\nauthorityInfoAccess=caIssuers;URI:{}\n", store.url("/between.der"));
    std::fs::write(openssl.dir.path().join("ext"), names).unwrap();
    openssl.leaf_of_intermediate("rsa:2048", "sha256");
    openssl.run("x509 -in between.pem -outform DER -out between.der");
    *issuer.lock().unwrap() = std::fs::read(openssl.dir.path().join("between.der")).unwrap();
    let (_server, port) = openssl.serve("-www");
    let proxy = TestProxy::trusting(&ca, ON).await;
    for _ in 0..2 {
        let url = format!("https://localhost:{port}/");
        let Some(page) = curl(&proxy, &["--fail", &url]).await else {
            return;
        };
        assert!(page.contains("s_server"), "{page}");
    }
    assert_eq!(store.requests().len(), 1, "it is fetched once");
}
