//! Servers that answer before an upload is whole: the answer reaches the client, however they end the connection.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

use crate::harness::{
    client::{curl_command, run},
    origin::read_head,
    wire::{Scheme, Setup},
};

/// The action of a server after its early answer.
#[derive(Clone, Copy, Debug)]
enum After {
    /// Ends its side and reads on for a while.
    End,
    /// Keeps the connection and reads no more.
    Silence,
    /// Closes with the upload unread, so that its kernel resets the connection.
    Reset,
}

#[tokio::test]
async fn an_early_answer_to_an_upload_reaches_curl() {
    let upload = tempfile::NamedTempFile::new().unwrap();
    upload.as_file().set_len(64 << 20).unwrap();
    let data = format!("@{}", upload.path().display());
    let tries = [(Scheme::Http, "--http1.1"), (Scheme::Https, "--http1.1"), (Scheme::Https, "--http2")];
    let tries = tries.map(async |(scheme, version)| {
        let mut wrong = Vec::new();
        let reset = std::iter::repeat_n(("413", After::Reset), 12);
        let others = [("401", After::End), ("413", After::End), ("417", After::Silence), ("413", After::Silence)];
        // With the expectation curl stops at an error with less than it announced.
        let expect = ["Expect:", "Expect: 100-continue"];
        for ((status, after), expect) in others.into_iter().chain(reset).zip(expect.into_iter().cycle()) {
            let setup = Setup::sockets(scheme, "", move |mut stream| async move {
                read_head(&mut stream).await;
                let answer = format!("HTTP/1.1 {status} No\r\nContent-Length: 5\r\n\r\nearly");
                stream.write_all(answer.as_bytes()).await.unwrap();
                let _ = stream.flush().await;
                match after {
                    After::End => {
                        let _ = stream.shutdown().await;
                        let _ = stream.read_to_end(&mut Vec::new()).await;
                    }
                    After::Silence => sleep(Duration::from_secs(5)).await,
                    After::Reset => {}
                }
            })
            .await;
            let url = setup.url();
            let arguments = [version, "--header", expect, "--data-binary", &data, "--write-out", " %{http_code}", &url];
            let Some(command) = curl_command(&setup.proxy, &arguments) else { break };
            let (_, text) = run(command).await;
            // What curl says of the upload that was cut does not matter.
            if !text.starts_with(&format!("early {status}")) {
                wrong.push(format!("{scheme:?} {version} {status} {after:?} {expect}: {text:.40}"));
            }
        }
        wrong
    });
    let wrong = join_all(tries).await.concat();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
