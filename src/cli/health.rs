//! `gleaner health`: whether the proxy answers, for containers, which have no other program that could ask.

use super::{EX_UNAVAILABLE, Failure, doctor, say};
use crate::Config;

pub(super) fn run(config: &Config) -> anyhow::Result<()> {
    match doctor::running(&config.listen) {
        Some(addr) => say(&format!("Gleaner answers at {addr}\n")),
        None => Err(Failure::error(EX_UNAVAILABLE, "no Gleaner answers at the addresses of `listen`")),
    }
}
