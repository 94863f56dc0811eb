//! The modules of this program depend on each other in one direction, as those of the filters do.

#[path = "../../filters/tests/layout.rs"]
mod layout;
