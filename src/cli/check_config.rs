//! `gleaner check-config`: reads the configuration as the start does, and tries what the start would do.

use std::{
    io::{self, Read},
    path::PathBuf,
};

use super::{Failure, exit_code, listeners, say, serve::cannot_listen};
use crate::{
    AuthorityError, Config,
    config::{Intercept, ListSource, Lookup, MAX_CONFIG, ParsedConfig},
    mitm::authority::Authority,
    state::loaded_config::LoadedConfig,
};

const STDIN: &str = "standard input";

/// Arguments of `gleaner check-config`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckConfigArgs {
    /// The file to check, `-` for standard input; without it, the usual places are searched
    file: Option<PathBuf>,
}

pub(super) fn run(arguments: CheckConfigArgs, named: Option<PathBuf>) -> anyhow::Result<()> {
    let file = arguments.file.or(named);
    let (loaded, name) = if file.as_deref() == Some("-".as_ref()) {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_CONFIG).read_to_end(&mut bytes)?;
        let parsed = ParsedConfig::from_bytes(bytes, None).map_err(|error| error.called(STDIN))?;
        let mut loaded = LoadedConfig::from(parsed);
        loaded.unread_lists = loaded.unread_lists.map(|error| error.called(STDIN));
        (loaded, STDIN.to_owned())
    } else {
        let loaded = LoadedConfig::find(&Lookup::new(file))?;
        let name = loaded.file.as_ref().map(|file| file.display().to_string());
        let defaults = || "no configuration file was found; the built-in defaults".to_owned();
        (loaded, name.unwrap_or_else(defaults))
    };
    let (notes, errors) = try_start(&loaded);
    if let [first, ..] = errors.as_slice() {
        let all: Vec<_> = errors.iter().map(|error| format!("{error:#}")).collect();
        return Err(Failure::error(exit_code(first), all.join("\n")));
    }
    let notes = notes.into_iter().map(|note| format!("note: {note}\n"));
    say(&format!("{name}: the configuration is good\n{}", notes.collect::<String>()))
}

/// Does what a start would do and leaves nothing behind: notes, and the same errors.
fn try_start(loaded: &LoadedConfig) -> (Vec<String>, Vec<anyhow::Error>) {
    let LoadedConfig { config, blocker, unread_lists, .. } = loaded;
    let (mut notes, mut errors) = (Vec::new(), Vec::new());
    let (mut listeners, mut bound) = (Vec::new(), Vec::new());
    for addr in &config.listen {
        match listeners::bind(*addr, &bound) {
            Ok(listener) => {
                bound.extend(listener.iter().filter_map(|listener| listener.local_addr().ok()));
                listeners.push(listener);
            }
            // Most often the process that runs with the file that is being edited.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                notes.push(format!("a program listens on {addr} at the moment, perhaps a Gleaner that is running"));
            }
            Err(error) => errors.push(cannot_listen(*addr, &error)),
        }
    }
    if config.profiles.all.iter().any(|profile| profile.intercept != Intercept::Off) {
        match check_authority(config) {
            Ok(note) => notes.extend(note),
            Err(error) if config.always_intercepts() && !matches!(error, AuthorityError::Clock(..)) => {
                errors.push(error.into());
            }
            Err(error) => notes.push(format!("encrypted pages would pass as they are: {error}")),
        }
    }
    notes.extend(notes_on_settings(loaded));
    notes.extend(blocker.problem_with_dir());
    // A start goes on without them.
    errors.extend(unread_lists.clone().map(anyhow::Error::from));
    for list in blocker.lists().iter().filter(|list| !matches!(list.source, ListSource::File(_))) {
        notes.extend(list.problem.iter().map(|problem| format!("the list {}: {problem}", list.source)));
    }
    (notes, errors)
}

/// Settings that do nothing, and what is read otherwise than it may have been meant.
pub(super) fn notes_on_settings(loaded: &LoadedConfig) -> Vec<String> {
    loaded.config.ineffective_settings().into_iter().chain(loaded.hints.iter().cloned()).collect()
}

fn check_authority(config: &Config) -> Result<Option<String>, AuthorityError> {
    let dir = config.authority_dir.as_deref().ok_or(AuthorityError::NoFolder)?;
    Ok(match Authority::find_or_check(dir)? {
        Some(authority) => authority.expiry_warning(),
        None => Some(format!(
            "the first start makes a certificate authority in {}; devices must then trust its certificate",
            dir.display()
        )),
    })
}
