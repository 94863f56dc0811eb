//! Commands: arguments, output, exit codes; and the examples in the documentation.

mod bad_starts;
mod blocks;
pub(crate) mod commands;
mod config;
mod doctor;
mod documentation;
mod extract;
mod household_commands;
mod log_lines;
mod mistakes;
mod readme;
mod secret_commands;
mod secrets_in_the_log;
mod service;
