//! Heads of responses that no standard allows and every browser takes: they pass, and what they carry is whole.

use crate::harness::wire::{SCHEMES, Setup};

#[tokio::test]
async fn odd_heads_that_browsers_take_pass() {
    let end = "Content-Length: 5\r\n\r\nhello";
    let long = format!("X: {}\r\n", "x".repeat(8_000));
    let mut answers: Vec<String> = [
        // One field or two that are odd, before a length that counts.
        "X : space before the colon\r\n",
        "X\t: tab before the colon\r\n",
        " X: leading space\r\n",
        "no colon at all\r\n",
        "<br />\nWarning: Undefined variable in <b>/a.php</b> on line <b>2</b><br />\n",
        "X: control \x01\x1f\x7f bytes\r\n",
        "X: bare\rCR\r\n",
        "X\x01: control byte in a name\r\n",
        "X: folded\r\n over\r\n\tlines\r\n",
        ": no name\r\n",
        "X (y): brackets\r\n",
        "Transfer-Encoding: identity\r\n",
        &"X: y\r\n".repeat(1_000),
        &long.repeat(31),
    ]
    .iter()
    .map(|fields| format!("HTTP/1.1 200 OK\r\n{fields}{end}"))
    .collect();
    answers.extend(
        ["HTTP/1.1  200 OK", "HTTP/1.1 200  OK", "HTTP/1.1 200", "HTTP/1.2 200 OK", "HTTP/2.0 200 OK"]
            .map(|line| format!("{line}\r\n{end}")),
    );
    answers.push(format!("HTTP/1.1 200 OK\n{}", end.replace('\r', "")));
    answers.push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nhe\n3\nllo\n0\n\n".into());
    answers.push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\r\n\r\n".into());
    answers.push("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello".into());
    // Beside chunks a length does not count.
    for (version, field) in [
        ("1.1", "Content-Length: 2\r\nTransfer-Encoding: chunked"),
        ("1.1", "Content-Length : 2\r\nTransfer-Encoding:\r\n chunked"),
        ("1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked"),
    ] {
        answers.push(format!("HTTP/{version} 200 OK\r\n{field}\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
    }
    answers.push("ICY 200 OK\r\nicy-name: radio\r\n\r\nhello".into());
    let mut wrong = Vec::new();
    for scheme in SCHEMES {
        for answer in &answers {
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let request = "GET {/} HTTP/1.0\r\nHost: {host}\r\n\r\n";
            let (got, clean) = setup.exchange_to_end(setup.fill(request).as_bytes()).await;
            let repeated = [answer, &got].map(|text| text.matches(": y\r\n").count());
            let is_whole = clean && got.ends_with("\r\n\r\nhello") && repeated[0] == repeated[1];
            if !(got.contains(" 200") && is_whole) {
                let (sent, got) = (&answer[..answer.len().min(90)], &got[..got.len().min(60)]);
                wrong.push(format!("{scheme:?} {sent:?}: {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
