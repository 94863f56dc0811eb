//! Squid, plain and where it decrypts, with the lines that `contrib/squid.conf` gives its owners.

use std::{fs, io::Write as _, net::SocketAddr, process::Command};

use flate2::{Compression, write::GzEncoder};
use socket2::{Domain, Socket, Type};

use super::service;
use crate::harness::{
    DEMO, Origin, TestCa,
    client::{get_by, run, send_to},
    get, optional,
    origin::{Recorded, html, response},
    squid::{Squid, open_folder},
};

const LINES: &str = include_str!("../../../contrib/squid.conf");

/// A browser's fields.
const BROWSER: [(&str, &str); 4] = [
    ("user-agent", "Mozilla/5.0 (X11; Linux x86_64)"),
    ("sec-fetch-dest", "document"),
    ("accept", "text/html,*/*;q=0.8"),
    ("accept-encoding", "gzip, br"),
];

/// The settings of a Squid whose service is at this address.
fn settings(addr: SocketAddr, bypass: u8) -> String {
    let lines = LINES.replace("127.0.0.1:1344", &addr.to_string()).replace("bypass=1", &format!("bypass={bypass}"));
    assert!(lines.contains(&addr.to_string()));
    format!("{lines}http_access allow all\n")
}

/// A page of this many paragraphs.
fn long_page(paragraphs: usize) -> String {
    let article =
        "<p>Some words that are long enough for a page of this kind, and some more of them.</p>\n".repeat(paragraphs);
    format!(
        "<!doctype html><html><head><title>Long</title></head><body><nav><a href=/>x</a></nav><article>{article}</article></body></html>"
    )
}

fn site(seen: &Recorded) -> http::Response<http_body_util::Full<bytes::Bytes>> {
    match seen.uri.path() {
        "/picture.png" => {
            response(&[("content-type", "image/png"), ("cache-control", "max-age=600")], vec![7; 200_000])
        }
        "/long" => html(long_page(4000)),
        "/long.gz" => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(long_page(4000).as_bytes()).unwrap();
            response(&[("content-type", "text/html"), ("content-encoding", "gzip")], gzip.finish().unwrap())
        }
        _ => response(&[("content-type", "text/html"), ("cache-control", "max-age=600")], DEMO),
    }
}

#[tokio::test]
async fn pages_are_the_proxys_own_and_everything_else_passes() {
    let (proxy, addr) = service("blocking: { services: [tiktok] }").await;
    let Some(squid) = Squid::start(open_folder(), "", &settings(addr, 0)).await else { return };
    let origin = Origin::http(site).await;
    for round in 0..3 {
        let page = get_by(squid.addr, &origin.url("/page"), &BROWSER).await;
        let own = get(&proxy, &origin.url("/page"), &BROWSER).await;
        assert!(page.header("gleaner").starts_with("rewritten"), "{round}: {:?}", page.headers);
        assert!(page.body == own.body, "{round}: {} bytes for {}", page.body.len(), own.body.len());
        let picture = get_by(squid.addr, &origin.url("/picture.png"), &[]).await;
        assert_eq!((picture.status.as_u16(), picture.body.len()), (200, 200_000));
        let long = get_by(squid.addr, &origin.url("/long.gz"), &BROWSER).await;
        assert!(long.header("gleaner").starts_with("rewritten"), "{round}: {:?}", long.headers);
    }
    let asked: Vec<_> = origin.requests().iter().map(|seen| seen.uri.path().to_owned()).collect();
    // A page is for one client, a picture for all: Squid keeps it.
    assert_eq!(asked.iter().filter(|path| *path == "/picture.png").count(), 1, "{asked:?}");
    assert_eq!(asked.iter().filter(|path| *path == "/page").count(), 6, "{asked:?}");
    assert_eq!(origin.last().headers.get("accept-encoding").unwrap(), "gzip, br");
    let refused = get_by(squid.addr, "http://www.tiktok.com/", &BROWSER).await;
    assert!(refused.status == 403 && refused.text().contains("TikTok"), "{refused:?}");
    let ours = get_by(squid.addr, "http://gleaner.internal/", &BROWSER).await;
    assert!(ours.status == 200 && ours.text().contains("Gleaner"), "{ours:?}");
    for bytes in [0, 1000, 1_000_000] {
        let form = http::Request::post(origin.url("/form")).body(vec![b'x'; bytes].into()).unwrap();
        assert_eq!(send_to(squid.addr, form).await.status, 200);
        assert_eq!(origin.last().body.len(), bytes);
    }
    assert!(!squid.log().contains("suspended"), "{}", squid.log());
}

#[tokio::test]
async fn a_page_that_squid_does_not_send_whole_passes() {
    let (_proxy, addr) = service("").await;
    let Some(squid) = Squid::start(open_folder(), "", &settings(addr, 0)).await else { return };
    let origin = Origin::http(site).await;
    let page = get_by(squid.addr, &origin.url("/long"), &BROWSER).await;
    let action = page.header("gleaner");
    // Newer versions of Squid send it.
    assert!(action.starts_with("rewritten") || action == "passed; reason=client-stopped-sending", "{action}");
    assert!(action.starts_with("rewritten") || page.body == long_page(4000), "{} bytes", page.body.len());
}

#[tokio::test]
async fn without_the_service_pages_pass() {
    // Bound, so that nobody else listens there, and not listening.
    let nobody = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    nobody.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let addr = nobody.local_addr().unwrap().as_socket().unwrap();
    let Some(squid) = Squid::start(open_folder(), "", &settings(addr, 1)).await else { return };
    let origin = Origin::http(site).await;
    for _ in 0..5 {
        let page = get_by(squid.addr, &origin.url("/page"), &BROWSER).await;
        assert!(page.status == 200 && page.body == DEMO.as_bytes());
    }
}

#[tokio::test]
async fn pages_that_squid_decrypts_are_filtered() {
    let (_proxy, addr) = service("").await;
    let (Some(program), Some(curl)) = (optional::program("squid", "squid-openssl"), optional::program("curl", "curl"))
    else {
        return;
    };
    let certgen = "/usr/lib/squid/security_file_certgen";
    if !std::path::Path::new(certgen).exists() {
        return optional::skip(&format!("{} cannot decrypt: apt install squid-openssl", program.display()));
    }
    let (ca, squid_ca, dir) = (TestCa::new(), TestCa::new(), open_folder());
    let root = dir.path().display().to_string();
    fs::write(dir.path().join("origins.pem"), ca.pem()).unwrap();
    fs::write(dir.path().join("squid.pem"), squid_ca.pem() + &squid_ca.key_pem()).unwrap();
    let (well, told) = run({
        let mut command = Command::new(certgen);
        command.args(["-c", "-s", &format!("{root}/certificates"), "-M", "4MB"]);
        command
    })
    .await;
    assert!(well, "{told}");
    let open = Command::new("chmod").args(["-R", "a+rwX", &root]).status().unwrap();
    assert!(open.success());
    let decrypts = format!(
        "sslcrtd_program {certgen} -s {root}/certificates -M 4MB
sslcrtd_children 1
tls_outgoing_options cafile={root}/origins.pem
ssl_bump bump all
{}",
        settings(addr, 0)
    );
    let port_words = format!("ssl-bump generate-host-certificates=on cert={root}/squid.pem");
    let Some(squid) = Squid::start(dir, &port_words, &decrypts).await else { return };
    let origin = Origin::https(&ca, site).await;
    let mut command = Command::new(curl);
    command.args(["-sS", "--max-time", "20", "--proxy", &format!("http://{}", squid.addr), "--cacert"]);
    command.arg(squid.dir.path().join("squid.pem")).args(["-D-", &origin.https_url("/page")]);
    for (name, value) in BROWSER.iter().take(3) {
        command.args(["-H", &format!("{name}: {value}")]);
    }
    let (well, page) = run(command).await;
    assert!(well && page.to_lowercase().contains("gleaner: rewritten"), "{page}\n{}", squid.log());
}
