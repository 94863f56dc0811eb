//! Settings that have no effect because of others: reported as warnings.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use gleaner_filters::{
    Format,
    main_block::Algorithm,
    output::{self, Style},
};

use super::{Config, ParentProxy, Way};

impl Config {
    /// Warnings about settings that were changed and have no effect, or that none of their requests can pass. Each begins with its key.
    pub(crate) fn ineffective_settings(&self) -> Vec<String> {
        let (rewrite, filters) = (&self.rewrite, &self.filters);
        let output::Settings { format, style, .. } = &filters.output;
        let quota = &filters.link_quota;
        let runs_quota =
            quota.enabled || filters.main_block.enabled && filters.main_block.algorithm == Algorithm::LinkQuota;
        let compares = quota.image_lists_by_domain && quota.image_lists || quota.domain_strength > 0.0;
        let settings = [
            (
                rewrite.join_pages > 1 && (*format != Format::Html || *style != Style::Reader),
                "rewrite.join_pages",
                "filters.output with `format: html` and `style: reader`, the only pages that are joined",
            ),
            (
                rewrite.join_pages > 1 && !filters.main_block.enabled,
                "rewrite.join_pages",
                "filters.main_block, because the main blocks of the pages are joined",
            ),
            (
                rewrite.remember_hosts > 0 && !(runs_quota && compares),
                "rewrite.remember_hosts",
                "filters.link_quota with `domain_strength` above 0 or `image_lists_by_domain: true`, which are what uses it",
            ),
        ];
        let ineffective = settings.into_iter().filter(|(is_ineffective, ..)| *is_ineffective);
        let of_page = ineffective.map(|(_, key, needs)| format!("{key} does nothing: it needs {needs}"));
        let port = self.profiles.unknown_port(&self.listen).map(|(index, port)| {
            format!(
                "devices[{index}].ports does nothing: it needs port {port} under `listen`, or `gleaner serve --listen {port}`"
            )
        });
        let own = self.via.rules().filter(|rule| matches!(&rule.way, Way::Parent(parent) if self.listens_at(parent)));
        let own = own.map(|rule| {
            format!(
                "{}.proxy: Gleaner itself listens on {}, so what is sent there fails; name another proxy",
                rule.place, rule.name
            )
        });
        of_page.chain(port).chain(own).collect()
    }

    /// Whether a proxy of `upstream.via` is this one, by an address of `listen` or of loopback.
    fn listens_at(&self, parent: &ParentProxy) -> bool {
        let ip = match &*parent.host.to_string() {
            "localhost" => Some(Ipv4Addr::LOCALHOST.into()),
            host => host.trim_matches(['[', ']']).parse::<IpAddr>().ok(),
        };
        let is_at = |addr: &SocketAddr, ip: IpAddr| {
            addr.port() == parent.port && (addr.ip() == ip || addr.ip().is_unspecified() && ip.is_loopback())
        };
        ip.is_some_and(|ip| self.listen.iter().any(|addr| is_at(addr, ip)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_needs_another_is_reported_where_that_is_missing() {
        for (rewrite, filters, wanted) in [
            ("", "", ""),
            ("join_pages: 3", "", ""),
            ("join_pages: 3", "output: { style: original }", "rewrite.join_pages"),
            ("join_pages: 3", "output: { format: text }", "rewrite.join_pages"),
            ("join_pages: 3", "main_block: { enabled: false }", "rewrite.join_pages"),
            ("remember_hosts: 9", "", "rewrite.remember_hosts"),
            ("remember_hosts: 9", "link_quota: { enabled: true, domain_strength: 0.5 }", ""),
            ("remember_hosts: 9", "link_quota: { enabled: true, image_lists: true, image_lists_by_domain: true }", ""),
        ] {
            let yaml = format!("rewrite: {{ {rewrite} }}\nfilters: {{ {filters} }}");
            let ineffective = Config::from_yaml(&yaml, None).unwrap().ineffective_settings();
            let keys: Vec<_> = ineffective.iter().filter_map(|note| note.split(' ').next()).collect();
            assert_eq!(keys.concat(), wanted, "{yaml}");
        }
    }

    #[test]
    fn a_rule_for_a_port_that_nobody_connects_to_is_reported() {
        let rules = "devices: [{ ports: [8118], profile: text }, { ports: [8119], profile: off }]";
        for (listen, wanted) in [("8118", Some("devices[1].ports")), ("[8118, 8119]", None), ("0", None)] {
            let config = Config::from_yaml(&format!("listen: {listen}\n{rules}"), None).unwrap();
            let found = config.ineffective_settings();
            assert_eq!(found.first().and_then(|note| note.split(' ').next()), wanted, "{listen}");
        }
    }

    #[test]
    fn a_proxy_behind_this_one_that_is_this_one_is_reported() {
        for (listen, proxy, is_own) in [
            ("8118", "http://127.0.0.1:8118", true),
            ("8118", "socks5://localhost:8118", true),
            ("'[::]:8118'", "http://[::1]:8118", true),
            ("'192.168.1.5:8118'", "http://192.168.1.5:8118", true),
            ("8118", "http://127.0.0.1:8119", false),
            ("8118", "http://192.168.1.5:8118", false),
            ("8118", "http://proxy.example:8118", false),
        ] {
            let yaml = format!(
                "listen: {listen}\naccess: {{ clients: [private] }}\nupstream: {{ via: [{{ hosts: [a.example], proxy: '{proxy}' }}] }}"
            );
            let notes = Config::from_yaml(&yaml, None).unwrap().ineffective_settings();
            assert_eq!(
                notes.iter().any(|note| note.starts_with("upstream.via[0].proxy: ")),
                is_own,
                "{yaml} {notes:?}"
            );
        }
    }
}
