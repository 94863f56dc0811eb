//! `gleaner explain`: which profile a page would get, and why.

use std::net::IpAddr;

use gleaner::{Config, TrustedDevices, config::Asker, profiles};
use url::Url;

use super::{EX_USAGE, Failure, say};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The page's address
    url: String,
    /// The device's address
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    client: IpAddr,
    /// The name that it gives, where `access.users` has names
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The browser's `User-Agent`, or the part of it that matters
    #[arg(long, value_name = "TEXT", default_value = "")]
    user_agent: String,
    /// The port of the proxy, if it listens on several
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub(super) fn run(arguments: &Args, config: &Config) -> anyhow::Result<()> {
    let Args { url, client, user, user_agent, port } = arguments;
    let url = Url::parse(url).ok().filter(Url::has_host).ok_or_else(|| {
        let problem = format!("{url:?} is no address of a page; expected one such as https://example.org/");
        Failure::error(EX_USAGE, problem)
    })?;
    let port = port.or_else(|| config.listen.first().map(std::net::SocketAddr::port)).unwrap_or_default();
    let asker = Asker { client: client.to_canonical(), user: user.as_deref(), user_agent, port };
    let trusted = TrustedDevices::open(config.authority_dir.as_deref());
    say(&profiles::explain(config, &asker, &url, &trusted))
}
