//! The filter chain over files instead of responses: what `gleaner extract`, `gleaner blocks` and the measurements in
//! `lab/` share. Not a stable interface.

pub mod chains;
pub mod input;
pub mod parallel;
mod progress;

pub use progress::Progress;
