//! The `countersign` command, built beside the tests so that they never run a stale one.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_cli::main()
}
