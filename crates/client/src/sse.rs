//! Server-sent events with limits: the data of each message, its id, and the pause that the server asks for.

/// An event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseMessage {
    /// The lines of its data.
    pub data: String,
    /// The kind; empty for messages.
    pub kind: String,
}

/// Events of more bytes end the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than the limit of {0} bytes")]
pub struct EventTooLong(usize);

/// Reads a stream of events, chunk by chunk.
#[derive(Debug)]
pub struct SseParser {
    limit: usize,
    line: Vec<u8>,
    event: SseMessage,
    has_data: bool,
    /// The last chunk ended with a carriage return, so a line feed at the start of the next belongs to it.
    after_return: bool,
    is_first_line: bool,
    /// The last event id, from which a stream resumes.
    pub last_id: Option<String>,
    /// The pause in milliseconds before the stream is opened again.
    pub retry: Option<u64>,
}

impl SseParser {
    /// Creates a parser that refuses events of more bytes than `limit`.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: SseMessage::default(),
            has_data: false,
            after_return: false,
            is_first_line: true,
            last_id: None,
            retry: None,
        }
    }

    /// Reads a chunk, and returns the events that it completes.
    pub fn read(&mut self, chunk: &[u8]) -> Result<Vec<SseMessage>, EventTooLong> {
        let mut events = Vec::new();
        for byte in chunk {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(*byte),
            }
            self.after_return = *byte == b'\r';
            if self.line.len() + self.event.data.len() > self.limit {
                return Err(EventTooLong(self.limit));
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<SseMessage> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if self.is_first_line { line.trim_start_matches('\u{feff}') } else { &line };
        self.is_first_line = false;
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.kind),
            "id" if !value.contains('\0') => self.last_id = Some(value.to_owned()),
            "retry" => self.retry = value.parse().ok().or(self.retry),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_in_any_chunks() {
        let text = "\u{feff}: comment\r\nid: 7\r\ndata: {\"a\":\rdata: 1}\n\nevent: ping\ndata\n\nretry: 50\nid:8\n\ndata:no end";
        for size in 1..text.len() {
            let mut parser = SseParser::new(1_000);
            let events: Vec<_> =
                text.as_bytes().chunks(size).flat_map(|chunk| parser.read(chunk).expect("short")).collect();
            let expected = [("{\"a\":\n1}", ""), ("", "ping")];
            let found: Vec<_> =
                events.iter().map(|event| (event.data.as_str(), event.kind.as_str())).collect();
            assert_eq!(found, expected, "{size}");
            assert_eq!((parser.last_id.as_deref(), parser.retry), (Some("8"), Some(50)));
        }
    }

    #[test]
    fn event_over_the_limit_is_refused() {
        let mut parser = SseParser::new(10);
        assert_eq!(parser.read(b"data: 12345\ndata: 12345\n"), Err(EventTooLong(10)));
    }
}
