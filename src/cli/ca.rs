//! `gleaner ca`: shows, exports and replaces the certificate authority.

use std::{
    fmt::Write as _,
    fs,
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use anyhow::Context;
use clap::{Subcommand, ValueEnum};

use super::{EX_USAGE, Failure, say};
use crate::{
    Config,
    mitm::authority::{Authority, AuthorityError},
};

#[derive(Debug, Subcommand)]
pub(super) enum CaCommand {
    /// Show the authority's name, validity, fingerprint, and files
    Show,
    /// Write out the certificate that devices must trust (never the key); makes an authority if there is none
    Export {
        /// How it is written: `pem` is text, `der` is what most devices download
        #[arg(long, value_enum, default_value_t = CertificateFormat::Pem)]
        format: CertificateFormat,
        /// File to write, instead of standard output; one that is there is not overwritten
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Make another authority; the files of the old one are kept beside it
    Regenerate {
        /// Really do it: every device must then trust the new certificate
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum CertificateFormat {
    Pem,
    Der,
}

const NOT_MEANT: &str = "a new authority makes every device that trusts the old one show errors until it trusts the new \
                         one; say `gleaner ca regenerate --yes` if that is meant";

const TERMINAL: &str = "DER is not text for a terminal; name a file with --output";

pub(super) fn run(command: &CaCommand, config: &Config) -> anyhow::Result<()> {
    let dir = config.authority_dir.as_deref().ok_or(AuthorityError::NoFolder)?;
    match command {
        CaCommand::Show => match Authority::find(dir)? {
            Some(authority) => say(&format!("{authority}\n"))?,
            None => say(&format!(
                "There is no authority in {} yet; it is made when the start page or its certificate \
                 is first loaded, when `https: {{ intercept: on }}` is first used, or by `gleaner ca export`.\n",
                dir.display()
            ))?,
        },
        CaCommand::Export { format, output } => {
            if output.is_none() && matches!(format, CertificateFormat::Der) && io::stdout().is_terminal() {
                return Err(Failure::error(EX_USAGE, TERMINAL));
            }
            let authority = Authority::open(dir)?;
            let content = match format {
                CertificateFormat::Pem => authority.certificate_pem.as_bytes(),
                CertificateFormat::Der => &authority.certificate,
            };
            match output {
                Some(file) => fs::OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(file)
                    .and_then(|mut open| open.write_all(content))
                    .with_context(|| format!("cannot write {}", file.display()))?,
                None => io::stdout().write_all(content)?,
            }
        }
        CaCommand::Regenerate { yes: false } => return Err(Failure::error(EX_USAGE, NOT_MEANT)),
        CaCommand::Regenerate { yes: true } => {
            let (authority, kept) = Authority::regenerate(dir)?;
            let mut text = format!("{authority}\n");
            for file in kept {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "kept         {}", file.display());
            }
            text += "\nA running Gleaner takes it over at once. Remove the old certificate from your devices, install \
                     this one, and delete the kept files when nothing needs them.\n";
            say(&text)?;
        }
    }
    Ok(())
}
