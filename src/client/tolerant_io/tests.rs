use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

use super::*;

/// The response that hyper reads of these bytes, sent in pieces of every size.
async fn read(request: &str, response: &str) -> String {
    let mut all = Vec::new();
    for size in [1, 7, 64 * 1024] {
        let (near, mut far) = duplex(1 << 20);
        let mut io = TolerantIo::new(near, |_| false, Arc::default(), ExtraFields::default());
        io.write_all(request.as_bytes()).await.unwrap();
        for piece in response.as_bytes().chunks(size) {
            far.write_all(piece).await.unwrap();
        }
        drop(far);
        let mut got = String::new();
        io.read_to_string(&mut got).await.unwrap();
        all.push(got);
    }
    assert!(all.iter().all(|got| *got == all[0]), "{all:?}");
    all.remove(0)
}

#[tokio::test]
async fn heads_that_browsers_read_are_brought_into_the_strict_form() {
    for (sent, expected) in [
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nx", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nx"),
        ("\r\nHTTP/1.2  200   Very  OK\nA : b\n\nx", "HTTP/1.1 200 Very  OK\r\nA: b\r\n\r\nx"),
        ("HTTP/1.0 200\r\n A: b\r\nC\r\nD: e\r\n\tf\r\n\r\n", "HTTP/1.0 200 \r\nA: b\r\nD: e f\r\n\r\n"),
        (
            "HTTP/1.1 200 OK\r\n<b>Warning</b>: x\r\nTransfer-Encoding: identity\r\nA: \x01b\x07c\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nA: b c\r\n\r\nx",
        ),
        (
            "HTTP/1.1 103 \r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n1 ;a\nx\n0\n\n",
            "HTTP/1.1 103 \r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 ;a\r\nx\r\n0\r\n\r\n",
        ),
        ("HTTP/2.0 200 OK\r\nA: b\rc\r\n\r\nx", "HTTP/1.1 200 OK\r\nA: b c\r\n\r\nx"),
        // Refused later, and the connection is not used again.
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n",
        ),
        // Not ours to mend.
        ("SSH-2.0-x\r\n\r\n", "SSH-2.0-x\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nA: b", "HTTP/1.1 200 OK\r\nA: b"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc",
        ),
    ] {
        assert_eq!(read("GET / HTTP/1.1\r\n\r\n", sent).await, expected);
    }
}

#[tokio::test]
async fn bodies_are_not_taken_for_heads() {
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nA\n\n\nHTTP/1.1  200 OK\n\n";
    let expected = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nA\n\n\nHTTP/1.1  200 OK\n\n";
    assert_eq!(read("GET / HTTP/1.1\r\n\r\n", two).await, expected);
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
    assert_eq!(read("HEAD / HTTP/1.1\r\n\r\n", head).await, head);
    let upgraded = "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nHTTP/1.1  200 OK\n\n";
    assert_eq!(read("GET / HTTP/1.1\r\n\r\n", upgraded).await, upgraded);
}
