//! Addresses as people and programs write them: with a password in them, and with signs that must be encoded.

use crate::harness::{
    client::{basic, run},
    optional,
    origin::response,
    wire::{SCHEMES, Scheme, Setup},
};

/// The password becomes that of the request, or is left out, as Squid does; it never stays in the address.
#[tokio::test]
async fn a_name_and_password_before_the_host_are_no_mistake() {
    let setup = Setup::new(Scheme::Http, "", |_| response(&[], "hello")).await;
    for pair in ["anna:secret", "anna", "anna:", ":", "an%6ea:sec%72et"] {
        let request =
            format!("GET http://{pair}@{0}/a HTTP/1.1\r\nHost: {0}\r\nConnection: close\r\n\r\n", setup.host());
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 200"), "{pair}: {got}");
        let seen = setup.origin.last();
        assert_eq!((seen.uri.to_string(), &seen.headers["host"]), ("/a".into(), &setup.host().parse().unwrap()));
        let field = seen.headers.get("authorization");
        assert!(field.is_none_or(|field| *field == basic("anna", "secret") || !pair.contains("sec")), "{field:?}");
    }
}

/// Python's urllib repeats them in `Host`. There they count only beside the same address.
#[tokio::test]
async fn a_name_and_password_in_the_host_field_are_no_mistake_beside_the_same_address() {
    let setup = Setup::new(Scheme::Http, "", |_| response(&[], "hello")).await;
    let host = setup.host();
    if let Some(python) = optional::program("python3", "python3") {
        let mut command = std::process::Command::new(python);
        let script = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())";
        command.args(["-c", script, &format!("http://anna:secret@{host}/a")]);
        command.env("http_proxy", setup.proxy.url()).env("no_proxy", "");
        let (well, told) = run(command).await;
        assert!(well && told.trim() == "hello", "{told}");
        let seen = setup.origin.last();
        assert_eq!(seen.headers["host"], host);
        assert_eq!(seen.headers["authorization"], basic("anna", "secret"));
    }
    for (target, field) in [
        (format!("http://{host}/"), format!("anna:secret@{host}")),
        (format!("http://anna:secret@{host}/"), format!("anna:other@{host}")),
        ("/".to_owned(), format!("anna:secret@{host}")),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {field}\r\n\r\n");
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 400"), "{target} {field}: {got}");
    }
}

#[tokio::test]
async fn signs_that_must_be_encoded_are_encoded() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| response(&[], seen.uri.to_string())).await;
        for (path, sent) in [
            ("/grüße?q=ü".as_bytes(), "/gr%C3%BC%C3%9Fe?q=%C3%BC"),
            // Latin-1.
            (b"/gr\xfc\xdfe?q=\xfc", "/gr%FC%DFe?q=%FC"),
            (b"/<b>\"x\"", "/%3Cb%3E%22x%22"),
            (b"/a`b?q=\"<>", "/a%60b?q=%22%3C%3E"),
            (b"/a?q=`?`", "/a?q=`?`"),
            // An address without a path.
            ("?q=ü".as_bytes(), "/?q=%C3%BC"),
            // What browsers leave as it is passes byte for byte.
            (b"/a|b^c[d]%7?q={%22x%22:[1,2]}|^'", "/a|b^c[d]%7?q={%22x%22:[1,2]}|^'"),
        ] {
            if scheme == Scheme::Https && !path.starts_with(b"/") {
                continue;
            }
            let host = setup.host();
            let prefix = if scheme == Scheme::Http { format!("http://{host}") } else { String::new() };
            let end = format!(" HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let request = [b"GET ", prefix.as_bytes(), path, end.as_bytes()].concat();
            let got = setup.exchange(&request).await;
            assert!(got.ends_with(&format!("\r\n\r\n{sent}")), "{scheme:?} {sent}: {got}");
        }
    }
}
