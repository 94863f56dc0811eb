//! The program; all of it is in the library, so that nothing of it is compiled twice.

use std::process::ExitCode;

/// Gives the memory of a burst of pages back to the kernel within seconds, and lets threads work beside each other, which that of
/// musl does not (docs/performance.md has the figures).
#[cfg(all(target_os = "linux", any(feature = "jemalloc", target_env = "musl")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    gleaner::cli::main()
}
