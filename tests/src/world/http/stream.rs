//! A stream of server-sent events, read message by message.

use reqwest::{RequestBuilder, Response};

/// An open stream.
pub struct EventStreamReader {
    response: Response,
    received: Vec<u8>,
}

impl EventStreamReader {
    pub(super) async fn open(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        assert_eq!(response.status(), 200);
        Self { response, received: Vec::new() }
    }

    /// Returns the exact text of the next message, without the empty line that ends it; `None` at the stream's end.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.received.windows(2).position(|pair| pair == b"\n\n") {
                let message = self.received.drain(..end + 2).take(end).collect();
                return Some(String::from_utf8(message).expect("UTF-8"));
            }
            self.received.extend(self.response.chunk().await.expect("the stream can be read")?);
        }
    }

    /// Returns the next message. Panics if the stream ends.
    pub async fn message(&mut self) -> String {
        self.next().await.expect("the stream has another message")
    }

    /// Returns the data from the next message that has any, as JSON; `None` when the stream ends.
    pub async fn data(&mut self) -> Option<serde_json::Value> {
        loop {
            let message = self.next().await?;
            let data = message.lines().find_map(|line| line.strip_prefix("data: "));
            if let Some(data) = data {
                return Some(serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    /// Returns a response header, or an empty string if the header is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        let value = self.response.headers().get(name);
        value.map_or_else(String::new, |value| value.to_str().expect("ASCII").to_owned())
    }
}
