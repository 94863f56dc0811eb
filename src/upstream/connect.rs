//! From a name to a connection: resolve, check, try the addresses, TLS.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    net::{TcpStream, lookup_host},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::TlsConnector;

use super::{fault::Fault, stream::Stream};
use crate::{
    access_control::{Acl, PortRule},
    authority::{Scheme, Target},
    config::Timeouts,
    tcp::{self, UnderTls},
};

/// Head start of one address before the next is tried beside it: RFC 8305 § 5 recommends 250 ms.
/// Raising it makes sites with a dead address slower, lowering it opens needless connections.
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// Makes connections for the pool.
#[derive(Clone)]
pub(super) struct Connector {
    acl: Arc<Acl>,
    tls: Option<TlsConnector>,
    tls_http1: Option<TlsConnector>,
    timeouts: Timeouts,
}

impl Connector {
    pub(super) fn new(acl: Arc<Acl>, tls: Option<&ClientConfig>, timeouts: Timeouts) -> Self {
        let speaking = |protocols: &[&[u8]]| {
            let mut config = tls?.clone();
            config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
            Some(TlsConnector::from(Arc::new(config)))
        };
        let both = speaking(&[b"h2", b"http/1.1"]);
        Self {
            acl,
            tls: both,
            tls_http1: speaking(&[b"http/1.1"]),
            timeouts,
        }
    }

    /// A plain connection to one of the host's allowed addresses.
    pub(super) async fn tcp(
        &self,
        host: &str,
        port: u16,
        scheme: Scheme,
        carries: PortRule,
    ) -> Result<TcpStream, Fault> {
        let connecting = self.tcp_without_limit(host, port, scheme, carries);
        timeout(self.timeouts.connect, connecting)
            .await
            .unwrap_or(Err(Fault::ConnectTimeout))
    }

    async fn tcp_without_limit(
        &self,
        host: &str,
        port: u16,
        scheme: Scheme,
        carries: PortRule,
    ) -> Result<TcpStream, Fault> {
        let resolved = lookup_host((host, port))
            .await
            .map_err(|error| Fault::Dns(error.to_string()))?;
        race(alternate(allowed(&self.acl, resolved, scheme, carries)?)).await
    }

    /// A connection that HTTP can be spoken on; for upgrades without HTTP/2.
    pub(super) async fn connect(&self, target: &Target, upgrade: bool) -> Result<Stream, Fault> {
        let host = target.host.plain();
        let encrypted = target.scheme == Scheme::Https;
        let tcp = self
            .tcp(&host, target.port, target.scheme, PortRule::WebOnly)
            .await?;
        if !encrypted {
            return Ok(Stream::plain(tcp));
        }
        let tls = if upgrade { &self.tls_http1 } else { &self.tls };
        let connector = tls.as_ref().ok_or(Fault::NoTrustStore)?;
        let name = ServerName::try_from(host)
            .map_err(|_| Fault::Tls("no certificate can be issued for this name".to_owned()))?;
        let tls = timeout(
            self.timeouts.tls_handshake,
            connector.connect(name, UnderTls(tcp)),
        )
        .await
        .map_err(|_| Fault::TlsTimeout)?
        .map_err(|error| Fault::of_handshake(&error))?;
        Ok(Stream::encrypted(tls))
    }
}

/// The addresses that may be connected to. What a name resolved to is judged here and connected to as
/// it is: there is no second look-up that could say something else (DNS rebinding).
fn allowed(
    acl: &Acl,
    resolved: impl Iterator<Item = SocketAddr>,
    scheme: Scheme,
    carries: PortRule,
) -> Result<Vec<SocketAddr>, Fault> {
    let mut allowed = Vec::new();
    let mut refused = None;
    for addr in resolved {
        match acl.check_resolved(addr, scheme, carries) {
            Ok(()) => allowed.push(addr),
            Err(refusal) => refused = Some(refusal),
        }
    }
    match (allowed.is_empty(), refused) {
        (false, _) => Ok(allowed),
        (true, Some(refusal)) => Err(Fault::Address(refusal)),
        (true, None) => Err(Fault::Dns("the name has no address".to_owned())),
    }
}

/// Takes turns between the address families, the resolver's first choice first (RFC 8305 § 4).
fn alternate(addrs: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_v6 = addrs.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) = addrs
        .into_iter()
        .partition(|addr| addr.is_ipv6() == first_is_v6);
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut turns = Vec::new();
    loop {
        let turn = [first.next(), second.next()];
        if turn == [None, None] {
            return turns;
        }
        turns.extend(turn.into_iter().flatten());
    }
}

/// Connects to the addresses in turn, each with a head start; the first connection wins.
async fn race(addrs: Vec<SocketAddr>) -> Result<TcpStream, Fault> {
    let mut waiting = addrs.into_iter();
    // Dropping the set ends the attempts that lost.
    let mut attempts = JoinSet::new();
    let mut fault = Fault::ConnectTimeout;
    loop {
        match waiting.next() {
            Some(addr) => drop(attempts.spawn(TcpStream::connect(addr))),
            None if attempts.is_empty() => return Err(fault),
            None => {}
        }
        let more = waiting.len() > 0;
        tokio::select! {
            Some(attempt) = attempts.join_next() => match attempt {
                Ok(Ok(stream)) => {
                    tcp::set_up(&stream);
                    return Ok(stream);
                }
                Ok(Err(error)) => fault = Fault::of_connect(&error),
                Err(_) => {}
            },
            () = sleep(ATTEMPT_DELAY), if more => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_families_take_turns() {
        let addrs = |list: &[&str]| list.iter().map(|addr| addr.parse().unwrap()).collect();
        let given = addrs(&["[1::]:1", "[2::]:1", "1.1.1.1:1", "2.2.2.2:1", "3.3.3.3:1"]);
        let turns: Vec<SocketAddr> =
            addrs(&["[1::]:1", "1.1.1.1:1", "[2::]:1", "2.2.2.2:1", "3.3.3.3:1"]);
        assert_eq!(alternate(given), turns);
    }

    #[test]
    fn a_name_that_resolves_to_internal_addresses_is_refused() {
        let access = crate::config::Access::default();
        let acl = Acl::new(access, vec![([192, 0, 2, 1], 8118).into()]);
        let resolved = |list: &[&str]| {
            let addrs: Vec<SocketAddr> = list.iter().map(|addr| addr.parse().unwrap()).collect();
            allowed(&acl, addrs.into_iter(), Scheme::Http, PortRule::WebOnly)
        };
        for list in [
            &["127.0.0.1:80"][..],
            &["[::1]:80", "127.0.0.1:80"],
            &["[::ffff:169.254.169.254]:80"],
            &["0.0.0.0:80"],
            &["192.0.2.1:8118"],
        ] {
            assert!(matches!(resolved(list), Err(Fault::Address(_))), "{list:?}");
        }
        // One bad address among good ones is left out, the others serve.
        let mixed = resolved(&["127.0.0.1:80", "93.184.216.34:80", "[::1]:80"]).unwrap();
        assert_eq!(mixed, ["93.184.216.34:80".parse().unwrap()]);
        assert!(matches!(resolved(&[]), Err(Fault::Dns(_))));
    }

    #[test]
    fn a_name_gets_an_excepted_port_only_at_the_excepted_address() {
        let access = serde_yaml::from_str("allow_targets: ['127.0.0.1:8500']").unwrap();
        let acl = Acl::new(access, Vec::new());
        let resolved = |addr: &str, scheme, carries| {
            let addr: SocketAddr = addr.parse().unwrap();
            allowed(&acl, std::iter::once(addr), scheme, carries).is_ok()
        };
        assert!(resolved("127.0.0.1:8500", Scheme::Https, PortRule::Any));
        assert!(!resolved(
            "93.184.216.34:8500",
            Scheme::Https,
            PortRule::Any
        ));
        assert!(resolved(
            "93.184.216.34:8500",
            Scheme::Https,
            PortRule::WebOnly
        ));
        assert!(resolved(
            "93.184.216.34:8500",
            Scheme::Http,
            PortRule::WebOnly
        ));
        assert!(resolved("93.184.216.34:443", Scheme::Https, PortRule::Any));
    }

    #[tokio::test]
    async fn a_dead_address_does_not_keep_from_the_next() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let dead = closed.local_addr().unwrap();
        drop(closed);
        let alive = listener.local_addr().unwrap();
        let stream = race(vec![dead, alive]).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), alive);
        assert_eq!(race(vec![dead]).await.unwrap_err(), Fault::Refused);
    }
}
