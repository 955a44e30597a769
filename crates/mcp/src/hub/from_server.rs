//! Frames of the servers: answers go to the client if it asked this server, requests get the server name, and
//! notifications pass.

use super::{
    hub_core::{HubClient, HubCore},
    hub_frame::{HubFrame, split_batch},
    subscriptions::list_change,
};
use crate::{ClientReader, answer_text::protocol_error, client_frame::read_id};
use countersign_events::Json;
use countersign_json_rpc::{LineRead, read_line};
use serde_json::Value;
use std::sync::Arc;
use tokio::io::BufReader;

/// The most tasks whose server is remembered.
const MAX_TASKS: usize = 10_000;

/// Reads frames from a server until it ends.
pub(crate) async fn read_hub_server(core: Arc<HubCore>, index: usize, output: ClientReader) {
    let mut reader = BufReader::new(output);
    loop {
        match read_line(&mut reader).await {
            LineRead::Line(line) => {
                let text = String::from_utf8_lossy(&line);
                for element in split_batch(&text) {
                    core.take_server_frame(index, element).await;
                }
            }
            LineRead::TooLong => core.note(index, "it sent a frame over the limit, which is dropped"),
            LineRead::End => break,
        }
    }
    core.lose_server(index, "it ended").await;
}

impl HubCore {
    async fn take_server_frame(&self, index: usize, text: &str) {
        let frame = match HubFrame::read(text) {
            Ok(frame) => frame,
            Err(why) => {
                if !text.trim().is_empty() {
                    tracing::warn!(server = index, "a line of a server is dropped: {why}");
                }
                return;
            }
        };
        match (&frame.method, &frame.id) {
            (None, Some((_, key))) => self.take_answer(index, key, text).await,
            (Some(_), Some((id, _))) => self.take_server_request(index, &frame, id).await,
            (Some(method), None) => self.take_notification(index, &frame, method, text).await,
            // An error about a frame that the server could not read.
            (None, None) => tracing::warn!(server = index, "an answer without an id is dropped"),
        }
    }

    async fn take_answer(&self, index: usize, key: &str, text: &str) {
        let Some(link) = self.servers.get(index) else { return };
        if link.take_own_answer(key, text) {
            return;
        }
        let is_expected = self.state().pending.end(key, index).is_some();
        if is_expected {
            self.learn_answer(index, text);
            self.send_to_client(text.to_owned()).await;
        }
        // The answer to a subscription, of which the hub has others; or one without a request.
    }

    /// Requests of a server go to a client with a session. One without never gets any (2026-07-28).
    async fn take_server_request(&self, index: usize, frame: &HubFrame<'_>, id: &Json) {
        let Some(link) = self.servers.get(index) else { return };
        let has_session = matches!(self.state().client, HubClient::Session { .. });
        if has_session && frame.method.as_deref() != Some("ping") {
            return self.send_to_client(frame.qualified(link.name.as_str())).await;
        }
        let answer = if frame.method.as_deref() == Some("ping") {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}", id.as_str())
        } else {
            protocol_error(Some(id), -32601, "the client does not answer requests of servers")
        };
        link.send(&answer).await;
    }

    async fn take_notification(&self, index: usize, frame: &HubFrame<'_>, method: &str, text: &str) {
        if let Some(method) = list_change(method) {
            if method == "notifications/resources/list_changed" {
                self.state().resources.forget(index);
            }
            return self.publish_list(method).await;
        }
        let subscription = frame.meta().and_then(|meta| {
            meta.get("io.modelcontextprotocol/subscriptionId").and_then(read_id).map(|(_, key)| key)
        });
        let has_session = matches!(self.state().client, HubClient::Session { .. });
        let is_ready = self.servers.get(index).is_some_and(|link| link.ready().is_some());
        let passes = match method {
            "notifications/progress" => {
                let token = frame.param("progressToken").and_then(read_id);
                token.is_some_and(|(_, key)| self.state().pending.may_report(&key, index))
            }
            "notifications/subscriptions/acknowledged" => false,
            "notifications/cancelled" => return self.take_server_cancellation(index, frame).await,
            "notifications/resources/updated" if !has_session && subscription.is_none() => {
                if let Some(uri) = frame.text_param("uri") {
                    self.publish_resource(&uri).await;
                }
                false
            }
            _ => match subscription {
                Some(key) => self.state().subscriptions.contains_key(&key),
                // Without a session, a notification belongs to a request; that of a server with one cannot be told.
                None => {
                    has_session
                        || self
                            .servers
                            .get(index)
                            .and_then(super::server_link::ServerLink::ready)
                            .is_some_and(|ready| ready.is_stateless)
                }
            },
        };
        if passes && is_ready {
            self.send_to_client(text.to_owned()).await;
        }
    }

    /// A server cancels its own request. The end of a subscription is not told: other servers continue.
    async fn take_server_cancellation(&self, index: usize, frame: &HubFrame<'_>) {
        let Some((link, part)) = self.servers.get(index).zip(frame.param("requestId")) else { return };
        let is_session = matches!(self.state().client, HubClient::Session { .. });
        if is_session && read_id(part).is_some() {
            let id = super::hub_frame::qualify_id(link.name.as_str(), part);
            self.send_to_client(frame.with(part, &id)).await;
        }
    }

    /// Remembers the resources and the task that an answer names: they need not be in any list.
    fn learn_answer(&self, index: usize, text: &str) {
        if !text.contains("\"uri\"") && !text.contains("\"taskId\"") {
            return;
        }
        let Ok(answer) = serde_json::from_str::<Value>(text) else { return };
        let Some(result) = answer.get("result") else { return };
        let items = |key: &str| result.get(key).and_then(Value::as_array).into_iter().flatten();
        let contents = items("content").chain(items("contents"));
        let contents = contents.chain(items("messages").filter_map(|message| message.get("content")));
        let uris = contents.flat_map(|item| [item.get("uri"), item.pointer("/resource/uri")]);
        let mut state = self.state();
        for uri in uris.flatten().filter_map(Value::as_str) {
            if state.resources.owner(uri).is_none() {
                state.resources.add(uri, index);
            }
        }
        let task = result.get("taskId").or_else(|| result.pointer("/task/taskId")).and_then(Value::as_str);
        if let Some(task) = task.filter(|_| state.tasks.len() < MAX_TASKS) {
            state.tasks.insert(task.to_owned(), index);
        }
    }
}
