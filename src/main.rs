//! The program; all of it is in the library, so that nothing of it is compiled twice.

use std::process::ExitCode;

/// Gives the memory of a burst of pages back to the kernel within seconds (docs/performance.md has the figures).
#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    gleaner::cli::main()
}
