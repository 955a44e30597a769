//! The `countersign` command with an allocator that counts. For each line on stdin, it prints how many blocks of memory were
//! allocated until then. The benchmark reads this.

#![expect(clippy::print_stdout, reason = "the benchmark reads it")]

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::{alloc::System, io::stdin, process::ExitCode, thread};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    thread::spawn(|| {
        for _ in stdin().lines() {
            let counted = ALLOCATOR.stats();
            println!("{}", counted.allocations + counted.reallocations);
        }
    });
    countersign_cli::main()
}
