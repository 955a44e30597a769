//! The `countersign` command as a program in the test package. Cargo builds it with the tests, so that they never run
//! an outdated program.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_cli::main()
}
