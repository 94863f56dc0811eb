//! The program as it is typed, and what it writes; documents and their commands.

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
