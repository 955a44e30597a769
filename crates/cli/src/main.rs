//! The `countersign` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_cli::main()
}
