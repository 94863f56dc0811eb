//! `gleaner check-config`: the same reading as at start, and nothing else.

use std::path::PathBuf;

use gleaner::config::Lookup;

pub(super) fn run(file: Option<PathBuf>) -> anyhow::Result<()> {
    let found = Lookup::new(file).load()?;
    match found.file {
        Some(file) => println!("{}: the configuration is good", file.display()),
        None => println!("no configuration file was found; the built-in defaults are good"),
    }
    Ok(())
}
