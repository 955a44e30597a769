//! Telling the client about changes and lost servers. A client with a session hears of all changes; one without
//! (2026-07-28) of those that it subscribed to with `subscriptions/listen`.

use super::{
    hub_core::{HubClient, HubCore, Subscription},
    hub_frame::HubFrame,
};
use crate::answer_text::outcome_unknown_error;
use countersign_events::Json;
use countersign_json_rpc::JsonObject;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The notifications about lists, and the members by which a client subscribes to them.
const LIST_CHANGES: &[(&str, &str)] = &[
    ("notifications/tools/list_changed", "toolsListChanged"),
    ("notifications/prompts/list_changed", "promptsListChanged"),
    ("notifications/resources/list_changed", "resourcesListChanged"),
];

/// The most resources that one subscription names.
const MAX_URIS: usize = 1_000;

/// The most open subscriptions.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// The notification about a list, as a constant text.
pub(crate) fn list_change(method: &str) -> Option<&'static str> {
    LIST_CHANGES.iter().find(|(known, _)| *known == method).map(|(known, _)| *known)
}

impl HubCore {
    /// Tells the client that a list has changed.
    pub(crate) async fn publish_list(&self, method: &'static str) {
        let frames: Vec<String> = {
            let state = self.state();
            match state.client {
                HubClient::Session { .. } if state.initialized.is_some() => {
                    vec![format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"}}")]
                }
                HubClient::Stateless { .. } => {
                    let asking = state.subscriptions.values().filter(|open| open.lists.contains(&method));
                    asking.map(|open| change_frame(method, &open.id, None)).collect()
                }
                _ => Vec::new(),
            }
        };
        for frame in frames {
            self.send_to_client(frame).await;
        }
    }

    /// Tells the client that all lists have changed, because a server came or went.
    pub(crate) async fn publish_all_lists(&self) {
        for (method, _) in LIST_CHANGES {
            self.publish_list(method).await;
        }
    }

    /// Tells a client without a session that a resource has changed.
    pub(crate) async fn publish_resource(&self, uri: &str) {
        let method = "notifications/resources/updated";
        let frames: Vec<String> = {
            let state = self.state();
            let asking = state.subscriptions.values().filter(|open| open.uris.iter().any(|own| own == uri));
            asking.map(|open| change_frame(method, &open.id, Some(uri))).collect()
        };
        for frame in frames {
            self.send_to_client(frame).await;
        }
    }

    /// Ends a server: its requests are answered with an error, and its tools vanish.
    pub(crate) async fn lose_server(&self, index: usize, why: &str) {
        let Some(link) = self.servers.get(index) else { return };
        if link.failure().is_some() {
            return;
        }
        let was_ready = link.fail(why);
        self.note(index, why);
        let lost = {
            let mut state = self.state();
            state.resources.forget(index);
            state.changed_names.retain(|_, (server, _)| *server != index);
            state.tasks.retain(|_, server| *server != index);
            state.pending.drain_server(index)
        };
        for request in lost {
            let why = format!("the server {} ended before it answered", link.name.as_str());
            self.send_to_client(outcome_unknown_error(&request.id, &why)).await;
        }
        if was_ready && !self.closing.is_cancelled() {
            self.publish_all_lists().await;
        }
    }

    /// Opens a client subscription at all servers.
    pub(crate) async fn open_subscription(self: Arc<Self>, id: Json, key: String, text: String) {
        self.wait_for_servers().await;
        let Ok(frame) = HubFrame::read(&text) else { return };
        let filter = frame.param("notifications").and_then(JsonObject::read);
        let is_set = |member: &str| filter.as_ref().and_then(|filter| filter.get_as(member)).unwrap_or(false);
        let wanted = LIST_CHANGES.iter().filter(|(_, member)| is_set(member));
        let lists: Vec<_> = wanted.clone().map(|(method, _)| *method).collect();
        let mut accepted: Map<String, Value> =
            wanted.map(|(_, member)| ((*member).to_owned(), Value::Bool(true))).collect();
        let uris: Vec<String> =
            filter.as_ref().and_then(|filter| filter.get_as("resourceSubscriptions")).unwrap_or_default();
        let mut owned = Vec::new();
        for uri in uris.into_iter().take(MAX_URIS) {
            if let Some(server) = self.resource_owner(&uri).await {
                owned.push((server, uri));
            }
        }
        let known: Vec<String> = owned.iter().map(|(_, uri)| uri.clone()).collect();
        if !known.is_empty() {
            accepted.insert("resourceSubscriptions".to_owned(), json!(known));
        }
        let open = Subscription { id: id.as_str().to_owned(), lists, uris: known };
        if !self.add_subscription(key, open) {
            let why = format!("there are {MAX_SUBSCRIPTIONS} open subscriptions; close one first");
            return self.send_error(&id, -32603, &why).await;
        }
        let accepted = Value::Object(accepted);
        let acknowledged = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{{\"_meta\":\
             {{\"io.modelcontextprotocol/subscriptionId\":{}}},\"notifications\":{accepted}}}}}",
            id.as_str()
        );
        self.send_to_client(acknowledged).await;
        self.subscribe_at_servers(&frame, &accepted, &owned).await;
    }

    fn add_subscription(&self, key: String, open: Subscription) -> bool {
        let mut state = self.state();
        let has_room = state.subscriptions.len() < MAX_SUBSCRIPTIONS;
        if has_room {
            state.subscriptions.insert(key, open);
        }
        has_room
    }

    async fn subscribe_at_servers(&self, frame: &HubFrame<'_>, accepted: &Value, owned: &[(usize, String)]) {
        for (index, ready) in self.ready_servers() {
            let Some(link) = self.servers.get(index) else { continue };
            let own: Vec<_> =
                owned.iter().filter(|(server, _)| *server == index).map(|(_, uri)| uri).collect();
            if ready.is_stateless {
                let mut filter = accepted.clone();
                if let Some(filter) = filter.as_object_mut() {
                    filter.remove("resourceSubscriptions");
                    if !own.is_empty() {
                        filter.insert("resourceSubscriptions".to_owned(), json!(own));
                    }
                }
                if let Some(part) = frame.param("notifications") {
                    link.send(&frame.with(part, &filter.to_string())).await;
                }
                continue;
            }
            for uri in own {
                let params = json!({ "uri": uri }).to_string();
                if let Err(why) =
                    link.request("resources/subscribe", &params, self.options.answer_limit).await
                {
                    self.note(index, &why.to_string());
                }
            }
        }
    }

    /// Closes a client subscription; returns false if there is none.
    pub(crate) async fn close_subscription(&self, key: &str, text: &str) -> bool {
        let closed = self.state().subscriptions.remove(key);
        let Some(closed) = closed else { return false };
        for (index, ready) in self.ready_servers() {
            let Some(link) = self.servers.get(index) else { continue };
            if ready.is_stateless {
                link.send(text).await;
                continue;
            }
            for uri in &closed.uris {
                let (owner, is_used) = {
                    let state = self.state();
                    let is_used = state.subscriptions.values().any(|open| open.uris.contains(uri));
                    (state.resources.owner(uri), is_used)
                };
                if owner == Some(index) && !is_used {
                    let params = json!({ "uri": uri }).to_string();
                    // The server may be ending.
                    let _ = link.request("resources/unsubscribe", &params, self.options.answer_limit).await;
                }
            }
        }
        true
    }
}

fn change_frame(method: &str, subscription: &str, uri: Option<&str>) -> String {
    let uri = uri.map_or_else(String::new, |uri| format!(",\"uri\":{}", Json::string(uri).as_str()));
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{\"_meta\":\
         {{\"io.modelcontextprotocol/subscriptionId\":{subscription}}}{uri}}}}}"
    )
}
