//! Loads pages through the proxy: the running one, or one that is started on a port of its own for the check. Also
//! compares this machine's clock with the `Date` of the answers.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use futures_util::future::join_all;
use http::{Request, Version};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;
use url::{Host, Position, Url};

use super::{Subject, finding::Finding, listening};
use crate::{
    Config, Proxy,
    blocking::Blocker,
    client,
    config::{Access, Intercept, PrivateTargets},
    mitm::authority::{self, Authority},
    net::control_host::CONTROL_HOST,
    state::loaded_config::LoadedConfig,
};

/// Reserved for examples (RFC 2606), small, and there since 1999. Both are asked for by the same host, so that one look-up does.
pub(super) fn default_pages() -> Vec<Url> {
    ["http://example.com/", "https://example.com/"].iter().filter_map(|page| page.parse().ok()).collect()
}

/// Left before the end of all checks, so that what was learned by then is reported.
const RESERVE: Duration = Duration::from_millis(200);

/// Most bytes of an answer that are read.
const MAX_ANSWER: u64 = 1 << 20;

/// A clock that is wrong by more is reported: some sites and log-ins refuse it.
const SKEW: Duration = Duration::from_mins(5);

/// A clock that is wrong by more is a problem: certificates of web sites change every few weeks, some every six days.
const TOO_MUCH_SKEW: Duration = Duration::from_hours(24);

const SET_CLOCK: &str = "set this machine's clock and let it follow the network: `sudo timedatectl set-ntp true`";

/// Fetches the pages, where there are any; else says why not.
pub(super) fn check(subject: &Subject, pages: &[Url], why_none: &'static str) -> Vec<Finding> {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            let next = "end other programs, or allow this user more processes (`ulimit -u`)";
            return vec![Finding::problem("http", "no thread can be started", next).with(error.to_string())];
        }
    };
    let findings = runtime.block_on(check_all(subject, pages, why_none));
    // What still waits for a name server is not waited for.
    runtime.shutdown_background();
    findings
}

async fn check_all(subject: &Subject, pages: &[Url], why_none: &'static str) -> Vec<Finding> {
    let tls = client::tls_settings(&roots(&subject.config), &subject.config.upstream.insecure_hosts);
    let mut findings = vec![certificates(tls.is_some())];
    let not_tried = |check| Finding::skipped(check, why_none);
    if pages.is_empty() {
        findings.extend(["http", "https", "http2"].map(not_tried));
        findings.push(clock(None));
        return findings;
    }
    let through = match proxy(&subject.config, &subject.blocker).await {
        Ok(through) => through,
        Err(problem) => {
            let next = "mend this first; `gleaner serve` ends with the same words";
            findings.push(Finding::problem("http", "the proxy cannot be started", next).with(problem));
            return findings;
        }
    };
    let left = subject.deadline.saturating_duration_since(Instant::now()).saturating_sub(RESERVE);
    let fetched = join_all(pages.iter().map(|page| within(left, get(through, page))));
    let secure = || pages.iter().filter(|page| page.scheme() == "https");
    let over_http2 = join_all(secure().map(|page| within(left, http2(through, page, tls.clone()))));
    let (fetched, over_http2) = tokio::join!(fetched, over_http2);
    let mut is_https_good = true;
    for (check, scheme) in [("http", "http"), ("https", "https")] {
        let mut answers = pages.iter().zip(&fetched).filter(|(page, _)| page.scheme() == scheme).peekable();
        if answers.peek().is_none() {
            findings.push(Finding::skipped(check, "no such page was named"));
        }
        for (page, answer) in answers {
            is_https_good &= check == "http" || answer.is_ok();
            findings.push(page_finding(check, page, answer));
        }
    }
    findings.extend(secure().zip(over_http2).map(|(page, outcome)| http2_finding(page, outcome, is_https_good)));
    if secure().next().is_none() {
        findings.push(Finding::skipped("http2", "no page with https:// was named"));
    }
    findings.push(clock(fetched.iter().find_map(|answer| answer.as_ref().ok()?.date())));
    findings
}

/// Certificates that are trusted beside the system's: those of the configuration, and that of our own authority, which may open the
/// connection.
fn roots(config: &Config) -> Vec<rustls::pki_types::CertificateDer<'static>> {
    let own = config.authority_dir.as_deref().and_then(|dir| Authority::find(dir).ok().flatten());
    config.extra_roots.iter().cloned().chain(own.map(|own| own.certificate)).collect()
}

fn certificates(is_found: bool) -> Finding {
    const CHECK: &str = "certificates";
    let next = if !cfg!(target_os = "linux") || Path::new("/etc/os-release").exists() {
        "install it: `sudo apt install ca-certificates`, or the package of that name of your system"
    } else {
        "in a container like ours take a newer image, or mount the machine's list: `-v /etc/ssl/certs:/etc/ssl/certs:ro`"
    };
    match (is_found, client::has_system_roots()) {
        (true, true) => Finding::ok(CHECK, "the system's list of trusted certificates is there"),
        (true, false) => Finding::warning(
            CHECK,
            "the system has no list of trusted certificates; the built-in one is used, which is as old as this program",
            next,
        ),
        (false, _) => Finding::problem(
            CHECK,
            "the system's list of trusted certificates is empty, so that no encrypted page can be fetched",
            next,
        ),
    }
}

/// The proxy that runs, where it lets this machine in without a password; else one with the same settings.
async fn proxy(config: &Config, blocker: &Arc<Blocker>) -> Result<SocketAddr, String> {
    let lets_in = config.access.users.is_empty() && config.access.allows_client(Ipv4Addr::LOCALHOST.into());
    if let Some(running) = lets_in.then(|| listening::running(&config.listen)).flatten() {
        return Ok(running);
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|error| error.to_string())?;
    let addr = listener.local_addr().map_err(|error| error.to_string())?;
    let loaded = LoadedConfig::new(for_this_program(config), Arc::clone(blocker));
    let proxy = Proxy::new(loaded, vec![addr]).map_err(|error| error.to_string())?;
    tokio::spawn(crate::serve(listener, proxy, CancellationToken::new()));
    Ok(addr)
}

/// The settings of a proxy that has this program as its only client, and no folder, so that nothing is written.
fn for_this_program(config: &Config) -> Config {
    let mut own = config.clone();
    let targets = if config.access.allows_private_targets() { PrivateTargets::Allow } else { PrivateTargets::Refuse };
    let Access { clients, users, .. } = Access::default();
    own.access = Access { clients, users, private_targets: targets, ..config.access.clone() };
    own.authority_dir = None;
    for profile in &mut own.profiles.all {
        Arc::make_mut(profile).intercept = Intercept::Off;
    }
    own
}

/// Waits so long.
async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    timeout(limit, work).await.unwrap_or_else(|_| Err(format!("no answer within {:.1} seconds", limit.as_secs_f32())))
}

/// An answer of HTTP/1.1, as text.
struct WebAnswer(String);

impl WebAnswer {
    fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.0.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
        lines.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    fn date(&self) -> Option<SystemTime> {
        httpdate::parse_http_date(self.field("date")?).ok()
    }

    fn is_our_own(&self) -> bool {
        is_ours(self.field("content-security-policy"))
    }

    /// The words of Gleaner's page about an error, as text.
    fn reason(&self) -> Option<String> {
        let (_, from) = self.0.split_once("<p class=\"bad\">").filter(|_| self.is_our_own() && self.status() >= 400)?;
        let text = from.split("</p>").next()?.replace("<code>", "`").replace("</code>", "`");
        Some(text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
    }
}

/// Whether an answer with this policy is Gleaner's own: only those name the control host as a source of styles.
fn is_ours(content_security_policy: Option<&str>) -> bool {
    content_security_policy.is_some_and(|policy| policy.contains(CONTROL_HOST))
}

/// Whether a Gleaner listens there: whatever it answers, it is a page of its own.
pub(super) fn is_gleaner(addr: SocketAddr, limit: Duration) -> bool {
    let ask = || -> io::Result<WebAnswer> {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect_timeout(&addr, limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.write_all(format!("GET / HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n").as_bytes())?;
        let mut answer = Vec::new();
        // The head is enough, and a program that is none may stop in the middle.
        let _ = stream.take(MAX_ANSWER).read_to_end(&mut answer);
        Ok(WebAnswer(String::from_utf8_lossy(&answer).into_owned()))
    };
    ask().is_ok_and(|answer| answer.is_our_own())
}

/// Sends a request to the proxy, and reads the answer to its end, or to the end of its head.
async fn send(proxy: SocketAddr, request: &str, whole: bool) -> io::Result<(TcpStream, WebAnswer)> {
    let mut stream = TcpStream::connect(proxy).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    if whole {
        (&mut stream).take(MAX_ANSWER).read_to_end(&mut answer).await?;
    } else {
        // Byte by byte: what follows is not ours to read.
        while !answer.ends_with(b"\r\n\r\n") && answer.len() < 16 << 10 {
            answer.push(stream.read_u8().await?);
        }
    }
    Ok((stream, WebAnswer(String::from_utf8_lossy(&answer).into_owned())))
}

const USER_AGENT: &str = concat!("Mozilla/5.0 (compatible; Gleaner/", env!("CARGO_PKG_VERSION"), ")");

/// Fetches a page as a browser does that knows the proxy. An `https://` address in clear makes the proxy itself speak TLS.
async fn get(proxy: SocketAddr, page: &Url) -> Result<WebAnswer, String> {
    let (host, address) = (&page[Position::BeforeHost..Position::AfterPort], &page[..Position::AfterQuery]);
    let fields = format!("Host: {host}\r\nUser-Agent: {USER_AGENT}\r\nAccept: text/html, */*;q=0.1");
    let request = format!("GET {address} HTTP/1.1\r\n{fields}\r\nConnection: close\r\n\r\n");
    let (_, answer) = send(proxy, &request, true).await.map_err(|error| error.to_string())?;
    match answer.reason() {
        Some(reason) => Err(reason),
        None if answer.status() == 0 => Err("the proxy's answer is no HTTP".to_owned()),
        None => Ok(answer),
    }
}

/// Fetches a page over HTTP/2, in a tunnel; `false` where the site has only HTTP/1.1.
async fn http2(proxy: SocketAddr, page: &Url, tls: Option<Arc<ClientConfig>>) -> Result<bool, String> {
    let tls = tls.ok_or("there is no list of trusted certificates")?;
    let host = &page[Position::BeforeHost..Position::AfterHost];
    let place = format!("{host}:{}", page.port_or_known_default().unwrap_or(443));
    let request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\nUser-Agent: {USER_AGENT}\r\n\r\n");
    let problem = |error: &dyn std::fmt::Display| error.to_string();
    let (stream, answer) = send(proxy, &request, false).await.map_err(|error| problem(&error))?;
    if answer.status() != 200 {
        return Err(format!("the tunnel was refused with status {}", answer.status()));
    }
    let name = match page.host() {
        Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).map_err(|error| problem(&error))?,
        Some(Host::Ipv4(ip)) => std::net::IpAddr::V4(ip).into(),
        Some(Host::Ipv6(ip)) => std::net::IpAddr::V6(ip).into(),
        None => return Err("the address has no host".to_owned()),
    };
    let stream = TlsConnector::from(tls).connect(name, stream).await.map_err(|error| problem(&error))?;
    if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
        return Ok(false);
    }
    let (sender, connection) = h2::client::handshake(stream).await.map_err(|error| problem(&error))?;
    tokio::spawn(connection);
    let request = Request::get(&page[..Position::AfterQuery]).version(Version::HTTP_2).header("user-agent", USER_AGENT);
    let request = request.body(()).map_err(|error| problem(&error))?;
    let mut sender = sender.ready().await.map_err(|error| problem(&error))?;
    let (response, _) = sender.send_request(request, true).map_err(|error| problem(&error))?;
    let response = response.await.map_err(|error| problem(&error))?;
    // Where the proxy opens the connection, it is the proxy that answers for a site that it cannot reach.
    let policy = response.headers().get("content-security-policy").and_then(|policy| policy.to_str().ok());
    if is_ours(policy) {
        return Err(format!("the proxy answered with status {}", response.status().as_u16()));
    }
    Ok(true)
}

fn page_finding(check: &'static str, page: &Url, answer: &Result<WebAnswer, String>) -> Finding {
    match answer {
        Ok(answer) if answer.status() < 400 => {
            let arrived = if check == "http" {
                "a page came through the proxy"
            } else {
                "an encrypted page came through the proxy"
            };
            Finding::ok(check, arrived).with(page.as_str())
        }
        Ok(answer) => Finding::warning(
            check,
            "the site answered with an error of its own",
            "nothing is wrong with the proxy; name another page to be sure: `gleaner doctor https://…`",
        )
        .with(format!("{page}: status {}", answer.status())),
        Err(reason) => Finding::problem(check, "no page comes through the proxy", next_step(reason))
            .with(format!("{page}: {reason}")),
    }
    .figure("status", answer.as_ref().map_or(0, |answer| answer.status().into()))
}

/// The next step after an error, by the words of [`client::UpstreamError`].
fn next_step(reason: &str) -> &'static str {
    let has = |words: &str| reason.contains(words);
    if has("certificate cannot be trusted") {
        "see `clock` below; if that is right, a virus scanner or the proxy of a company may open encrypted connections on the way: \
         name its certificate with `upstream: { extra_ca_file: FILE }`"
    } else if has("allow_targets") || has("private_targets") || has("connect_ports") {
        "that is the configuration's will; the key that is named allows it"
    } else if has("(DNS)") {
        "see `names` above"
    } else if has("no answer within") || has("in time") {
        "try again; if it stays so, the network is very slow, or a firewall drops what Gleaner sends"
    } else {
        "open the page in a browser without the proxy; if it fails there too, the site or the network is at fault, and if not, \
         `RUST_LOG=gleaner=debug gleaner serve` shows what Gleaner sees"
    }
}

fn http2_finding(page: &Url, outcome: Result<bool, String>, is_https_good: bool) -> Finding {
    const CHECK: &str = "http2";
    match outcome {
        Ok(true) => Finding::ok(CHECK, "a page came over HTTP/2").with(page.as_str()),
        Ok(false) => Finding::ok(CHECK, "the site has HTTP/1.1 only").with(page.as_str()),
        Err(_) if !is_https_good => Finding::skipped(CHECK, "not told: encrypted pages do not work, see `https`"),
        Err(problem) => Finding::warning(
            CHECK,
            "a tunnel through the proxy does not carry HTTP/2; pages come over HTTP/1.1, or fail in some programs",
            "try another page: `gleaner doctor https://…`; if it stays so, please report it",
        )
        .with(format!("{page}: {problem}")),
    }
}

/// Judges this machine's clock by the date of a web server's answer, or else by that of this program.
fn clock(web: Option<SystemTime>) -> Finding {
    const CHECK: &str = "clock";
    let now = SystemTime::now();
    let shown = |time: SystemTime| httpdate::fmt_http_date(time);
    if let Err(error) = authority::check_clock() {
        return Finding::problem(CHECK, "it was never set, so that all certificates look wrong", SET_CLOCK)
            .with(error.to_string());
    }
    let Some(web) = web else {
        return Finding::skipped(CHECK, "not compared: no page came that says what time it is").with(shown(now));
    };
    let skew = web.duration_since(now).unwrap_or_else(|error| error.duration());
    let detail = format!("it says {}, and a web server {}", shown(now), shown(web));
    match skew {
        skew if skew > TOO_MUCH_SKEW => {
            Finding::problem(CHECK, "it is wrong by more than a day, so that certificates look wrong", SET_CLOCK)
                .with(detail)
        }
        skew if skew > SKEW => {
            Finding::warning(CHECK, "it is wrong by more than five minutes, which some sites refuse", SET_CLOCK)
                .with(detail)
        }
        _ => Finding::ok(CHECK, "it is right"),
    }
    .figure("seconds_wrong", skew.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_error_page_are_found_and_those_of_a_site_are_not() {
        let head = "HTTP/1.1 502 Bad Gateway\r\ncontent-security-policy: style-src https://*.gleaner.internal\r\n\r\n";
        let page = "<p class=\"bad\">The server said &lt;b&gt;; <code>access.allow_targets</code> helps.</p>";
        let reason = WebAnswer(format!("{head}{page}")).reason().unwrap();
        assert_eq!(reason, "The server said <b>; `access.allow_targets` helps.");
        assert!(next_step(&reason).contains("the configuration's will"));
        assert!(WebAnswer(format!("HTTP/1.1 502 x\r\n\r\n{page}")).reason().is_none());
        assert!(WebAnswer(head.replace("502", "200") + page).reason().is_none());
    }

    #[test]
    fn a_clock_is_judged_by_its_distance_from_the_web() {
        use super::super::finding::Level;
        let now = SystemTime::now();
        for (seconds, level) in [(0, Level::Ok), (600, Level::Warning), (200_000, Level::Problem)] {
            let distance = Duration::from_secs(seconds);
            assert_eq!(clock(Some(now + distance)).level, level, "{seconds}");
            assert_eq!(clock(Some(now - distance)).level, level, "-{seconds}");
        }
    }
}
