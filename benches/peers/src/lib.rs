//! What the benches share: pages to work on, CPU clocks, and tables of ratios.

pub mod clock;
pub mod corpus;
pub mod road;
pub mod table;
