//! The hub: several servers that look like one.

use super::{
    from_server::read_hub_server,
    greeting::client_meta,
    hub_core::{HubClient, HubCore, HubOptions},
    hub_frame::{BadHubFrame, HubFrame, restore_id, split_batch},
    lists::ListKind,
    merge::{STATELESS_VERSION, unsupported_version},
    names::ServerName,
    pending_requests::PendingRequest,
    routing::RequestRoute,
    server_link::ServerLink,
};
use crate::{
    ClientReader, ClientWriter, answer_text::protocol_error, client_frame::read_id, gateway::write_frames,
};
use countersign_events::Json;
use countersign_json_rpc::{LineRead, read_line};
use std::{sync::Arc, time::Duration};
use tokio::{io::BufReader, sync::mpsc};

/// The number of frames that wait to be written in each direction.
const QUEUED_FRAMES: usize = 64;

/// The time in which the servers end after the client has ended.
const END_LIMIT: Duration = Duration::from_secs(5);

/// A hub server, and its frame streams.
pub struct HubServer {
    /// The name before its tools.
    pub name: ServerName,
    /// From the server.
    pub output: ClientReader,
    /// To the server.
    pub input: ClientWriter,
}

/// Makes several servers look like one to the gateway, until `input` ends and all servers have ended.
pub async fn run_hub(
    servers: Vec<HubServer>,
    options: HubOptions,
    input: ClientReader,
    output: ClientWriter,
) {
    let (to_client, client_frames) = mpsc::channel(QUEUED_FRAMES);
    let writer = tokio::spawn(write_frames(client_frames, output));
    let (mut links, mut outputs) = (Vec::new(), Vec::new());
    for server in servers {
        let (frames, server_frames) = mpsc::channel(QUEUED_FRAMES);
        tokio::spawn(write_frames(server_frames, server.input));
        links.push(ServerLink::new(server.name, frames));
        outputs.push(server.output);
    }
    let core = Arc::new(HubCore::new(links, options, to_client));
    let mut readers: Vec<_> = outputs
        .into_iter()
        .enumerate()
        .map(|(index, output)| tokio::spawn(read_hub_server(Arc::clone(&core), index, output)))
        .collect();
    read_hub_client(&core, input).await;
    core.closing.cancel();
    for link in &core.servers {
        link.close();
    }
    let ended = async {
        for reader in &mut readers {
            let _ = reader.await;
        }
    };
    if tokio::time::timeout(END_LIMIT, ended).await.is_err() {
        readers.iter().for_each(tokio::task::JoinHandle::abort);
    }
    core.tasks.close();
    core.tasks.wait().await;
    // The writer ends after the last frame, once no sender is left.
    drop(core);
    let _ = writer.await;
}

async fn read_hub_client(core: &Arc<HubCore>, input: ClientReader) {
    let mut reader = BufReader::new(input);
    loop {
        match read_line(&mut reader).await {
            LineRead::Line(line) => {
                let text = String::from_utf8_lossy(&line);
                for element in split_batch(&text) {
                    core.take_hub_frame(element).await;
                }
            }
            // The gateway has the same limit.
            LineRead::TooLong => {}
            LineRead::End => return,
        }
    }
}

impl HubCore {
    /// Takes one frame of the client, which the gateway has passed on.
    async fn take_hub_frame(self: &Arc<Self>, text: &str) {
        let frame = match HubFrame::read(text) {
            Ok(frame) => frame,
            Err(why) => {
                let code = if why == BadHubFrame::Syntax { -32700 } else { -32600 };
                return self
                    .send_to_client(protocol_error(None, code, &format!("the frame is refused: {why}")))
                    .await;
            }
        };
        match (&frame.method, &frame.id) {
            (Some(method), Some((id, key))) => self.take_request(&frame, method, id, key, text).await,
            (Some(method), None) => self.take_client_notification(&frame, method, text).await,
            (None, Some((id, _))) => self.take_client_answer(&frame, id.as_str()).await,
            (None, None) => {}
        }
    }

    async fn take_request(
        self: &Arc<Self>,
        frame: &HubFrame<'_>,
        method: &str,
        id: &Json,
        key: &str,
        text: &str,
    ) {
        if let Some(version) = frame.own_version() {
            if version != STATELESS_VERSION {
                let error = unsupported_version(&version);
                let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}", id.as_str());
                return self.send_to_client(answer).await;
            }
            self.meet_stateless_client(frame);
        }
        let (core, id, text) = (Arc::clone(self), id.clone(), text.to_owned());
        match method {
            "ping" => self.send_result(&id, "{}").await,
            "initialize" => {
                let params = frame.member("params").unwrap_or("{}").to_owned();
                self.tasks.spawn(core.answer_initialize(id, params));
            }
            "server/discover" => _ = self.tasks.spawn(core.answer_discover(id)),
            "logging/setLevel" => {
                let params = frame.member("params").unwrap_or("{}").to_owned();
                self.tasks.spawn(core.set_log_level(id, params));
            }
            "subscriptions/listen" => _ = self.tasks.spawn(core.open_subscription(id, key.to_owned(), text)),
            _ => match ListKind::of_method(method) {
                Some(kind) => {
                    let has_cursor = frame.param("cursor").is_some_and(|cursor| cursor != "null");
                    self.tasks.spawn(core.answer_list(id, kind, has_cursor));
                }
                None => self.forward_request(frame, id, key, text).await,
            },
        }
    }

    /// The first request without a session tells how to greet the servers.
    fn meet_stateless_client(self: &Arc<Self>, frame: &HubFrame<'_>) {
        let meta = frame.meta().map(|meta| client_meta(&meta)).unwrap_or_default();
        let is_new = {
            let mut state = self.state();
            let is_new = state.client == HubClient::Unknown;
            if is_new {
                state.client = HubClient::Stateless { meta };
            }
            is_new
        };
        if is_new {
            self.greet_servers();
        }
    }

    async fn forward_request(self: &Arc<Self>, frame: &HubFrame<'_>, id: Json, key: &str, text: String) {
        let is_settled = self.servers.iter().all(|link| link.ready().is_some() || link.failure().is_some());
        let is_met = self.state().client != HubClient::Unknown;
        if !is_met {
            return self
                .send_error(&id, -32600, "send initialize first, or name the protocol version in _meta")
                .await;
        }
        let route = if is_settled { self.route_request(frame, &text) } else { RequestRoute::Unlisted };
        if route != RequestRoute::Unlisted {
            return self.send_on_route(frame, id, key, route).await;
        }
        let (core, key) = (Arc::clone(self), key.to_owned());
        self.tasks.spawn(async move {
            core.wait_for_servers().await;
            let Ok(frame) = HubFrame::read(&text) else { return };
            let mut route = core.route_request(&frame, &text);
            if route == RequestRoute::Unlisted {
                match frame.method.as_deref() {
                    Some("tools/call") => core.learn_tools().await,
                    _ => core.learn_names().await,
                }
                route = core.route_listed(&frame, &text);
            }
            core.send_on_route(&frame, id, &key, route).await;
        });
    }

    async fn send_on_route(&self, frame: &HubFrame<'_>, id: Json, key: &str, route: RequestRoute) {
        let (index, text) = match route {
            RequestRoute::Server(index, text) => (index, text),
            RequestRoute::Refused(code, why) => return self.send_error(&id, code, &why).await,
            RequestRoute::Unlisted => return self.send_error(&id, -32602, "no server lists it").await,
        };
        let Some(link) = self.servers.get(index) else { return };
        let Some(ready) = link.ready() else {
            let why = link.failure().unwrap_or_default();
            let why = format!("the server {} cannot be used: {why}", link.name.as_str());
            return self.send_error(&id, -32603, &why).await;
        };
        let request =
            PendingRequest { server: index, id: id.as_str().to_owned(), progress: frame.progress_key() };
        if !self.state().pending.begin(key, request) {
            let why = format!("the id {} is in use, or too many requests wait; use a new id", id.as_str());
            return self.send_error(&id, -32600, &why).await;
        }
        let meta = ready.meta.filter(|_| frame.own_version().is_none());
        let text = match (meta, HubFrame::read(&text)) {
            (Some(meta), Ok(frame)) => frame.with_meta(&meta),
            _ => text,
        };
        if !link.send(&text).await && self.state().pending.end(key, index).is_some() {
            let why = format!("the server {} has ended", link.name.as_str());
            self.send_error(&id, -32603, &why).await;
        }
    }

    /// Sets the level at all servers that log.
    async fn set_log_level(self: Arc<Self>, id: Json, params: String) {
        let mut failure = None;
        for (index, ready) in self.ready_servers() {
            if ready.is_stateless || ready.capability("logging").is_none() {
                continue;
            }
            let Some(link) = self.servers.get(index) else { continue };
            if let Err(why) = link.request("logging/setLevel", &params, self.options.answer_limit).await {
                failure = Some(format!("{}: {why}", link.name.as_str()));
            }
        }
        match failure {
            None => self.send_result(&id, "{}").await,
            Some(why) => self.send_error(&id, -32602, &why).await,
        }
    }

    /// The client's answer to a server request.
    async fn take_client_answer(&self, frame: &HubFrame<'_>, id: &str) {
        let Some((server, id)) = restore_id(id) else { return };
        let link = self.find_server(&server).and_then(|index| self.servers.get(index));
        if let Some(link) = link {
            link.send(&frame.with_id(&id)).await;
        }
    }

    async fn take_client_notification(self: &Arc<Self>, frame: &HubFrame<'_>, method: &str, text: &str) {
        match method {
            "notifications/initialized" => {
                self.state().initialized = Some(text.to_owned());
                for link in &self.servers {
                    link.initialize(text).await;
                }
            }
            "notifications/cancelled" => {
                let Some((_, key)) = frame.param("requestId").and_then(read_id) else { return };
                if self.close_subscription(&key, text).await {
                    return;
                }
                let server = self.state().pending.server_of(&key);
                if let Some(link) = server.and_then(|index| self.servers.get(index)) {
                    link.send(text).await;
                }
            }
            "notifications/progress" => {
                let Some(part) = frame.param("progressToken") else { return };
                let Some((server, token)) = restore_id(part) else { return };
                let link = self.find_server(&server).and_then(|index| self.servers.get(index));
                if let Some(link) = link {
                    link.send(&frame.with(part, &token)).await;
                }
            }
            _ => {
                for (index, ready) in self.ready_servers() {
                    if let Some(link) = self.servers.get(index).filter(|_| !ready.is_stateless) {
                        link.send(text).await;
                    }
                }
            }
        }
    }
}
