//! The lines that the person types.

use crate::options::WatchError;
use countersign_console::{escape_text, print_line, print_prompt};
use futures_util::FutureExt;
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, IsTerminal};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

pub(super) struct LineInput {
    lines: Lines<BufReader<Stdin>>,
    is_terminal: bool,
}

impl LineInput {
    pub(super) fn open() -> Self {
        let lines = BufReader::new(tokio::io::stdin()).lines();
        Self { lines, is_terminal: io::stdin().is_terminal() }
    }

    /// The next line, or `None` at the input's end.
    pub(super) async fn next_line(&mut self) -> io::Result<Option<String>> {
        self.lines.next_line().await
    }

    /// Discards lines that were typed on a terminal before the call was printed, because they were meant for another
    /// call. Lines of a file or a pipe are kept. Returns whether the input is still open.
    pub(super) fn discard_typed_lines(&mut self) -> Result<bool, WatchError> {
        if !self.is_terminal {
            return Ok(true);
        }
        // Flush the terminal first, or a line that it holds would be read later.
        tcflush(io::stdin(), QueueSelector::IFlush).map_err(io::Error::from)?;
        while let Some(line) = self.lines.next_line().now_or_never() {
            if line?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Prints a question and reads the answer, without the spaces around it. Returns `None` at the input's end.
    pub(super) async fn ask(&mut self, question: &str) -> Result<Option<String>, WatchError> {
        print_prompt(question);
        let Some(line) = self.next_line().await? else {
            print_line("");
            return Ok(None);
        };
        // A terminal echoes its input. Print other input, so that the output shows the answer.
        if !self.is_terminal {
            print_line(&escape_text(line.trim_end()));
        }
        Ok(Some(line.trim().to_owned()))
    }
}
