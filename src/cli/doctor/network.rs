//! The way to the web, in the order in which one part needs the other: a route, names, then pages. What depends on a
//! failed part is skipped, so that only the cause is reported.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket},
    time::{Duration, Instant},
};

use url::{Host, Url};

use super::{Subject, finding::Finding, start, web};
use crate::local_addresses;

/// Addresses for documentation (RFC 5737, RFC 3849): the route to them is the default route.
const ELSEWHERE: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1))];

/// How long a name may take. Resolvers ask again after five seconds, which nobody waits for here.
const LOOKUP: Duration = Duration::from_secs(2);

/// Longer than that delays each page so that a reader notices.
const SLOW_LOOKUP: Duration = Duration::from_millis(700);

/// How long a connection over IPv6 may take: several round trips around the world.
const CONNECT: Duration = Duration::from_millis(1200);

pub(super) fn check(subject: &Subject) -> Vec<Finding> {
    let [has_v4, has_v6] = ELSEWHERE.map(has_route);
    let mut findings = vec![route(has_v4 || has_v6)];
    let skipped = |checks: &[&'static str], why| checks.iter().map(|check| Finding::skipped(check, why)).collect();
    let (reachable, rest): (Vec<Url>, Vec<Url>) =
        subject.pages.iter().cloned().partition(|page| has_v4 || has_v6 || is_on_this_machine(page));
    if reachable.is_empty() && !rest.is_empty() {
        let without: Vec<_> = skipped(&["names", "ipv6"], "not tried: this machine has no way to the internet");
        findings.extend(without);
        findings.extend(web::check(subject, &[], "not tried: this machine has no way to the internet"));
        return findings;
    }
    let (finding, resolved) = names(&reachable);
    findings.push(finding);
    findings.push(ipv6(has_v6, &resolved));
    let pages: Vec<Url> = resolved.into_iter().map(|(page, _)| page).collect();
    findings.extend(web::check(subject, &pages, "not tried: the names of the pages could not be resolved"));
    findings
}

/// Whether there is a route. Nothing is sent: connecting a UDP socket only looks it up.
fn has_route(to: IpAddr) -> bool {
    let any: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    UdpSocket::bind((any, 0)).is_ok_and(|socket| socket.connect((to, 9)).is_ok())
}

fn route(has_route: bool) -> Finding {
    const CHECK: &str = "network";
    let addresses = local_addresses();
    let shown = addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match (has_route, addresses.is_empty()) {
        (true, _) => Finding::ok(CHECK, "there is a way to the internet"),
        (false, true) => {
            Finding::problem(CHECK, "this machine is in no network", "plug in the network cable, or join the Wi-Fi")
        }
        (false, false) => Finding::problem(
            CHECK,
            "this machine is in a network and knows no way to the internet",
            "switch the router on; `ip route` must show a line that begins with `default`: if there is none, let the network \
             settings of this machine take its address from the router (DHCP), or name the router as gateway there",
        ),
    }
    .with(shown)
}

fn is_on_this_machine(page: &Url) -> bool {
    match page.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

type Resolved = Vec<(Url, Vec<SocketAddr>)>;

/// Resolves the hosts of the pages as the proxy does, all at once.
fn names(pages: &[Url]) -> (Finding, Resolved) {
    const CHECK: &str = "names";
    let begun = Instant::now();
    let lookups: Vec<_> = pages.iter().cloned().map(|page| (page.clone(), start(move || addresses(&page)))).collect();
    let (mut resolved, mut failed) = (Vec::new(), Vec::new());
    for (page, lookup) in lookups {
        let host = page.host_str().unwrap_or_default().to_owned();
        match lookup.recv_timeout(LOOKUP.saturating_sub(begun.elapsed())) {
            Ok(Ok(addresses)) => resolved.push((page, addresses)),
            Ok(Err(problem)) => failed.push(format!("{host}: {problem}")),
            Err(_) => failed.push(format!("{host}: no answer within {} seconds", LOOKUP.as_secs())),
        }
    }
    failed.dedup();
    let took = begun.elapsed();
    let asked = name_servers();
    let next = "switch the router off and on; where that does not help, let the network settings of this machine name another \
                name server (DNS), such as the router's own address";
    let finding = if !failed.is_empty() {
        let detail = format!("{}; name servers: {asked}", failed.join("; "));
        let finding = if resolved.is_empty() {
            Finding::problem(CHECK, "no name of a site can be resolved to its address (DNS)", next)
        } else {
            let next = "look whether the name is written correctly; if it is, the name server does not know it";
            Finding::problem(CHECK, "the name of a site cannot be resolved to its address (DNS)", next)
        };
        finding.with(detail)
    } else if took > SLOW_LOOKUP {
        Finding::warning(CHECK, "the name servers are slow, which delays every page", next)
            .with(format!("name servers: {asked}"))
    } else {
        Finding::ok(CHECK, "names of sites are resolved to their addresses (DNS)")
    };
    let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    (finding.figure("milliseconds", took), resolved)
}

fn addresses(page: &Url) -> Result<Vec<SocketAddr>, String> {
    let port = page.port_or_known_default().unwrap_or_default();
    match page.host() {
        Some(Host::Domain(name)) => {
            (name, port).to_socket_addrs().map(Iterator::collect).map_err(|error| error.to_string())
        }
        Some(Host::Ipv4(ip)) => Ok(vec![(ip, port).into()]),
        Some(Host::Ipv6(ip)) => Ok(vec![(ip, port).into()]),
        None => Err("it has no host".to_owned()),
    }
}

/// The name servers of resolv.conf(5).
fn name_servers() -> String {
    let text = fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("nameserver ")).map(str::trim).collect();
    if servers.is_empty() { "none is set".to_owned() } else { servers.join(", ") }
}

/// A network without IPv6 is as good. One that promises it and loses what is sent is not: programs try IPv6 first.
fn ipv6(has_route: bool, resolved: &Resolved) -> Finding {
    const CHECK: &str = "ipv6";
    if !has_route {
        return Finding::ok(CHECK, "this network has none, and none is needed");
    }
    let Some(addr) = resolved.iter().flat_map(|(_, addresses)| addresses).find(|addr| addr.is_ipv6()) else {
        return Finding::skipped(CHECK, "not tried: there is a way over IPv6, and no page has an address of it");
    };
    match TcpStream::connect_timeout(addr, CONNECT) {
        Ok(_) => Finding::ok(CHECK, "it works"),
        Err(error) => Finding::warning(
            CHECK,
            "this network offers IPv6 and it does not work, which may delay pages",
            "switch the router off and on; if it stays so, switch IPv6 off in the router, or in the network settings of this machine",
        )
        .with(format!("{addr}: {error}")),
    }
}
