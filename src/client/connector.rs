//! From a target to a connection: resolve, check every address, connect, TLS.
//!
//! hyper-util's `HttpConnector` skips its resolver for IP literals, so a check in the resolver would not see them;
//! here every address is checked right before it is connected to.

use std::{
    io,
    mem::MaybeUninit,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use rustls::{ClientConfig, ClientConnection, pki_types::ServerName};
use socket2::SockRef;
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_util::either::Either;
use tracing::warn;

use super::{
    UpstreamError,
    origin::Origin,
    parent::{self, ParentProblem},
    resolver::Resolver,
    tls::{self, CertificateRequested, Tls},
};
use crate::{
    config::{Config, ParentKind, ParentProxy, Timeouts, Via},
    http::headers::Pseudonyms,
    net::{
        access_control::{Acl, Initiator, Permit, PortRule, Refusal},
        target::{Scheme, Target},
        tcp,
    },
};

/// Head start of one address before the next is tried beside it: RFC 8305 § 5 recommends 250 ms.
/// Raising it makes sites with a dead address slower, lowering it opens needless connections.
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// A connection to an origin that HTTP can be spoken on.
pub(super) struct Stream {
    pub(super) io: Io,
    pub(super) is_http2: bool,
    /// The server has asked for a client certificate, which it did not get.
    pub(super) wants_client_certificate: bool,
    /// The address of this machine that it was opened from.
    pub(super) local: Option<IpAddr>,
}

pub(super) type Io = Either<Transport, Box<TlsStream<Transport>>>;

/// A connection to an origin, or to the proxy that leads to it, which may be one over TLS.
pub(crate) type Transport = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// The socket of a connection.
pub(crate) fn tcp_of(transport: &Transport) -> &TcpStream {
    match transport {
        Either::Left(tcp) => tcp,
        Either::Right(tls) => tls.get_ref().0,
    }
}

/// Whether the server has sent bytes, or an end, that were not read and that tokio may not know of yet.
pub(super) fn has_unread(io: &mut Io) -> bool {
    match io {
        Either::Left(Either::Left(tcp)) => {
            !SockRef::from(&*tcp).peek(&mut [MaybeUninit::uninit()]).is_err_and(|error| is_drained(&error))
        }
        Either::Left(Either::Right(tls)) => {
            let (tcp, session) = tls.get_mut();
            has_unread_plaintext(tcp, session)
        }
        Either::Right(tls) => match tls.get_mut() {
            (Either::Left(tcp), session) => has_unread_plaintext(tcp, session),
            // TLS within the TLS of another proxy: what has come there may be session tickets, and counts all the same.
            (Either::Right(outer), _) => {
                let (tcp, session) = outer.get_mut();
                has_unread_plaintext(tcp, session)
            }
        },
    }
}

fn is_drained(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

/// Session tickets and key updates (RFC 8446 § 4.6) are nothing to read: rustls takes them.
fn has_unread_plaintext(tcp: &TcpStream, session: &mut ClientConnection) -> bool {
    let socket = SockRef::from(tcp);
    loop {
        match session.read_tls(&mut &*socket) {
            Err(error) => return !is_drained(&error),
            Ok(0) => return true,
            Ok(_) => {}
        }
        let processed = session.process_new_packets();
        if processed.map_or(true, |state| state.plaintext_bytes_to_read() > 0 || state.peer_has_closed()) {
            return true;
        }
    }
}

/// Makes connections.
pub(super) struct Connector {
    acl: Arc<Acl>,
    pub(super) via: Via,
    pub(super) resolver: Resolver,
    /// `None` where there is nothing to trust, which every encrypted request then reports.
    tls: Option<Tls>,
    timeouts: Timeouts,
    /// For other proxies that are asked to connect.
    pseudonyms: Option<Pseudonyms>,
}

impl Connector {
    pub(super) fn new(config: &Config, acl: Arc<Acl>, pseudonyms: Option<Pseudonyms>) -> Self {
        Self {
            acl,
            pseudonyms,
            via: config.via.clone(),
            resolver: Resolver::new(),
            tls: tls::configure(&config.extra_roots, &config.upstream.insecure_hosts),
            timeouts: config.timeouts.clone(),
        }
    }

    /// A connection to an origin: to one of the host's allowed addresses, or through another proxy.
    pub(super) async fn transport(
        &self,
        origin: &Origin,
        client: IpAddr,
        carries: PortRule,
    ) -> Result<Transport, UpstreamError> {
        if let Some(parent) = origin.parent() {
            self.acl.check_unresolved(origin, carries).map_err(UpstreamError::Address)?;
            let through = self.through(parent, origin, client).await;
            return through.map_err(|problem| UpstreamError::Parent(Arc::clone(parent.name()), problem));
        }
        let connecting = async {
            let resolved = self.resolver.resolve(origin.connected_name(), origin.port, client).await?;
            race(alternate(allowed(&self.acl, resolved, origin, carries)?)).await
        };
        let tcp = timeout(self.timeouts.connect, connecting).await.unwrap_or(Err(UpstreamError::ConnectTimeout));
        Ok(Either::Left(tcp.inspect_err(|_| self.resolver.forget(origin.connected_name()))?))
    }

    /// A connection through another proxy, or to it, where it is asked for the resource itself.
    async fn through(&self, parent: &ParentProxy, origin: &Origin, client: IpAddr) -> Result<Transport, ParentProblem> {
        let to_parent = self.to_parent(parent, client);
        let mut io = to_parent.await.map_err(|error| ParentProblem::Connection(Box::new(error)))?;
        if origin.asked().is_none() {
            let target = origin.connected_target();
            let pseudonym = self.pseudonyms.as_ref().map(|pseudonyms| pseudonyms.for_host(target.plain_host()));
            let asking = parent::ask(&mut io, parent, &target, pseudonym.as_deref());
            timeout(self.timeouts.parent, asking).await.unwrap_or(Err(ParentProblem::Timeout))?;
        }
        Ok(io)
    }

    /// A connection to another proxy, whose address the configuration names: the rules for targets do not hold for it.
    async fn to_parent(&self, parent: &ParentProxy, client: IpAddr) -> Result<Transport, UpstreamError> {
        let host = parent.host.plain();
        let connecting = async {
            let resolved = self.resolver.resolve(&host, parent.port, client).await?;
            if resolved.iter().any(|addr| self.acl.is_own(*addr)) {
                return Err(UpstreamError::Address(Refusal::Own));
            }
            race(alternate(resolved)).await
        };
        let tcp = timeout(self.timeouts.connect, connecting).await.unwrap_or(Err(UpstreamError::ConnectTimeout));
        let tcp = tcp.inspect_err(|_| self.resolver.forget(&host))?;
        if parent.kind != ParentKind::Https {
            return Ok(Either::Left(tcp));
        }
        let tls = self.tls.as_ref().ok_or(UpstreamError::NoTrustStore)?;
        let connecting = TlsConnector::from(Arc::clone(&tls.http1)).connect(server_name(&host)?, tcp);
        let stream = timeout(self.timeouts.tls_handshake, connecting).await.map_err(|_| UpstreamError::TlsTimeout)?;
        let stream = stream.map_err(|error| UpstreamError::from_handshake(&error, false))?;
        Ok(Either::Right(Box::new(stream)))
    }

    /// Refuses what a public page wants of the home network by a name. Asked for every such request, because a kept connection
    /// does not ask where it leads.
    pub(super) async fn check_initiator(
        &self,
        permit: &Permit,
        origin: &Origin,
        client: IpAddr,
    ) -> Result<(), UpstreamError> {
        if !permit.must_be_resolved() {
            return Ok(());
        }
        if origin.parent().is_some() {
            // Where the name leads is known to the other proxy alone.
            return Err(UpstreamError::Address(Refusal::NameFromPublic));
        }
        let resolved = timeout(self.timeouts.connect, self.resolver.resolve(origin.plain_host(), origin.port, client));
        let resolved = resolved.await.unwrap_or(Err(UpstreamError::ConnectTimeout))?;
        let checked = resolved.into_iter().try_for_each(|addr| self.acl.check_for_public(addr));
        checked.map_err(UpstreamError::Address)
    }

    /// A connection that HTTP can be spoken on; over the TCP connection that was opened for it before, if any.
    pub(super) async fn connect(
        &self,
        origin: &Origin,
        client: IpAddr,
        http1_only: bool,
        mut tcp: Option<Transport>,
    ) -> Result<Stream, UpstreamError> {
        if origin.scheme == Scheme::Http {
            let tcp = self.transport(origin, client, PortRule::WebOnly).await?;
            let local = local_address(&tcp);
            return Ok(Stream { io: Either::Left(tcp), is_http2: false, wants_client_certificate: false, local });
        }
        let tls = self.tls.as_ref().ok_or(UpstreamError::NoTrustStore)?;
        let mut fetched = 0;
        loop {
            let config = if http1_only { &tls.http1 } else { &tls.http2_or_http1 };
            let tcp = match tcp.take() {
                Some(tcp) => tcp,
                None => self.transport(origin, client, PortRule::WebOnly).await?,
            };
            let missing = match self.handshake(origin, tcp, config).await {
                Err(UpstreamError::MissingIntermediate(url)) => url,
                outcome => return outcome,
            };
            fetched += 1;
            if fetched > tls::MAX_FETCHED_INTERMEDIATES
                || self.fetch_intermediate(tls, &missing, client).await.is_none()
            {
                return Err(UpstreamError::missing_intermediate());
            }
        }
    }

    async fn handshake(
        &self,
        target: &Target,
        tcp: Transport,
        config: &Arc<ClientConfig>,
    ) -> Result<Stream, UpstreamError> {
        let local = local_address(&tcp);
        let name = server_name(target.plain_host())?;
        let requested = CertificateRequested::default();
        let connector = TlsConnector::from(Arc::clone(config));
        let connecting = requested.during(connector.connect(name, tcp));
        let stream = timeout(self.timeouts.tls_handshake, connecting)
            .await
            .map_err(|_| UpstreamError::TlsTimeout)?
            .map_err(|error| UpstreamError::from_handshake(&error, requested.is_set()))?;
        Ok(Stream {
            is_http2: stream.get_ref().1.alpn_protocol() == Some(b"h2"),
            io: Either::Right(Box::new(stream)),
            wants_client_certificate: requested.is_set(),
            local,
        })
    }

    /// Fetches the certificate of an issuer (RFC 5280 § 4.2.2.1, `caIssuers`) and keeps it for the verifier.
    async fn fetch_intermediate(&self, tls: &Tls, url: &str, client: IpAddr) -> Option<()> {
        let uri: http::Uri = url.parse().ok()?;
        let target = Target::from_absolute(&uri).ok()?;
        let permit = self.acl.permit(target, |_| Initiator::Public).ok()?;
        // Never over TLS: that could need another such certificate.
        if permit.target().scheme != Scheme::Http {
            return None;
        }
        let fetching = async {
            let origin = Origin::new(permit.target(), client, &self.via).ok()?;
            self.check_initiator(&permit, &origin, client).await.ok()?;
            let stream = self.transport(&origin, client, PortRule::WebOnly).await.ok()?;
            tls::fetch_certificate(stream, &origin, &uri).await
        };
        let certificate = timeout(self.timeouts.connect, fetching).await.ok()??;
        tls.intermediates.add(certificate)
    }
}

/// The name that a certificate must be for.
fn server_name(host: &str) -> Result<ServerName<'static>, UpstreamError> {
    ServerName::try_from(host.to_owned())
        .map_err(|_| UpstreamError::Tls("no certificate can be issued for this name".to_owned()))
}

fn local_address(transport: &Transport) -> Option<IpAddr> {
    tcp_of(transport).local_addr().ok().map(|local| local.ip().to_canonical())
}

/// The addresses that may be connected to. What a name resolved to is checked here and connected to as it is: there is
/// no second lookup that could give something else (DNS rebinding).
fn allowed(
    acl: &Acl,
    resolved: Vec<SocketAddr>,
    target: &Target,
    carries: PortRule,
) -> Result<Vec<SocketAddr>, UpstreamError> {
    let mut allowed = Vec::new();
    let mut refused = None;
    for addr in resolved {
        match acl.check_resolved(addr, target, carries) {
            Ok(()) => allowed.push(addr),
            Err(refusal) => refused = Some(refusal),
        }
    }
    match (allowed.is_empty(), refused) {
        (false, _) => Ok(allowed),
        (true, Some(refusal)) => {
            if matches!(refusal, Refusal::Rebound(_)) {
                // In a tunnel the browser shows no page of ours that says so.
                warn!(host = target.plain_host(), %refusal, "a name was refused; `access.rebind_allowed` lists those that are your own");
            }
            Err(UpstreamError::Address(refusal))
        }
        (true, None) => Err(UpstreamError::Dns("the name has no address".to_owned())),
    }
}

/// Takes turns between the address families, the resolver's first choice first (RFC 8305 § 4).
fn alternate(addrs: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_v6 = addrs.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) = addrs.into_iter().partition(|addr| addr.is_ipv6() == first_is_v6);
    let turns = 0..first.len().max(second.len());
    turns.flat_map(|turn| [first.get(turn), second.get(turn)]).flatten().copied().collect()
}

/// Connects to the addresses in turn, each with a head start; the first connection wins.
async fn race(addrs: Vec<SocketAddr>) -> Result<TcpStream, UpstreamError> {
    let mut waiting = addrs.into_iter();
    // Dropping the set ends the attempts that lost.
    let mut attempts = JoinSet::new();
    let mut problem = UpstreamError::ConnectTimeout;
    loop {
        match waiting.next() {
            Some(addr) => drop(attempts.spawn(TcpStream::connect(addr))),
            None if attempts.is_empty() => return Err(problem),
            None => {}
        }
        let more = waiting.len() > 0;
        tokio::select! {
            Some(attempt) = attempts.join_next() => match attempt {
                Ok(Ok(stream)) => {
                    tcp::configure(&stream);
                    return Ok(stream);
                }
                Ok(Err(error)) => problem = UpstreamError::from_connect(&error),
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
        let turns: Vec<SocketAddr> = addrs(&["[1::]:1", "1.1.1.1:1", "[2::]:1", "2.2.2.2:1", "3.3.3.3:1"]);
        assert_eq!(alternate(given), turns);
    }

    #[test]
    fn of_the_addresses_of_a_name_those_that_are_allowed_serve() {
        let access = crate::config::Access::default();
        let acl = Acl::new(access, vec![([192, 0, 2, 1], 8118).into()]);
        let resolved = |list: &[&str]| {
            let addrs: Vec<SocketAddr> = list.iter().map(|addr| addr.parse().unwrap()).collect();
            let target = Target::from_absolute(&"http://a.example/".parse().unwrap()).unwrap();
            allowed(&acl, addrs, &target, PortRule::WebOnly)
        };
        // One bad address among good ones is left out, the others serve.
        let mixed = resolved(&["127.0.0.1:80", "93.184.216.34:80", "[::1]:80", "192.168.1.7:80"]).unwrap();
        assert_eq!(mixed, ["93.184.216.34:80".parse().unwrap()]);
        assert!(matches!(resolved(&[]), Err(UpstreamError::Dns(_))));
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
        assert_eq!(race(vec![dead]).await.unwrap_err(), UpstreamError::Refused);
    }
}
