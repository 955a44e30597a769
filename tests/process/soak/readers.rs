//! Readers of streams: some disconnect and return, one never reads.

use super::Gate;
use countersign_api::LogFilter;
use countersign_events::{Event, EventType};
use countersign_tests::{Random, Server};
use futures_util::StreamExt;
use std::{collections::HashMap, sync::Arc};
use tokio::{io::AsyncWriteExt, net::TcpStream};

/// The thread of the very last call. Each reader ends when it receives this call's result.
pub(crate) const LAST: &str = "the-last";

pub(crate) struct SoakReader {
    gate: Gate,
    filter: LogFilter,
    random: Random,
}

impl SoakReader {
    pub(crate) fn new(gate: &Gate, filter: LogFilter, seed: u64) -> Self {
        Self { gate: gate.clone(), filter, random: Random::seeded(seed) }
    }

    /// Returns the received events' `seq`, in order, up to the last one.
    pub(crate) async fn read(mut self) -> Vec<i64> {
        let mut seen = Vec::new();
        loop {
            let after = seen.last().copied().unwrap_or(0);
            let mut events = self.gate.follow(self.filter.clone(), after);
            for _ in 0..=self.random.below(400) {
                let event = events.next().await.expect("the stream continues").expect("the read succeeds");
                seen.push(event.seq);
                if event.thread_id.as_str() == LAST && event.kind == EventType::ToolResult {
                    return seen;
                }
            }
        }
    }
}

/// Requests all events and reads no byte, so that the connection buffers fill.
pub(crate) async fn connect_without_reading(server: &Server) -> TcpStream {
    let address = server.address();
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let request = format!("GET /v1/events HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the write succeeds");
    stream
}

/// Returns the `seq` of each logged event that matches the filter.
pub(crate) fn meant(filter: &LogFilter, log: &[Arc<Event>]) -> Vec<i64> {
    let mut tools = HashMap::new();
    let mut tool_of = |event: &Event| {
        let data: serde_json::Value = serde_json::from_str(event.data.as_str()).expect("JSON");
        let call = |key: &str| Some((event.thread_id.clone(), data[key].as_str()?.to_owned()));
        if event.kind == EventType::ToolCall {
            let tool = data["name"].as_str().expect("a name").to_owned();
            tools.insert(call("id").expect("an id"), tool.clone());
            return Some(tool);
        }
        tools.get(&call("toolCallId")?).cloned()
    };
    let mut matches_filter = |event: &Event| {
        let tool = tool_of(event);
        (filter.types.is_empty() || filter.types.contains(&event.kind))
            && filter.tool.as_ref().is_none_or(|name| tool.as_deref() == Some(name.as_str()))
            && filter.principal.as_ref().is_none_or(|by| event.principal == *by)
    };
    log.iter().filter(|event| matches_filter(event)).map(|event| event.seq).collect()
}
