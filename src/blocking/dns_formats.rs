//! Lines of lists for name servers: hosts files, and the configurations of dnsmasq, Unbound, BIND and response policy zones.

use std::{borrow::Cow, net::IpAddr};

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DnsLine<'a> {
    /// These hosts are forbidden; none where the line is about the server or the machine itself.
    Forbidden(Vec<Cow<'a, str>>),
    /// This host is not, whatever else the list says.
    Allowed(&'a str),
    /// Names with addresses of their own, which is nothing to block.
    OwnAddress,
}

/// Ends of names of files, which are no top-level domains.
const FILES: [&str; 10] = ["js", "mjs", "php", "html", "htm", "gif", "png", "css", "json", "xml"];

/// Reads a line; `None` if it is none of these formats.
pub(super) fn read(line: &str) -> Option<DnsLine<'_>> {
    hosts_line(line).or_else(|| dnsmasq(line)).or_else(|| unbound(line)).or_else(|| zone(line)).or_else(|| policy(line))
}

/// Whether an answer with this address leads nowhere.
fn leads_nowhere(address: IpAddr) -> bool {
    address.is_unspecified() || address.is_loopback()
}

/// A line of a hosts file, or a host and nothing else, with everything under it (`*.host`, `.host`) or not.
fn hosts_line(line: &str) -> Option<DnsLine<'_>> {
    let first = line.split_whitespace().next()?;
    let address = match first {
        "0" => Some(IpAddr::from([0, 0, 0, 0])),
        // An address may name the interface.
        first => first.split('%').next().and_then(|address| address.parse().ok()),
    };
    let Some(address) = address else {
        let before =
            line.split_once(" #").or_else(|| line.split_once("\t#")).map_or(line, |(before, _)| before).trim_end();
        let host = before.trim_start_matches("*.").trim_end_matches('.');
        let host = host.strip_prefix('.').unwrap_or(host);
        // Such as `.beacon.js`, a part of an address.
        let is_file = host.rsplit_once('.').is_some_and(|(_, end)| FILES.contains(&end));
        if is_file {
            return None;
        }
        return Some(DnsLine::Forbidden(vec![in_ascii(host)?]));
    };
    // A note may stand right behind a name.
    let names = line[first.len()..].split('#').next().unwrap_or_default().split_whitespace();
    let mut names = names.map(|name| name.trim_start_matches("*.").trim_end_matches('.')).peekable();
    names.peek()?;
    let hosts: Vec<_> = names.filter_map(in_ascii).filter(|host| host != "localhost.localdomain").collect();
    if leads_nowhere(address) || hosts.is_empty() { Some(DnsLine::Forbidden(hosts)) } else { Some(DnsLine::OwnAddress) }
}

/// `address=/host/0.0.0.0`, `server=/host/`, `local=/host/`.
fn dnsmasq(line: &str) -> Option<DnsLine<'_>> {
    let (key, value) = line.split_once("=/")?;
    let (hosts, answer) = value.split('#').next()?.trim_end().rsplit_once('/').unwrap_or((value, ""));
    let is_forbidden = match (key.trim(), answer) {
        ("address", "#") | ("address" | "local" | "server", "") => true,
        ("address", answer) => leads_nowhere(answer.parse().ok()?),
        ("server", _) => false,
        _ => return None,
    };
    let hosts = hosts.split('/').filter_map(in_ascii).collect();
    Some(if is_forbidden { DnsLine::Forbidden(hosts) } else { DnsLine::OwnAddress })
}

/// `local-zone: "host" always_nxdomain`, `local-data: "host A 0.0.0.0"`, and the heading `server:`.
fn unbound(line: &str) -> Option<DnsLine<'_>> {
    if line == "server:" {
        return Some(DnsLine::Forbidden(Vec::new()));
    }
    let (key, value) = line.split_once(':')?;
    let mut words = value.split(['"', ' ', '\t', '\'']).filter(|word| !word.is_empty());
    let host = words.next()?.trim_end_matches('.');
    match key {
        "local-zone" if words.next()? == "transparent" => Some(DnsLine::Allowed(host)),
        "local-zone" => Some(DnsLine::Forbidden(in_ascii(host).into_iter().collect())),
        "local-data" => {
            let nowhere = words.next_back()?.parse().is_ok_and(leads_nowhere);
            let hosts = in_ascii(host).into_iter().collect();
            Some(if nowhere { DnsLine::Forbidden(hosts) } else { DnsLine::OwnAddress })
        }
        _ => None,
    }
}

/// `zone "host" { … };`
fn zone(line: &str) -> Option<DnsLine<'_>> {
    let host = line.strip_prefix("zone \"")?.split('"').next()?;
    Some(DnsLine::Forbidden(vec![in_ascii(host)?]))
}

/// A record of a response policy zone: `host CNAME .`, `host A 0.0.0.0`, `host CNAME rpz-passthru.`, and its head.
fn policy(line: &str) -> Option<DnsLine<'_>> {
    if line.starts_with(';') || line.starts_with("$TTL") || line.starts_with("$ORIGIN") {
        return Some(DnsLine::Forbidden(Vec::new()));
    }
    let words: Vec<&str> = line.split(';').next()?.split_whitespace().collect();
    let at = words.iter().position(|word| ["CNAME", "A", "AAAA", "SOA", "NS"].contains(word))?;
    let is_head = |word: &&str| *word == "IN" || *word == "@" || word.bytes().all(|byte| byte.is_ascii_digit());
    if matches!(words[at], "SOA" | "NS") {
        return words[..at].iter().all(is_head).then(|| DnsLine::Forbidden(Vec::new()));
    }
    let host = words.first()?.trim_start_matches("*.").trim_end_matches('.');
    let (host, answer) = (in_ascii(host)?, *words.get(at + 1)?);
    if at == 0 || !words[1..at].iter().all(is_head) || words.len() != at + 2 {
        return None;
    }
    match answer {
        "rpz-passthru." => match host {
            Cow::Borrowed(host) => Some(DnsLine::Allowed(host)),
            Cow::Owned(_) => None,
        },
        "." | "*." | "rpz-drop." | "rpz-tcp-only." => Some(DnsLine::Forbidden(vec![host])),
        answer if answer.parse().is_ok_and(leads_nowhere) => Some(DnsLine::Forbidden(vec![host])),
        _ => Some(DnsLine::OwnAddress),
    }
}

/// `xn--bcher-kva.example` of `bücher.example`; `None` if it is no host.
pub(super) fn in_ascii(word: &str) -> Option<Cow<'_, str>> {
    if word.is_ascii() {
        return is_host(word).then_some(Cow::Borrowed(word));
    }
    let host = url::Host::parse(word).ok()?.to_string();
    is_host(&host).then_some(Cow::Owned(host))
}

pub(super) fn is_host(word: &str) -> bool {
    word.contains('.')
        && word.parse::<IpAddr>().is_err()
        && word.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_forbids_its_hosts() {
        for (line, hosts) in [
            ("0.0.0.0 a.example", "a.example"),
            ("0.0.0.0 a.example#note", "a.example"),
            ("0.0.0.0 a.example b.example # two", "a.example b.example"),
            ("0 a.example", "a.example"),
            (":: a.example", "a.example"),
            ("::1\ta.example", "a.example"),
            ("127.0.0.1 b\u{fc}cher.example", "xn--bcher-kva.example"),
            ("127.0.0.1 localhost localhost.localdomain", ""),
            ("fe80::1%lo0 localhost", ""),
            ("255.255.255.255 broadcasthost", ""),
            ("0.0.0.0 0.0.0.0", ""),
            ("a.example", "a.example"),
            (".a.example", "a.example"),
            ("*.a.example", "a.example"),
            ("a.example. # note", "a.example"),
            ("address=/a.example/0.0.0.0", "a.example"),
            ("address=/a.example/b.example/::", "a.example b.example"),
            ("address=/a.example/#", "a.example"),
            ("server=/a.example/", "a.example"),
            ("local=/a.example/", "a.example"),
            ("server:", ""),
            ("local-zone: \"a.example\" always_nxdomain", "a.example"),
            ("local-zone: \"a.example.\" redirect", "a.example"),
            ("local-data: \"a.example A 0.0.0.0\"", "a.example"),
            ("zone \"a.example\" { type master; file \"null\"; };", "a.example"),
            ("$TTL 2h", ""),
            ("@ IN SOA localhost. root.localhost. (1 6h 1h 1w 2h)", ""),
            ("  IN NS localhost.", ""),
            ("; comment", ""),
            ("a.example CNAME .", "a.example"),
            ("*.a.example 300 IN CNAME . ; note", "a.example"),
            ("a.example A 127.0.0.1", "a.example"),
        ] {
            let Some(DnsLine::Forbidden(found)) = read(line.trim()) else { panic!("{line}") };
            assert_eq!(found.join(" "), hosts, "{line}");
        }
    }

    #[test]
    fn an_address_of_its_own_forbids_nothing() {
        for line in [
            "192.168.1.2 nas.home.example",
            "216.239.38.120 www.google.com #forcesafesearch",
            "address=/nas.home.example/192.168.1.2",
            "server=/corp.example/10.0.0.1",
            "local-data: \"nas.home.example A 192.168.1.2\"",
            "www.google.com CNAME forcesafesearch.google.com.",
        ] {
            assert_eq!(read(line), Some(DnsLine::OwnAddress), "{line}");
        }
        for line in ["a.example CNAME rpz-passthru.", "local-zone: \"a.example\" transparent"] {
            assert_eq!(read(line), Some(DnsLine::Allowed("a.example")), "{line}");
        }
    }

    #[test]
    fn other_rules_are_none_of_them() {
        for line in [
            "||a.example^",
            "/ads/*$image",
            "##.ad",
            "a.example##.ad",
            ".ads.",
            ".beacon.min.js",
            ".com/ads/",
            "-ad-banner.",
            "a.example,malware",
            "This is a text about hosts.",
            "key: value",
            "0.0.0.0",
            "@@||a.example^$document",
            "||a.example^$removeparam=/x=/",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
