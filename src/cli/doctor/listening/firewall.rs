//! The firewalls that desktop systems have switched on, and how a port is opened in them. Others, such as bare nftables, are
//! read by root alone, and set by those who know their rules.

use std::{fs, path::Path};

use super::holder;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Firewall {
    /// Ubuntu, Debian, Mint.
    Ufw,
    /// Fedora, openSUSE, Red Hat.
    Firewalld,
}

impl Firewall {
    /// The one that is on. `root` is `/` but in tests.
    pub(super) fn find(root: &Path) -> Option<Self> {
        let ufw = fs::read_to_string(root.join("etc/ufw/ufw.conf")).unwrap_or_default();
        if ufw.lines().any(|line| line.trim().eq_ignore_ascii_case("enabled=yes")) {
            return Some(Self::Ufw);
        }
        holder::processes(root).any(|(_, name)| name == "firewalld").then_some(Self::Firewalld)
    }

    /// Whether a rule for this port can be seen. Most rules can be read by root alone.
    pub(super) fn lets_in(self, root: &Path, port: u16) -> bool {
        let port = port.to_string();
        match self {
            Self::Ufw => {
                // `### tuple ### allow tcp 8118 0.0.0.0/0 any 0.0.0.0/0 in`
                let rules = fs::read_to_string(root.join("etc/ufw/user.rules")).unwrap_or_default();
                let mut tuples = rules.lines().filter_map(|line| line.strip_prefix("### tuple ### allow "));
                tuples.any(|tuple| tuple.split(' ').nth(1).is_some_and(|ports| ports.split(',').any(|one| one == port)))
            }
            Self::Firewalld => {
                let zones = fs::read_dir(root.join("etc/firewalld/zones")).into_iter().flatten().flatten();
                let texts = zones.filter_map(|zone| fs::read_to_string(zone.path()).ok());
                let rule = format!("port=\"{port}\"");
                texts.into_iter().any(|text| text.lines().any(|line| line.contains("<port ") && line.contains(&rule)))
            }
        }
    }

    pub(super) fn command(self, port: u16) -> String {
        match self {
            Self::Ufw => format!("`sudo ufw allow {port}/tcp`"),
            Self::Firewalld => {
                format!("`sudo firewall-cmd --permanent --add-port={port}/tcp` and `sudo firewall-cmd --reload`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_firewall_is_found_with_its_rules() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        assert_eq!(Firewall::find(root.path()), None);
        write("proc/71/comm", "firewalld\n");
        let firewalld = Firewall::find(root.path()).unwrap();
        assert!(!firewalld.lets_in(root.path(), 8118));
        write("etc/firewalld/zones/home.xml", "<zone>\n  <port port=\"8118\" protocol=\"tcp\"/>\n</zone>\n");
        assert!(firewalld.lets_in(root.path(), 8118) && !firewalld.lets_in(root.path(), 811));
        write("etc/ufw/ufw.conf", "# on?\nENABLED=no\n");
        assert_eq!(Firewall::find(root.path()), Some(firewalld));
        write("etc/ufw/ufw.conf", "ENABLED=yes\n");
        let ufw = Firewall::find(root.path()).unwrap();
        assert_eq!(ufw, Firewall::Ufw);
        assert!(!ufw.lets_in(root.path(), 8118));
        write(
            "etc/ufw/user.rules",
            "### tuple ### allow tcp 80,8118 0.0.0.0/0 any 0.0.0.0/0 in\n### tuple ### deny tcp 9 0.0.0.0/0 any 0.0.0.0/0 in\n",
        );
        assert!(ufw.lets_in(root.path(), 8118) && !ufw.lets_in(root.path(), 9));
    }
}
