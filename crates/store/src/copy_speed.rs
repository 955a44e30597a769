//! The speed at which a log can be copied on its disk.

use crate::partial_file::PartialFile;
use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    time::Instant,
};

/// The most bytes that a measurement copies.
const SAMPLE: u64 = 8 * 1024 * 1024;

/// Copies the beginning of a file to a temporary file beside it, and returns the bytes per second until they are on disk; `None` if this
/// user cannot write there. This process must not have the log open: its end of the file's use would release SQLite's locks.
#[must_use]
pub fn measure_copy_speed(database: &Path) -> Option<u64> {
    let part = PartialFile::create(database).ok()?;
    let began = Instant::now();
    let mut target = part.open().ok()?;
    let copied = io::copy(&mut File::open(database).ok()?.take(SAMPLE), &mut target).ok()?;
    target.sync_all().ok()?;
    let taken = began.elapsed().as_micros().max(1);
    u64::try_from(u128::from(copied) * 1_000_000 / taken).ok().filter(|speed| *speed > 0)
}
