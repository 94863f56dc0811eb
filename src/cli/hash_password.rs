//! `gleaner hash-password`: reads the password from the terminal without echo, or as the first line of standard input.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Context;

use super::{EX_DATAERR, Failure, say};

/// Longest password in bytes: longer than any that is typed, and it fits into the head of a request.
const MAX_BYTES: usize = 1024;

pub(super) fn run() -> anyhow::Result<()> {
    let password = if io::stdin().is_terminal() {
        let password = rpassword::prompt_password("Password: ").context("cannot ask for it")?;
        let again = rpassword::prompt_password("Again: ").context("cannot ask for it")?;
        if password != again {
            return Err(Failure::error(EX_DATAERR, "the two are not the same"));
        }
        password
    } else {
        first_line(io::stdin().lock())?
    };
    if let Some(problem) = problem(&password) {
        return Err(Failure::error(EX_DATAERR, problem));
    }
    say(&format!("{}\n", crate::hash_password(&password)?))
}

fn first_line(input: impl BufRead) -> anyhow::Result<String> {
    let mut line = Vec::new();
    // The bytes of the line's end, and one byte that is too many.
    input
        .take(MAX_BYTES as u64 + 3)
        .read_until(b'\n', &mut line)
        .context("cannot read the password from standard input")?;
    let line = String::from_utf8(line)
        .map_err(|_| Failure::error(EX_DATAERR, "the password is not UTF-8 text, as which browsers send it"))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Why no browser could send this password.
fn problem(password: &str) -> Option<String> {
    if password.is_empty() {
        Some("the password is empty".to_owned())
    } else if password.len() > MAX_BYTES {
        Some(format!("the password is longer than {MAX_BYTES} bytes"))
    } else if password.chars().any(char::is_control) {
        // RFC 7617 § 2.
        Some("the password holds a control character, which browsers do not send".to_owned())
    } else {
        None
    }
}
