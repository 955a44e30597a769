//! One gateway behind the HTTP endpoint, and the open responses and streams through which its frames reach clients.

use super::endpoint_options::ClientSessionStreams;
use crate::{
    ClientReader, HubFrame, client_frame::read_id, gateway::write_frames, hub::split_batch, restore_id,
};
use countersign_events::Timestamp;
use countersign_json_rpc::{LineRead, read_line};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{io::BufReader, sync::mpsc};

/// The most frames that wait for a client stream.
const MAX_BACKLOG: usize = 256;

/// The number of frames that wait to be written in each direction.
const QUEUED_FRAMES: usize = 64;

/// The most requests of one session that are not answered.
const MAX_OPEN: usize = 1_000;

/// An open response, which ends with its last answer.
#[derive(Clone)]
struct OpenResponse {
    frames: mpsc::Sender<String>,
    /// The token for the progress of its request.
    progress: Option<String>,
}

#[derive(Default)]
struct SessionRoutes {
    /// The open responses, by the canonical id of the request; without a session, by the response's mark.
    responses: HashMap<String, OpenResponse>,
    /// The stream that the client has opened with GET.
    stream: Option<mpsc::Sender<String>>,
    backlog: VecDeque<String>,
    is_ended: bool,
}

/// One gateway behind the HTTP endpoint.
pub(crate) struct ClientSession {
    to_gateway: Mutex<Option<mpsc::Sender<String>>>,
    routes: Mutex<SessionRoutes>,
    last_used: Mutex<Timestamp>,
    /// Whether each request carries its protocol version, so that many clients share this gateway.
    is_stateless: bool,
}

impl ClientSession {
    /// Starts to read gateway frames.
    pub(crate) fn start(streams: ClientSessionStreams, is_stateless: bool, now: Timestamp) -> Arc<Self> {
        let (to_gateway, frames) = mpsc::channel(QUEUED_FRAMES);
        tokio::spawn(write_frames(frames, streams.input));
        let session = Arc::new(Self {
            to_gateway: Mutex::new(Some(to_gateway)),
            routes: Mutex::default(),
            last_used: Mutex::new(now),
            is_stateless,
        });
        tokio::spawn(read_gateway(Arc::clone(&session), streams.output));
        session
    }

    fn routes(&self) -> MutexGuard<'_, SessionRoutes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.routes().is_ended
    }

    /// Notes that the client uses the session.
    pub(crate) fn touch(&self, now: Timestamp) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Returns true if the client has not used the session for this time, and waits for nothing.
    pub(crate) fn is_idle(&self, now: Timestamp, limit: Duration) -> bool {
        let last = *self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        let routes = self.routes();
        let waits = routes.stream.as_ref().is_some_and(|stream| !stream.is_closed())
            || routes.responses.values().any(|response| !response.frames.is_closed());
        !waits && now.since(last) > limit
    }

    /// Ends the session: the gateway sees the end of its client.
    pub(crate) fn close(&self) {
        self.to_gateway.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Sends a frame to the gateway; false if it has ended.
    pub(crate) async fn send(&self, text: &str) -> bool {
        let sender = self.to_gateway.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match sender {
            Some(sender) => sender.send(text.replace('\n', " ")).await.is_ok(),
            None => false,
        }
    }

    /// Opens a response for a request; false if its id is in use, or if there are too many.
    pub(crate) fn open_response(
        &self,
        key: &str,
        progress: Option<String>,
        frames: mpsc::Sender<String>,
    ) -> bool {
        let mut routes = self.routes();
        let is_free =
            !routes.is_ended && routes.responses.len() < MAX_OPEN && !routes.responses.contains_key(key);
        if is_free {
            routes.responses.insert(key.to_owned(), OpenResponse { frames, progress });
        }
        is_free
    }

    /// Removes a response that is not needed. Returns true if it was not answered.
    pub(crate) fn close_response(&self, key: &str) -> bool {
        self.routes().responses.remove(key).is_some()
    }

    /// Opens the session stream instead of an earlier one, and returns the frames that wait for it.
    pub(crate) fn open_stream(&self, frames: mpsc::Sender<String>) -> VecDeque<String> {
        let mut routes = self.routes();
        routes.stream = Some(frames);
        std::mem::take(&mut routes.backlog)
    }

    async fn take_gateway_frame(&self, text: &str) {
        let Ok(frame) = HubFrame::read(text) else { return };
        if self.is_stateless {
            return self.take_marked_frame(&frame).await;
        }
        let target = {
            let mut routes = self.routes();
            match (&frame.method, &frame.id) {
                // Without a response that waits for it, the client has given the request up.
                (None, Some((_, key))) => match routes.responses.remove(key) {
                    Some(response) => Some(response.frames),
                    None => return,
                },
                (Some(method), None) if method == "notifications/progress" => {
                    let token = frame.param("progressToken").and_then(read_id).map(|(_, key)| key);
                    let mut open = routes.responses.values();
                    open.find(|open| token.is_some() && open.progress == token)
                        .map(|open| open.frames.clone())
                }
                _ => None,
            }
        };
        self.deliver(target, text.to_owned()).await;
    }

    /// Sends a frame to its response, to the session stream, or to any open response. It waits for the next stream if
    /// the client has none.
    async fn deliver(&self, target: Option<mpsc::Sender<String>>, text: String) {
        let mut text = text;
        let has_target = target.is_some();
        let candidates: Vec<_> = {
            let routes = self.routes();
            let any = routes.responses.values().map(|open| open.frames.clone()).filter(|_| !has_target);
            target.into_iter().chain(routes.stream.clone()).chain(any).collect()
        };
        for candidate in candidates {
            match candidate.send(text).await {
                Ok(()) => return,
                Err(unsent) => text = unsent.0,
            }
        }
        let mut routes = self.routes();
        if routes.backlog.len() >= MAX_BACKLOG {
            routes.backlog.pop_front();
        }
        routes.backlog.push_back(text);
    }

    /// Without a session, ids and tokens carry the mark of their response. Other frames belong to no client.
    async fn take_marked_frame(&self, frame: &HubFrame<'_>) {
        let meta = frame.meta();
        let subscription = meta.as_ref().and_then(|meta| meta.get("io.modelcontextprotocol/subscriptionId"));
        let part = match (&frame.method, &frame.id) {
            (None, Some(_)) => frame.member("id"),
            (Some(method), None) if method == "notifications/progress" => frame.param("progressToken"),
            (Some(method), None) if method == "notifications/cancelled" => frame.param("requestId"),
            _ => subscription,
        };
        let Some((part, (mark, own))) = part.and_then(|part| Some((part, restore_id(part)?))) else { return };
        let target = {
            let mut routes = self.routes();
            if frame.method.is_none() {
                routes.responses.remove(&mark)
            } else {
                routes.responses.get(&mark).cloned()
            }
        };
        if let Some(target) = target {
            // A client that has closed its response wants nothing more.
            let _ = target.frames.send(frame.with(part, &own)).await;
        }
    }

    fn end(&self) {
        self.close();
        let mut routes = self.routes();
        *routes = SessionRoutes { is_ended: true, ..SessionRoutes::default() };
    }
}

async fn read_gateway(session: Arc<ClientSession>, output: ClientReader) {
    let mut reader = BufReader::new(output);
    loop {
        match read_line(&mut reader).await {
            LineRead::Line(line) => {
                let text = String::from_utf8_lossy(&line);
                for element in split_batch(&text) {
                    session.take_gateway_frame(element).await;
                }
            }
            LineRead::TooLong => {}
            LineRead::End => break,
        }
    }
    session.end();
}
