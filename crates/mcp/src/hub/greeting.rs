//! Greeting the servers as the client greeted the hub: with a session (`initialize`), or without (`server/discover`,
//! 2026-07-28). A server that speaks only the other way is greeted in its own.

use super::{
    hub_core::{HubClient, HubCore},
    merge::{LAST_SESSION_VERSION, STATELESS_VERSION, hub_info, merge_discover, merge_initialize},
    names::ServerName,
    server_link::{LinkFailure, LinkState, ReadyServer, ServerLink},
};
use countersign_events::Json;
use countersign_json_rpc::JsonObject;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What the hub tells a server that has a session with it, on its own behalf.
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl HubCore {
    /// Greets each server that was not greeted yet.
    pub(crate) fn greet_servers(self: &Arc<Self>) {
        for (index, link) in self.servers.iter().enumerate() {
            let begins = link.state.send_if_modified(|state| {
                let is_new = *state == LinkState::New;
                if is_new {
                    *state = LinkState::Greeting;
                }
                is_new
            });
            if begins {
                self.tasks.spawn(Arc::clone(self).greet_server(index));
            }
        }
    }

    async fn greet_server(self: Arc<Self>, index: usize) {
        let Some(link) = self.servers.get(index) else { return };
        let client = self.state().client.clone();
        let greeted = match &client {
            HubClient::Unknown => return,
            HubClient::Session { params } => self.greet_with_session(link, params).await,
            HubClient::Stateless { meta } => self.greet_without_session(link, meta).await,
        };
        match greeted {
            Ok(ready) => {
                let is_late = link.state.send_if_modified(|state| {
                    let is_usable = *state == LinkState::Greeting;
                    if is_usable {
                        *state = LinkState::Ready(ready);
                    }
                    is_usable
                }) && !self.is_awaited();
                let initialized = match client {
                    HubClient::Session { .. } => self.state().initialized.clone(),
                    _ => Some(INITIALIZED.to_owned()),
                };
                if let Some(initialized) = initialized {
                    link.initialize(&initialized).await;
                }
                if is_late {
                    self.publish_all_lists().await;
                }
            }
            Err(why) => self.lose_server(index, &why.to_string()).await,
        }
    }

    /// True while the client has not seen the servers yet.
    fn is_awaited(&self) -> bool {
        let state = self.state();
        state.initialized.is_none() && state.subscriptions.is_empty()
    }

    async fn greet_with_session(&self, link: &ServerLink, params: &str) -> Result<ReadyServer, LinkFailure> {
        let limit = self.options.answer_limit;
        match link.request("initialize", params, limit).await {
            Ok(result) => {
                Ok(ReadyServer { is_stateless: false, greeting: read_greeting(&result), meta: None })
            }
            Err(LinkFailure::Refused(method, error)) => {
                let info = JsonObject::read(params).and_then(|params| params.get("clientInfo"));
                let meta = request_meta(info);
                let params = format!("{{\"_meta\":{{{meta}}}}}");
                let found = link.request("server/discover", &params, limit).await;
                // The refused greeting explains more than the refusal of an unknown method.
                let found = found.map_err(|_| LinkFailure::Refused(method, error))?;
                Ok(ReadyServer { is_stateless: true, greeting: read_greeting(&found), meta: Some(meta) })
            }
            Err(failure) => Err(failure),
        }
    }

    async fn greet_without_session(&self, link: &ServerLink, meta: &str) -> Result<ReadyServer, LinkFailure> {
        // A server that does not know the method may also say nothing.
        let limit = self.options.answer_limit / 2;
        let found = link.request("server/discover", &format!("{{\"_meta\":{{{meta}}}}}"), limit).await;
        match found {
            Ok(result) => Ok(ReadyServer {
                is_stateless: true,
                greeting: read_greeting(&result),
                meta: Some(meta.to_owned()),
            }),
            Err(LinkFailure::Gone) => Err(LinkFailure::Gone),
            Err(_) => {
                let meta = format!("{{{meta}}}");
                let meta: Value = serde_json::from_str(&meta).unwrap_or_default();
                let info = meta.get("io.modelcontextprotocol/clientInfo").cloned().unwrap_or_else(hub_info);
                let params =
                    json!({"protocolVersion": LAST_SESSION_VERSION, "capabilities": {}, "clientInfo": info});
                let result = link.request("initialize", &params.to_string(), limit).await?;
                Ok(ReadyServer { is_stateless: false, greeting: read_greeting(&result), meta: None })
            }
        }
    }

    /// Waits until each server was greeted or has failed.
    pub(crate) async fn wait_for_servers(&self) {
        for link in &self.servers {
            link.settled().await;
        }
    }

    /// Answers `initialize` with what the servers say together.
    pub(crate) async fn answer_initialize(self: Arc<Self>, id: Json, params: String) {
        {
            let mut state = self.state();
            if state.client == HubClient::Unknown {
                state.client = HubClient::Session { params: params.clone() };
            }
        }
        let requested: Option<String> =
            JsonObject::read(&params).and_then(|params| params.get_as("protocolVersion"));
        self.answer_greeting(id, |servers| merge_initialize(&requested.unwrap_or_default(), servers)).await;
    }

    /// Answers `server/discover` with what the servers say together.
    pub(crate) async fn answer_discover(self: Arc<Self>, id: Json) {
        self.answer_greeting(id, merge_discover).await;
    }

    async fn answer_greeting(
        self: Arc<Self>,
        id: Json,
        merge: impl FnOnce(&[(&ServerName, ReadyServer)]) -> Value,
    ) {
        self.greet_servers();
        self.wait_for_servers().await;
        let ready: Vec<_> =
            self.servers.iter().filter_map(|link| Some((&link.name, link.ready()?))).collect();
        if ready.is_empty() {
            let failures = self.servers.iter().filter_map(|link| Some((link.name.as_str(), link.failure()?)));
            let failures: Vec<_> = failures.map(|(name, why)| format!("{name}: {why}")).collect();
            let why = format!("no server can be used ({})", failures.join("; "));
            return self.send_error(&id, -32603, &why).await;
        }
        let result = merge(&ready).to_string();
        self.send_result(&id, &result).await;
    }
}

fn read_greeting(result: &str) -> Map<String, Value> {
    serde_json::from_str(result).unwrap_or_default()
}

/// The members of `_meta` for requests of the hub, and for those of a client that has a session. They declare no
/// capabilities: a server without sessions asks for input in results that such a client does not understand.
fn request_meta(client_info: Option<&str>) -> String {
    let info = client_info.map_or_else(|| hub_info().to_string(), str::to_owned);
    format!(
        "\"io.modelcontextprotocol/protocolVersion\":\"{STATELESS_VERSION}\",\
         \"io.modelcontextprotocol/clientInfo\":{info},\"io.modelcontextprotocol/clientCapabilities\":{{}}"
    )
}

/// The members of `_meta` for requests of the hub, on behalf of a client without a session.
pub(crate) fn client_meta(meta: &JsonObject<'_>) -> String {
    request_meta(meta.get("io.modelcontextprotocol/clientInfo"))
}
