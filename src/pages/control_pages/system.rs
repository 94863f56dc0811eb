//! The systems that the start page has steps for, and a guess at a client's from its `User-Agent`.

use std::net::SocketAddr;

use maud::{Markup, html};

use super::certificate;

/// A system, or a browser that has its own settings and trust store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Ios,
    Android,
    Windows,
    MacOs,
    Linux,
    Firefox,
    Chromium,
    EReader,
    /// lynx, w3m, links and the like.
    Terminal,
}

impl System {
    pub(super) const ALL: [Self; 9] = [
        Self::Ios,
        Self::Android,
        Self::Windows,
        Self::MacOs,
        Self::Linux,
        Self::Firefox,
        Self::Chromium,
        Self::EReader,
        Self::Terminal,
    ];

    /// The first that fits: e-readers and phones name the systems that they are made of too.
    pub(super) fn guess(user_agent: &str) -> Self {
        let has = |parts: &[&str]| parts.iter().any(|part| user_agent.contains(part));
        let rules = [
            (has(&["Lynx/", "w3m/", "Links (", "ELinks/", "curl/", "Wget/"]), Self::Terminal),
            (has(&["Kindle", "Kobo", "PocketBook", "tolino", "NOOK"]), Self::EReader),
            (has(&["iPhone", "iPad", "iPod"]), Self::Ios),
            (has(&["Android"]), Self::Android),
            (has(&["Firefox/"]), Self::Firefox),
            (has(&["Windows"]), Self::Windows),
            (has(&["Macintosh"]), Self::MacOs),
            (has(&["Chrome/", "Chromium/"]), Self::Chromium),
        ];
        rules.into_iter().find(|(fits, _)| *fits).map_or(Self::Linux, |(_, system)| system)
    }

    /// Its name in addresses.
    pub(super) fn slug(self) -> &'static str {
        match self {
            Self::Ios => "ios",
            Self::Android => "android",
            Self::Windows => "windows",
            Self::MacOs => "macos",
            Self::Linux => "linux",
            Self::Firefox => "firefox",
            Self::Chromium => "chromium",
            Self::EReader => "e-reader",
            Self::Terminal => "terminal",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ios => "iPhone and iPad",
            Self::Android => "Android",
            Self::Windows => "Windows",
            Self::MacOs => "Mac",
            Self::Linux => "Linux",
            Self::Firefox => "Firefox",
            Self::Chromium => "Chromium on Linux",
            Self::EReader => "E-readers",
            Self::Terminal => "Terminal and scripts",
        }
    }

    /// How the proxy at this address is set, as steps. `pac` is the address of its script.
    pub(super) fn proxy_steps(self, address: SocketAddr, pac: &str) -> Vec<Markup> {
        let fields = html! { "Server " strong { (address.ip()) } ", port " strong { (address.port()) } };
        match self {
            Self::Ios => vec![
                html! { "Settings › Wi-Fi, then the (i) beside your network." },
                html! { "At the end: Configure Proxy › Manual." },
                html! { (fields) ". Save." },
            ],
            Self::Android => vec![
                html! { "Settings › Network & internet › Internet (or Wi-Fi), then the gear beside your network." },
                html! { "The pencil (Modify) › Advanced options › Proxy: Manual." },
                html! { (fields) ". Save." },
            ],
            Self::Windows => vec![
                html! { "Settings › Network & Internet › Proxy." },
                html! { "Manual proxy setup › Set up: switch it on." },
                html! { (fields) ". Save." },
            ],
            Self::MacOs => vec![
                html! { "System Settings › Network › Wi-Fi › Details › Proxies." },
                html! { "Switch on Web proxy (HTTP) and Secure web proxy (HTTPS)." },
                html! { "For both: " (fields) ". OK." },
            ],
            Self::Linux => vec![
                html! { "GNOME: Settings › Network › Proxy › Manual. KDE: System Settings › Network › Proxy." },
                html! { "HTTP and HTTPS: " (fields) "." },
                html! { "For programs of a terminal: " code { "export http_proxy=http://" (address) " https_proxy=http://" (address) } },
            ],
            Self::Firefox => vec![
                html! { "Settings › General, at its end: Network Settings." },
                html! { "Manual proxy configuration. " (fields) "." },
                html! { "Tick “Also use this proxy for HTTPS”. OK." },
            ],
            Self::Chromium => vec![
                html! { "Chromium follows the system's proxy: Settings › System › Open proxy settings." },
                html! { "Or start it with " code { "chromium --proxy-server=" (address) } },
            ],
            Self::EReader => vec![
                html! { "Readers with Android (BOOX, Meebook, Bigme): as " a href="/steps/android" { "Android" } "." },
                html! { "Others, if the settings of the Wi-Fi network have a proxy: " (fields) "." },
                html! { "Kindle, Kobo and others without such a setting read pages at " strong { "http://" (address) "/read" } ", and need nothing else. Some follow the network: if your router's DHCP can give out option 252 (WPAD), \
                let it be " code { (pac) } "." },
            ],
            Self::Terminal => vec![
                html! { code { "export http_proxy=http://" (address) "/ https_proxy=http://" (address) "/" } },
                html! { "Then start " code { "lynx" } ", " code { "w3m" } ", " code { "curl" } " and others as ever. links: Setup › Network options › Proxies." },
            ],
        }
    }

    /// The form of the certificate that it opens.
    pub(super) fn certificate(self) -> &'static str {
        match self {
            Self::Ios => certificate::APPLE,
            Self::Linux | Self::Chromium | Self::Firefox | Self::Terminal | Self::EReader => certificate::PEM,
            Self::Android | Self::Windows | Self::MacOs => certificate::DER,
        }
    }

    /// The steps for the downloaded certificate.
    pub(super) fn certificate_steps(self) -> Vec<Markup> {
        match self {
            Self::Ios => vec![
                html! { "Open this page in Safari, tap the button, Allow." },
                html! { "Settings › Profile Downloaded › Install." },
                html! { "Settings › General › About › Certificate Trust Settings: switch on “Gleaner CA”." },
            ],
            Self::Android => vec![
                html! { "Tap the button." },
                html! { "Settings › Security & privacy › More security settings › Encryption & credentials › Install a certificate › CA certificate › \
                Install anyway. (Or search the settings for “CA certificate”.)" },
                html! { "Choose " code { "gleaner-ca.crt" } " among the downloads." },
                html! { "Chrome then trusts it. Firefox: Settings › About Firefox, tap the logo five times; back › Secret Settings › “Use third party \
                CA certificates”. Other apps stay as they are." },
            ],
            Self::Windows => vec![
                html! { "Press the button and open " code { "gleaner-ca.crt" } "." },
                html! { "Install Certificate › Current User › “Place all certificates in the following store” › Browse: Trusted Root Certification Authorities." },
                html! { "Confirm, and start the browser again." },
            ],
            Self::MacOs => vec![
                html! { "Press the button and open " code { "gleaner-ca.crt" } ": Keychain Access adds it to “login”." },
                html! { "Double-click “Gleaner CA” there › Trust › “When using this certificate: Always Trust”." },
            ],
            Self::Linux => vec![
                html! { "Press the button." },
                html! { code { "sudo cp gleaner-ca.pem /usr/local/share/ca-certificates/gleaner.crt && sudo update-ca-certificates" } " (Debian, Ubuntu), or "
                code { "sudo trust anchor gleaner-ca.pem" } " (Fedora, Arch)." },
                html! { "Browsers have lists of their own: " a href="/steps/firefox" { "Firefox" } ", " a href="/steps/chromium" { "Chromium" } "." },
            ],
            Self::Firefox => vec![
                html! { "Press the button." },
                html! { "Settings › Privacy & Security › Certificates › View Certificates › Authorities › Import: " code { "gleaner-ca.pem" } "." },
                html! { "Tick “Trust this CA to identify websites”. OK." },
            ],
            Self::Chromium => vec![
                html! { "Press the button." },
                html! { "Settings › Privacy and security › Security › Manage certificates › Installed by you (or Authorities) › Import: " code { "gleaner-ca.pem" }
                ", for identifying websites." },
                html! { "Or in a terminal: " code { "certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n gleaner -i gleaner-ca.pem" } },
            ],
            Self::EReader => vec![
                html! { "Readers with Android (BOOX, Meebook, Bigme): as " a href="/steps/android" { "Android" } "." },
                html! { "Kindle, Kobo and others have no way to add a certificate. At " code { "/read" } " of the proxy's address they need none." },
            ],
            Self::Terminal => vec![
                html! { "Get the certificate: " code { "curl -o gleaner-ca.pem http://" (crate::net::control_host::CONTROL_HOST) (certificate::PEM) } },
                html! { "Add it to the system's list (see " a href="/steps/linux" { "Linux" } "), or for one program: " code { "curl --cacert gleaner-ca.pem" } "." },
                html! { "Let the program load " code { "https://" (crate::net::control_host::CONTROL_HOST) "/" } " once." },
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_an_ipv6_address_in_brackets() {
        let address: SocketAddr = "[fd00::2]:8118".parse().unwrap();
        for system in [System::Linux, System::Chromium, System::Terminal] {
            let steps: String =
                system.proxy_steps(address, "").into_iter().map(maud::PreEscaped::into_string).collect();
            assert!(steps.contains("[fd00::2]:8118") && !steps.contains("//fd00"), "{steps}");
        }
    }

    #[test]
    fn systems_are_told_by_what_their_browsers_say() {
        for (user_agent, system) in [
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1",
                System::Ios,
            ),
            ("Mozilla/5.0 (Linux; Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", System::Android),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36 Edg/140", System::Windows),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15", System::MacOs),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", System::Firefox),
            ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36", System::Chromium),
            ("Mozilla/5.0 (X11; U; Linux armv7l like Android; en-us) Version/5.0 Kindle/3.0", System::EReader),
            ("Lynx/2.9.0dev.12 libwww-FM/2.14", System::Terminal),
            ("", System::Linux),
        ] {
            assert_eq!(System::guess(user_agent), system, "{user_agent}");
        }
    }
}
