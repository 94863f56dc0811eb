//! `gleaner hash-password`: the password is asked for without showing it, or is the first line of standard input.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Context;

use super::{EX_DATAERR, Failure, say};

/// Longest password in bytes: what a request's head has room for many times over, and no one types more.
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
    say(&format!("{}\n", gleaner::hash_password(&password)?))
}

fn first_line(input: impl BufRead) -> anyhow::Result<String> {
    let mut line = Vec::new();
    // With room for the end of the line, and for one byte that is too many.
    input
        .take(MAX_BYTES as u64 + 3)
        .read_until(b'\n', &mut line)
        .context("cannot read the password from standard input")?;
    let line = String::from_utf8(line)
        .map_err(|_| Failure::error(EX_DATAERR, "the password is not UTF-8 text, as which browsers send it"))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Why no one could ever give this password.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_password() {
        for input in ["open sesame", "open sesame\n", "open sesame\r\nmore\n"] {
            assert_eq!(first_line(input.as_bytes()).unwrap(), "open sesame");
        }
        assert!(first_line(&b"\xff\xfe\n"[..]).is_err());
    }

    #[test]
    fn passwords_that_no_browser_could_send_are_refused() {
        for password in ["", "a\0b", "a\tb", &"x".repeat(MAX_BYTES + 1)] {
            assert!(problem(password).is_some(), "{password:?}");
        }
        assert!(problem(&"x".repeat(MAX_BYTES)).is_none());
        let endless = "x".repeat(10 * MAX_BYTES);
        assert!(problem(&first_line(endless.as_bytes()).unwrap()).is_some());
    }
}
