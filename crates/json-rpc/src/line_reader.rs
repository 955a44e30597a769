//! Reading lines with a limit.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// The largest frame in bytes, in either direction.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// One line of a stream.
#[derive(Debug, PartialEq, Eq)]
pub enum LineRead {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line over the limit, which was skipped.
    TooLong,
    /// The stream's end.
    End,
}

/// Reads the next line of at most [`MAX_FRAME_BYTES`]. A failure is treated as the end: the other side is gone.
pub async fn read_line(reader: &mut (impl AsyncBufRead + Unpin)) -> LineRead {
    let mut line = Vec::new();
    let limit = MAX_FRAME_BYTES as u64 + 1;
    let read = (&mut *reader).take(limit).read_until(b'\n', &mut line).await;
    match read {
        Ok(0) | Err(_) => LineRead::End,
        Ok(_) if line.last() == Some(&b'\n') => {
            line.pop();
            LineRead::Line(line)
        }
        Ok(length) if length as u64 == limit => {
            skip_line(reader).await;
            LineRead::TooLong
        }
        // The last line without an end.
        Ok(_) => LineRead::Line(line),
    }
}

async fn skip_line(reader: &mut (impl AsyncBufRead + Unpin)) {
    loop {
        let Ok(chunk) = reader.fill_buf().await else { return };
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |end| end + 1);
        if used == 0 {
            return;
        }
        reader.consume(used);
        if end.is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    #[tokio::test]
    async fn lines_are_read_to_the_end() {
        let mut reader = BufReader::new(&b"one\r\n\ntwo"[..]);
        for expected in [&b"one\r"[..], b"", b"two"] {
            assert_eq!(read_line(&mut reader).await, LineRead::Line(expected.to_vec()));
        }
        assert_eq!(read_line(&mut reader).await, LineRead::End);
    }

    #[tokio::test]
    async fn line_over_the_limit_is_skipped() {
        let text = [vec![b'x'; MAX_FRAME_BYTES + 1], b"\nnext\n".to_vec()].concat();
        let mut reader = BufReader::new(&text[..]);
        assert_eq!(read_line(&mut reader).await, LineRead::TooLong);
        assert_eq!(read_line(&mut reader).await, LineRead::Line(b"next".to_vec()));
    }
}
