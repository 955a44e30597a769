//! The `countersign` command.

use std::process::ExitCode;

/// Returns memory to the system after a burst of large calls. The allocator of glibc keeps more of it.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    countersign_cli::main()
}
