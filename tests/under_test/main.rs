//! The `countersign` command as a program in the test package. Cargo builds it with the tests, so that they never run
//! an outdated program.

use std::process::ExitCode;

/// As the program that ships has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    countersign_cli::main()
}
