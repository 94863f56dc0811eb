//! The proxy comes here.

fn main() {}
