//! Log lines in groups: a pause after each write, in which the next lines collect.

use std::{
    io::{self, BufWriter, Write},
    thread,
    time::Duration,
};

/// The most bytes of whole lines that are written at once.
const BUFFERED_BYTES: usize = 64 * 1_024;

/// The time between a line and the next write. A waiting writer would be woken for each line, which costs more than the
/// line. People do not notice the delay.
const PAUSE: Duration = Duration::from_millis(10);

/// A writer for a thread of its own. A line after a pause is written at once; those that follow are written together.
pub(super) struct PacedWriter<W: Write> {
    lines: BufWriter<W>,
}

impl<W: Write> PacedWriter<W> {
    pub(super) fn new(output: W) -> Self {
        Self { lines: BufWriter::with_capacity(BUFFERED_BYTES, output) }
    }
}

impl<W: Write> Write for PacedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lines.write(bytes)
    }

    /// Writes the buffered lines, then pauses. The thread calls this when no further line waits.
    #[expect(
        clippy::disallowed_methods,
        reason = "no event ends this pause: the thread only lets lines collect"
    )]
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.lines.flush();
        thread::sleep(PAUSE);
        flushed
    }
}
