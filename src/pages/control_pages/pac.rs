//! `/proxy.pac` and `/wpad.dat`: the script by which a browser finds out which hosts to reach through the proxy.

use std::net::SocketAddr;

use crate::{
    config::{Config, HostPatterns},
    net::control_host::CONTROL_HOST,
};

/// Names of hosts on the local network, and addresses that are not routed on the internet.
const PRIVATE: &str = r"/\.(local|lan|home|internal|home\.arpa|localhost)$/.test(host)
      || /^(10|127)(\.\d+){3}$/.test(host) || /^192\.168(\.\d+){2}$/.test(host) || /^169\.254(\.\d+){2}$/.test(host)
      || /^172\.(1[6-9]|2\d|3[01])(\.\d+){2}$/.test(host) || /^\[?(::1|fe80:|f[cd][0-9a-f]{2}:)/.test(host)";

/// The script. Where the proxy does not answer, browsers go on without it.
pub(super) fn script(config: &Config, proxy: SocketAddr) -> String {
    let lists = [&config.https.except, &config.rewrite.except, &config.never_processed];
    let mut direct: Vec<_> = lists.into_iter().flat_map(HostPatterns::iter).collect();
    direct.sort_unstable();
    direct.dedup();
    // Hosts are checked when the configuration is read: they have no quotes.
    let direct: Vec<_> = direct.into_iter().map(|host| format!("    \"{host}\": 1")).collect();
    format!(
        r#"// Made by Gleaner from its configuration: private hosts and excepted ones are reached directly.
function FindProxyForURL(url, host) {{
  var direct = {{
{direct}
  }};
  host = host.toLowerCase();
  if (host === "{CONTROL_HOST}" || /\.{control}$/.test(host)) return "PROXY {proxy}";
  if (isPlainHostName(host) || {PRIVATE})
    return "DIRECT";
  for (var name = host; ; name = name.substring(name.indexOf(".") + 1)) {{
    if (direct[name] === 1) return "DIRECT";
    if (name.indexOf(".") < 0) break;
  }}
  return "PROXY {proxy}; DIRECT";
}}
"#,
        direct = direct.join(",\n"),
        control = CONTROL_HOST.replace('.', r"\."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excepted_hosts_are_in_the_script() {
        let config = Config::from_yaml("https: { except: [bank.example] }\nrewrite: { except: [a.example] }", None);
        let script = script(&config.unwrap(), "192.168.1.5:8118".parse().unwrap());
        for part in ["\"bank.example\": 1", "\"a.example\": 1", "\"PROXY 192.168.1.5:8118; DIRECT\"", "captive.apple"] {
            assert!(script.contains(part), "{part}: {script}");
        }
        assert_eq!(script.matches('{').count(), script.matches('}').count());
    }
}
