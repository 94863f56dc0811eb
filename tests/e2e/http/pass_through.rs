//! Cookies, credentials and addresses pass byte for byte, and nothing about the client is added.

use tokio::{io::AsyncWriteExt, sync::mpsc};

use crate::harness::{
    origin::read_head,
    wire::{SCHEMES, Setup, soon},
};

#[tokio::test]
async fn cookies_credentials_and_addresses_pass_byte_for_byte() {
    const ASKED: [&str; 5] = [
        "Cookie: a=1;b=\"two\";  c=%20; d=; e",
        "Cookie: second=one",
        "Authorization: Negotiate YII+/w==  ,x",
        "X-List: a,, b ,c",
        "Referer: http://a.example/?q=%e4%20+",
    ];
    const ANSWERED: [&str; 5] = [
        "Set-Cookie: a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
        "Set-Cookie: a=2;HttpOnly;Secure",
        "Set-Cookie: b=\"x,y\"; SameSite=None; Partitioned",
        "Location: //other.example/../a?b=%2F%2f#c",
        "WWW-Authenticate: Basic realm=\"x\", Digest nonce=\"y,z\"",
    ];
    for scheme in SCHEMES {
        for status in ["200 OK", "302 Found", "307 Temporary Redirect", "401 Unauthorized"] {
            let (tell, mut told) = mpsc::unbounded_channel();
            let setup = Setup::sockets(scheme, "", move |mut stream| {
                let tell = tell.clone();
                async move {
                    tell.send(read_head(&mut stream).await).unwrap();
                    let fields = ANSWERED.join("\r\n");
                    let answer = format!("HTTP/1.1 {status}\r\n{fields}\r\nContent-Length: 0\r\n\r\n");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            })
            .await;
            let fields = ASKED.join("\r\n");
            let request = setup.fill(&format!(
                "GET {{/a/../b//c?q=%e4%2F&&x=[1]|2;y}} HTTP/1.1\r\nHost: {{host}}\r\n{fields}\r\nConnection: close\r\n\r\n"
            ));
            let answer = setup.exchange(request.as_bytes()).await;
            let seen = soon(told.recv()).await.unwrap();
            assert!(seen.starts_with("GET /a/../b//c?q=%e4%2F&&x=[1]|2;y HTTP/1.1\r\n"), "{seen}");
            assert_eq!(in_order(&seen, &ASKED), ASKED, "{scheme:?} {status}: {seen}");
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{answer}");
            assert_eq!(in_order(&answer, &ANSWERED), ANSWERED, "{scheme:?}: {answer}");
        }
    }
}

/// The lines of a head that are among these, in the order in which they came.
fn in_order<'a>(head: &'a str, lines: &[&str]) -> Vec<&'a str> {
    head.lines().filter(|line| lines.contains(line)).collect()
}

/// Nobody learns from us who asks: what is not configured is not added.
#[tokio::test]
async fn nothing_about_the_client_is_added() {
    for scheme in SCHEMES {
        let (tell, mut told) = mpsc::unbounded_channel();
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let tell = tell.clone();
            async move {
                tell.send(read_head(&mut stream).await).unwrap();
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            }
        })
        .await;
        let request = "GET {/} HTTP/1.1\r\nHost: {host}\r\nAccept: image/png\r\nConnection: close\r\n\r\n";
        setup.exchange(setup.fill(request).as_bytes()).await;
        let seen = soon(told.recv()).await.unwrap().to_lowercase();
        let names: Vec<_> =
            seen.lines().skip(1).filter_map(|line| line.split_once(':')).map(|(name, _)| name).collect();
        assert_eq!(names, ["host", "accept", "cdn-loop"], "{scheme:?}: {seen}");
        assert!(!seen.contains("127.0.0.1:") || seen.contains(&setup.host()), "{seen}");
    }
}
