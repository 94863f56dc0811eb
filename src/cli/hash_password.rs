//! `gleaner hash-password`: the password is asked for without showing it, or read from standard input.

use std::io::{self, IsTerminal};

use anyhow::Context;

use super::{EX_DATAERR, Failure};

pub(super) fn run() -> anyhow::Result<()> {
    let password = if io::stdin().is_terminal() {
        let password = rpassword::prompt_password("Password: ").context("cannot ask for it")?;
        let again = rpassword::prompt_password("Again: ").context("cannot ask for it")?;
        if password != again {
            return Err(Failure::error(EX_DATAERR, "the two are not the same"));
        }
        password
    } else {
        let mut line = String::new();
        io::stdin()
            .read_line(&mut line)
            .context("cannot read the password from standard input")?;
        line.trim_end_matches(['\r', '\n']).to_owned()
    };
    if password.is_empty() {
        return Err(Failure::error(EX_DATAERR, "the password is empty"));
    }
    println!("{}", gleaner::hash_password(&password)?);
    Ok(())
}
