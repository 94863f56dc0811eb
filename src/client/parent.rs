//! Connections through other proxies: `CONNECT` (RFC 9110 § 9.3.6) and SOCKS 5 (RFC 1928, RFC 1929).
//!
//! The name of a host goes to the proxy as it is. Nothing is read beyond the proxy's answer: what follows is the origin's.

use std::{io, net::IpAddr};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::UpstreamError;
use crate::{
    config::{ParentKind, ParentProxy},
    http::headers::CDN_LOOP,
    net::target::Target,
    util::host::Host,
};

/// Most bytes of the head of an answer to `CONNECT`.
const MAX_HEAD: usize = 16 * 1024;

/// Most characters of what a proxy says that are shown.
const MAX_REASON: usize = 120;

/// Interim responses (RFC 9110 § 15.2) that are skipped.
const MAX_INTERIM: usize = 8;

/// Why there is no way through another proxy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParentProblem {
    #[error("could not be reached: {0}")]
    Connection(Box<UpstreamError>),
    #[error("asks for a name and a password; `user` and `password_file` of its rule under `upstream.via` are for them")]
    WantsPassword,
    #[error("does not accept the name and the password of its rule under `upstream.via`")]
    WrongPassword,
    #[error("does not connect to this site; it says: {0}")]
    Refused(String),
    #[error("closed the connection without an answer")]
    Closed,
    #[error("did not connect to the site in time")]
    Timeout,
    #[error("does not answer as a proxy of its kind; the scheme of its address may be wrong")]
    Protocol,
}

impl From<io::Error> for ParentProblem {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// Asks a proxy on a new connection to connect to this target. The connection is to the target afterwards. By the pseudonym, which
/// SOCKS has no place for, this proxy knows the request if it comes back.
pub(super) async fn ask(
    io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    parent: &ParentProxy,
    target: &Target,
    pseudonym: Option<&str>,
) -> Result<(), ParentProblem> {
    match parent.kind {
        ParentKind::Http | ParentKind::Https => ask_http(io, parent, target, pseudonym).await,
        ParentKind::Socks5 => ask_socks(io, parent, target).await,
    }
}

async fn ask_http(
    io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    parent: &ParentProxy,
    target: &Target,
    pseudonym: Option<&str>,
) -> Result<(), ParentProblem> {
    let place = &target.host_port;
    let authorization = parent.authorization();
    let login = authorization.as_ref().map(|credentials| format!("Proxy-Authorization: {credentials}\r\n"));
    let login = login.unwrap_or_default();
    let marked = pseudonym.map(|name| format!("{CDN_LOOP}: {name}\r\n")).unwrap_or_default();
    let request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{login}{marked}\r\n");
    io.write_all(request.as_bytes()).await?;
    io.flush().await?;
    for _ in 0..MAX_INTERIM {
        let head = read_head(io).await?;
        let (status, said) = status_of(&head).ok_or(ParentProblem::Protocol)?;
        match status {
            100..200 => {}
            200..300 => return Ok(()),
            407 => return Err(wants_password(authorization.is_some())),
            // A proxy may repeat in its words what it was sent.
            _ => return Err(ParentProblem::Refused(if parent.is_told_in(&said) { status.to_string() } else { said })),
        }
    }
    Err(ParentProblem::Protocol)
}

/// The problem of a proxy that answers 407.
pub(super) fn wants_password(has_one: bool) -> ParentProblem {
    if has_one { ParentProblem::WrongPassword } else { ParentProblem::WantsPassword }
}

/// The head of a response, byte by byte, because the origin's bytes follow at once.
async fn read_head(io: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, ParentProblem> {
    let mut head = Vec::with_capacity(128);
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if head.len() == MAX_HEAD || head.len() == 5 && head != b"HTTP/" {
            return Err(ParentProblem::Protocol);
        }
        head.push(io.read_u8().await?);
    }
    Ok(head)
}

/// The status of a response, and how it reads.
fn status_of(head: &[u8]) -> Option<(u16, String)> {
    let line = String::from_utf8_lossy(head.split(|byte| *byte == b'\n').next()?).into_owned();
    let (version, rest) = line.trim_end().split_once(' ')?;
    let status = rest.get(..3)?.parse().ok().filter(|status| (100..600).contains(status))?;
    let is_shown = |char: &char| !char.is_control();
    version.starts_with("HTTP/1.").then(|| (status, rest.chars().filter(is_shown).take(MAX_REASON).collect()))
}

async fn ask_socks(
    io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    parent: &ParentProxy,
    target: &Target,
) -> Result<(), ParentProblem> {
    const VERSION: u8 = 5;
    const NO_LOGIN: u8 = 0;
    const PASSWORD: u8 = 2;
    let methods: &[u8] = if parent.credentials.is_some() { &[NO_LOGIN, PASSWORD] } else { &[NO_LOGIN] };
    send(io, &[&[VERSION, length(methods)?], methods]).await?;
    let [version, method] = read(io).await?;
    match (version, method, &parent.credentials) {
        (VERSION, NO_LOGIN, _) => {}
        (VERSION, PASSWORD, Some((user, password))) => {
            send(io, &[&[1, length(user)?], user.as_bytes(), &[length(password)?], password.as_bytes()]).await?;
            let [_, status] = read(io).await?;
            if status != 0 {
                return Err(ParentProblem::WrongPassword);
            }
        }
        (VERSION, 0xff, credentials) => return Err(wants_password(credentials.is_some())),
        _ => return Err(ParentProblem::Protocol),
    }
    let port = target.port.to_be_bytes();
    match &target.host {
        Host::Ip(IpAddr::V4(ip)) => send(io, &[&[VERSION, 1, 0, 1], &ip.octets(), &port]).await?,
        Host::Ip(IpAddr::V6(ip)) => send(io, &[&[VERSION, 1, 0, 4], &ip.octets(), &port]).await?,
        Host::Name(_) => {
            let name = target.plain_host();
            send(io, &[&[VERSION, 1, 0, 3, length(name)?], name.as_bytes(), &port]).await?;
        }
    }
    let [version, reply, _, kind] = read(io).await?;
    if version != VERSION {
        return Err(ParentProblem::Protocol);
    }
    if reply != 0 {
        return Err(ParentProblem::Refused(reply_words(reply).to_owned()));
    }
    // The address that it connects from, which is of no use.
    let rest = match kind {
        1 => 4,
        3 => usize::from(io.read_u8().await?),
        4 => 16,
        _ => return Err(ParentProblem::Protocol),
    } + port.len();
    io.read_exact(&mut [0; 257][..rest]).await?;
    Ok(())
}

async fn send(io: &mut (impl AsyncWrite + Unpin), parts: &[&[u8]]) -> io::Result<()> {
    io.write_all(&parts.concat()).await?;
    io.flush().await
}

async fn read<const N: usize>(io: &mut (impl AsyncRead + Unpin)) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    io.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// The length of a word in SOCKS, which is one byte.
fn length(word: impl AsRef<[u8]>) -> Result<u8, ParentProblem> {
    u8::try_from(word.as_ref().len()).map_err(|_| ParentProblem::Refused("the name is too long for SOCKS".to_owned()))
}

/// RFC 1928 § 6.
fn reply_words(reply: u8) -> &'static str {
    match reply {
        1 => "general failure",
        2 => "its rules do not allow the connection",
        3 => "the network cannot be reached",
        4 => "the host cannot be reached",
        5 => "the connection was refused",
        6 => "the connection took too long",
        7 => "it does not know the command",
        8 => "it does not know the kind of address",
        _ => "an error that it does not name",
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;
    use crate::{config::Config, net::target::Scheme};

    /// What [`ask`] gives and sends where the proxy answers so, over a pipe that forces partial reads; and what it leaves.
    async fn asked(rule: &str, target: &str, answer: &[u8]) -> (Result<(), ParentProblem>, Vec<u8>, Vec<u8>) {
        let config = Config::from_yaml(&format!("upstream: {{ via: [{{ {rule} }}] }}"), None).unwrap();
        let crate::config::Way::Parent(parent) = config.via.rules().next().unwrap().way.clone() else { panic!() };
        let (mut near, mut far) = duplex(8);
        let answer = answer.to_vec();
        let proxy = tokio::spawn(async move {
            let (mut read, mut write) = tokio::io::split(&mut far);
            let mut sent = Vec::new();
            let answering = async {
                write.write_all(&answer).await.unwrap();
                write.shutdown().await.unwrap();
            };
            tokio::join!(answering, async { read.read_to_end(&mut sent).await.unwrap() });
            sent
        });
        let target = Target::from_authority(Scheme::Https, target).unwrap();
        let given = ask(&mut near, &parent, &target, Some("gleaner-1")).await;
        let mut left = Vec::new();
        near.read_to_end(&mut left).await.unwrap();
        drop(near);
        (given, proxy.await.unwrap(), left)
    }

    #[tokio::test]
    async fn a_name_goes_to_socks_as_it_is_and_what_follows_the_answer_is_left() {
        let socks = "proxy: 'socks5://127.0.0.1:1'";
        let (given, sent, left) = asked(socks, "a.onion:80", b"\x05\0\x05\0\0\x01\x7f\0\0\x01\x12\x34SSH-2.0").await;
        assert_eq!((given, &left[..]), (Ok(()), &b"SSH-2.0"[..]));
        assert_eq!(sent, b"\x05\x01\0\x05\x01\0\x03\x07a.onion\0\x50");
        let (given, sent, _) = asked(socks, "192.0.2.7:443", b"\x05\0\x05\x05\0\x01").await;
        assert_eq!(given, Err(ParentProblem::Refused("the connection was refused".to_owned())));
        assert_eq!(sent, b"\x05\x01\0\x05\x01\0\x01\xc0\0\x02\x07\x01\xbb");
    }

    #[tokio::test]
    async fn what_is_no_answer_of_such_a_proxy_is_told_from_a_refusal() {
        for (rule, answer, problem) in [
            ("proxy: 'socks5://127.0.0.1:1'", &b"\x05\xff"[..], ParentProblem::WantsPassword),
            ("proxy: 'socks5://127.0.0.1:1'", b"\x05\x02", ParentProblem::Protocol),
            ("proxy: 'socks5://127.0.0.1:1'", b"HTTP/1.1 400 Bad Request\r\n\r\n", ParentProblem::Protocol),
            ("proxy: 'socks5://127.0.0.1:1'", b"", ParentProblem::Closed),
            ("proxy: 'http://127.0.0.1:1'", b"", ParentProblem::Closed),
            ("proxy: 'http://127.0.0.1:1'", b"\x05\xff\0\0\0\0", ParentProblem::Protocol),
            ("proxy: 'http://127.0.0.1:1'", b"HTTP/1.1 abc\r\n\r\n", ParentProblem::Protocol),
            ("proxy: 'http://127.0.0.1:1'", b"HTTP/1.1 407 No\r\n\r\n", ParentProblem::WantsPassword),
            (
                "proxy: 'http://127.0.0.1:1'",
                b"HTTP/1.0 503 No \x1b[2Jway\r\nA: b\r\n\r\n",
                ParentProblem::Refused("503 No [2Jway".to_owned()),
            ),
        ] {
            assert_eq!(asked(rule, "a.example:443", answer).await.0, Err(problem), "{answer:?}");
        }
        let endless = [b"HTTP/1.1 200 ".to_vec(), vec![b'x'; MAX_HEAD * 2]].concat();
        assert_eq!(
            asked("proxy: 'http://127.0.0.1:1'", "a.example:443", &endless).await.0,
            Err(ParentProblem::Protocol)
        );
        let interim = b"HTTP/1.1 103 Wait\r\n\r\nHTTP/1.1 200 Go\r\nA: b\r\n\r\n\x16\x03";
        let (given, sent, left) = asked("proxy: 'http://127.0.0.1:1'", "a.example:443", interim).await;
        assert_eq!((given, &left[..]), (Ok(()), &b"\x16\x03"[..]));
        assert_eq!(sent, b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\ncdn-loop: gleaner-1\r\n\r\n");
    }
}
