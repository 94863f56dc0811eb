//! `gleaner init`: writes a short configuration with comments where it is looked for.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::{self, PathBuf},
};

use super::{EX_CANTCREAT, Failure, say};
use crate::config::{Lookup, starter};

#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// Let the devices of the local network use the proxy, as `gleaner serve --lan` does
    #[arg(long)]
    lan: bool,
    /// For a machine with little memory, such as 512 MB: fewer pages and connections at once
    #[arg(long)]
    small: bool,
}

/// Settings for a machine with little memory.
const SMALL: &str = "
# For a machine with little memory.
limits:
  pages_memory_bytes: 33554432   # 32 MiB; more pages at once pass as they are
  picture_pixels: 2500000   # what is made smaller; larger ones pass as they are
  pictures_memory_bytes: 16777216
  pictures_cache_bytes: 4194304
  page_workers: 1
  connections: 512
";

pub(super) fn run(arguments: &InitArgs, named: Option<PathBuf>) -> anyhow::Result<()> {
    let places = Lookup::new(named).places.into_iter();
    let Some(file) = places.map(|file| path::absolute(&file).unwrap_or(file)).next() else {
        return Err(Failure::error(
            EX_CANTCREAT,
            "no folder for the configuration is known; name a file with --config",
        ));
    };
    let cannot = |problem: String| Failure::error(EX_CANTCREAT, format!("cannot write {}: {problem}", file.display()));
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|error| cannot(error.to_string()))?;
    }
    let text = starter(arguments.lan) + if arguments.small { SMALL } else { "" };
    let written = OpenOptions::new().write(true).create_new(true).open(&file);
    written.and_then(|mut open| open.write_all(text.as_bytes())).map_err(|error| {
        cannot(match error.kind() {
            ErrorKind::AlreadyExists => "it is there already, and is not overwritten".to_owned(),
            _ => error.to_string(),
        })
    })?;
    let next = "Change what you like in it, then run `gleaner serve`; a running Gleaner takes a change over at once.";
    say(&format!("{} is written.\n{next}\n", file.display()))
}

#[cfg(test)]
mod tests {
    use crate::Config;

    use super::*;

    #[test]
    fn what_is_written_is_good_with_its_comments_taken_out_too() {
        assert!(Config::from_yaml(&starter(true), None).unwrap().access.lan);
        assert!(!Config::from_yaml(&starter(false), None).unwrap().access.lan);
        let small = Config::from_yaml(&(starter(false) + SMALL), None).unwrap();
        assert_eq!((small.limits.pages_memory_bytes, small.limits.page_workers), (32 << 20, Some(1)));
        let text = starter(false);
        let suggested =
            text.replace("\n#  - ", "\n  - ").replace("\n# profiles:", "\nprofiles:").replace("\n#   ", "\n  ");
        let suggested = suggested.replace("sites: []", "sites:").replace("devices: []", "devices:");
        let config = Config::from_yaml(&suggested, None).unwrap_or_else(|error| panic!("{error}\n{suggested}"));
        assert!(config.profiles.all.iter().any(|profile| profile.name == "calm"));
    }
}
