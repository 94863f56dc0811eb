//! `gleaner devices`: lists and forgets the browsers whose TLS connections `https.intercept: auto` decrypts.

use std::{fmt::Write as _, net::IpAddr};

use anyhow::Context;
use time::OffsetDateTime;

use super::{EX_USAGE, Failure, say};
use crate::{
    Config, TrustedDevices,
    state::device_names::{DeviceNames, NamesByAddress},
};

#[derive(Debug, clap::Subcommand)]
pub(super) enum DevicesCommand {
    /// List the browsers that have shown that they trust the certificate, and the devices that have a name
    List,
    /// Forget those of a device; a running Gleaner leaves its encrypted pages as they are from then on
    Forget {
        /// The device's address
        #[arg(required_unless_present = "all")]
        address: Option<IpAddr>,
        /// All devices
        #[arg(long, conflicts_with = "address")]
        all: bool,
    },
}

pub(super) fn run(command: &DevicesCommand, config: &Config) -> anyhow::Result<()> {
    let dir = config.authority_dir.as_deref();
    let devices = TrustedDevices::open(dir);
    match command {
        DevicesCommand::List => list(&devices, DeviceNames::open(dir).all()),
        DevicesCommand::Forget { address, .. } => {
            let count = devices.forget(*address).context("cannot write the list of trusted devices")?;
            match (count, address) {
                (0, Some(address)) => {
                    let problem = format!("no browser of {address} is listed; `gleaner devices list` shows all");
                    Err(Failure::error(EX_USAGE, problem))
                }
                _ => say(&format!("forgotten: {count}\n")),
            }
        }
    }
}

fn list(devices: &TrustedDevices, mut names: NamesByAddress) -> anyhow::Result<()> {
    let mut all = devices.all();
    all.sort_by_key(|device| device.address);
    let after = |name: Option<&String>| name.map(|name| format!(" {name}")).unwrap_or_default();
    if all.is_empty() && names.is_empty() {
        return say("No browser has shown that it trusts the certificate; http://gleaner.internal/ has the steps.\n");
    }
    let mut text = String::new();
    for device in &all {
        let date = OffsetDateTime::from_unix_timestamp(device.seen).map(|at| at.date().to_string()).unwrap_or_default();
        let user = device.user.as_deref().map(|user| format!(" {user}")).unwrap_or_default();
        let browser: String = device.browser.chars().filter(|char| !char.is_control()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{}{user}  seen {date}  {browser}", device.address, after(names.get(&device.address)));
    }
    names.retain(|address, _| all.iter().all(|device| device.address != *address));
    for (address, name) in &names {
        let _ = writeln!(text, "{address} {name}  no browser has shown that it trusts the certificate");
    }
    say(&text)
}
