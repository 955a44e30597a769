//! Lines with a limit.

use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest line, in bytes.
pub const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// Reads a line with its line break into `line`, which is cleared before. False at the stream's end. Fails if the line
/// is too long.
pub(super) async fn read_line(
    from: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    line.clear();
    loop {
        let chunk = from.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = chunk.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let length = end.unwrap_or(chunk.len());
        if line.len() + length > MAX_LINE_BYTES {
            return Err(io::Error::other(format!("a line has more than {MAX_LINE_BYTES} bytes")));
        }
        line.extend_from_slice(&chunk[..length]);
        from.consume(length);
        if end.is_some() {
            return Ok(true);
        }
    }
}
