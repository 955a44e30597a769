//! A server that is started again when it ends while its client is there.
//!
//! It stands between the gateway and the process. It answers what the lost process was to answer, greets the new process as the
//! client greeted the first one, and says that the lists may have changed. A server that ends before it has answered anything is
//! not started again, and one that ends [`MAX_RESTARTS`] times without an answer between is given up.

use crate::{
    ClientReader, ClientWriter,
    answer_text::{outcome_unknown_error, protocol_error},
    client_frame::read_id,
    gateway::write_frames,
};
use countersign_events::Json;
use countersign_json_rpc::{JsonObject, LineRead, range_of, read_line, splice};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    io::BufReader,
    sync::{mpsc, watch},
};

/// How often a server is started again without an answer between.
pub const MAX_RESTARTS: u32 = 3;

/// The number of frames that wait to be written in each direction.
const QUEUED_FRAMES: usize = 64;

/// The bytes that wait between the gateway and this.
const PIPE_BYTES: usize = 64 * 1024;

/// The time in which a new process must answer the greeting.
const GREETING_LIMIT: Duration = Duration::from_secs(30);

/// The most requests whose answers are awaited.
const MAX_AWAITED: usize = 10_000;

/// The id of the greeting that a new process gets, as JSON.
const GREETING_ID: &str = "\"countersign-restart\"";

const TOOLS_CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

/// The server streams.
pub struct ServerStreams {
    /// From the server.
    pub output: ClientReader,
    /// To the server. It is closed when the client has ended.
    pub input: ClientWriter,
}

/// Starts the server again. `None` if it shall not run any more.
pub type ServerStarter = Box<dyn FnMut() -> Option<ServerStreams> + Send + Sync>;

/// Keeps a server running: returns streams that outlive its process. `note` tells the user about each start.
#[must_use]
pub fn keep_server_running(
    first: ServerStreams,
    start_again: ServerStarter,
    note: Arc<dyn Fn(&str) + Send + Sync>,
) -> ServerStreams {
    let (input, from_gateway) = tokio::io::duplex(PIPE_BYTES);
    let (to_gateway, output) = tokio::io::duplex(PIPE_BYTES);
    tokio::spawn(async move {
        let (frames, gateway_frames) = mpsc::channel(QUEUED_FRAMES);
        let writer = tokio::spawn(write_frames(gateway_frames, Box::new(to_gateway)));
        let kept = Arc::new(KeptServer::new());
        let client = tokio::spawn(pass_client_frames(Arc::clone(&kept), Box::new(from_gateway)));
        ServerRun { kept, to_gateway: frames, start_again, note }.run(first).await;
        client.abort();
        let _ = client.await;
        let _ = writer.await;
    });
    ServerStreams { output: Box::new(output), input: Box::new(input) }
}

/// A request that the server has not answered.
struct AwaitedAnswer {
    /// The id as it is written.
    id: String,
    /// Whether the request may have changed something.
    is_call: bool,
}

#[derive(Default)]
struct KeptState {
    awaited: HashMap<String, AwaitedAnswer>,
    /// `initialize` of the client, and its `notifications/initialized`.
    initialize: Option<String>,
    initialized: Option<String>,
    restarts_left: u32,
    /// The client has ended.
    is_closed: bool,
}

/// The parts that both directions share.
struct KeptServer {
    state: Mutex<KeptState>,
    /// The input of the running process. `None` while it is started again, and after the client has ended.
    input: watch::Sender<Option<mpsc::Sender<String>>>,
}

impl KeptServer {
    fn new() -> Self {
        Self { state: Mutex::default(), input: watch::Sender::new(None) }
    }

    fn state(&self) -> MutexGuard<'_, KeptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a client frame, and returns the process input for it. `None` while no process runs: a frame must not
    /// be noted for a process that has ended.
    fn note_frame(&self, text: &str) -> Option<mpsc::Sender<String>> {
        let mut state = self.state();
        let input = self.input.borrow().clone()?;
        let Some(frame) = JsonObject::read(text) else { return Some(input) };
        let Some(method) = frame.get_as::<String>("method") else { return Some(input) };
        match frame.get("id").and_then(read_id) {
            Some((id, key)) => {
                if method == "initialize" {
                    state.initialize = Some(text.to_owned());
                }
                if state.awaited.len() < MAX_AWAITED {
                    let awaited =
                        AwaitedAnswer { id: id.as_str().to_owned(), is_call: method == "tools/call" };
                    state.awaited.insert(key, awaited);
                }
            }
            None if method == "notifications/initialized" => state.initialized = Some(text.to_owned()),
            None => {}
        }
        Some(input)
    }

    /// Notes a server answer.
    fn note_answer(&self, text: &str) {
        let Some(frame) = JsonObject::read(text).filter(|frame| frame.get("method").is_none()) else {
            return;
        };
        let Some((_, key)) = frame.get("id").and_then(read_id) else { return };
        let mut state = self.state();
        if state.awaited.remove(&key).is_some() {
            state.restarts_left = MAX_RESTARTS;
        }
    }

    /// Marks the process as lost. Returns the answers to the client, which the process owes.
    fn lose(&self) -> Vec<String> {
        let mut state = self.state();
        self.input.send_replace(None);
        let answers = state.awaited.drain().map(|(_, AwaitedAnswer { id, is_call })| {
            if is_call {
                outcome_unknown_error(
                    &id,
                    "the server ended while it ran this call, which may have had effects",
                )
            } else {
                protocol_error(Json::parse(&id).ok().as_ref(), -32603, "the server ended before it answered")
            }
        });
        answers.collect()
    }

    /// Lets client frames flow to a process, unless the client has ended.
    fn open(&self, input: mpsc::Sender<String>) {
        let state = self.state();
        if !state.is_closed {
            self.input.send_replace(Some(input));
        }
    }

    /// Closes the process input, because the client has ended.
    fn close(&self) {
        self.state().is_closed = true;
        self.input.send_replace(None);
    }

    /// Uses up one start. `None` if none is left, or the client has ended.
    fn use_restart(&self) -> Option<u32> {
        let mut state = self.state();
        if state.is_closed {
            return None;
        }
        state.restarts_left = state.restarts_left.checked_sub(1)?;
        Some(state.restarts_left)
    }
}

/// Passes the client's frames to the process that runs.
async fn pass_client_frames(kept: Arc<KeptServer>, from_gateway: ClientReader) {
    let mut reader = BufReader::new(from_gateway);
    let mut inputs = kept.input.subscribe();
    loop {
        let text = match read_line(&mut reader).await {
            LineRead::Line(line) => String::from_utf8_lossy(&line).into_owned(),
            // The gateway has the same limit.
            LineRead::TooLong => continue,
            LineRead::End => break,
        };
        let input = loop {
            if let Some(input) = kept.note_frame(&text) {
                break input;
            }
            if inputs.changed().await.is_err() {
                return;
            }
        };
        // If the process ends now, its loss answers the request.
        let _ = input.send(text).await;
    }
    // The process sees the end of its input, and is not started again.
    kept.close();
}

/// The run of one server through all of its processes.
struct ServerRun {
    kept: Arc<KeptServer>,
    to_gateway: mpsc::Sender<String>,
    start_again: ServerStarter,
    note: Arc<dyn Fn(&str) + Send + Sync>,
}

impl ServerRun {
    async fn run(mut self, first: ServerStreams) {
        let mut reader = self.begin(first);
        loop {
            while let Some(text) = next_frame(&mut reader).await {
                self.kept.note_answer(&text);
                // A gateway that is gone reads nothing.
                let _ = self.to_gateway.send(text).await;
            }
            for answer in self.kept.lose() {
                let _ = self.to_gateway.send(answer).await;
            }
            reader = loop {
                let Some(left) = self.kept.use_restart() else { return };
                let Some(streams) = (self.start_again)() else { return };
                (self.note)(&format!(
                    "the server ended and is started again; {left} more starts without an answer"
                ));
                if let Some(reader) = self.greet(streams).await {
                    break reader;
                }
            };
        }
    }

    /// Lets client frames flow to a process.
    fn begin(&self, streams: ServerStreams) -> BufReader<ClientReader> {
        let (input, frames) = mpsc::channel(QUEUED_FRAMES);
        tokio::spawn(write_frames(frames, streams.input));
        self.kept.open(input);
        BufReader::new(streams.output)
    }

    /// Greets a new process as the client greeted the first one. `None` if it does not answer.
    async fn greet(&self, streams: ServerStreams) -> Option<BufReader<ClientReader>> {
        let (initialize, initialized) = {
            let state = self.kept.state();
            (state.initialize.clone(), state.initialized.clone())
        };
        let Some(initialize) = initialize else { return Some(self.begin(streams)) };
        let (input, frames) = mpsc::channel(QUEUED_FRAMES);
        tokio::spawn(write_frames(frames, streams.input));
        let mut reader = BufReader::new(streams.output);
        input.send(with_greeting_id(&initialize)).await.ok()?;
        let answered = tokio::time::timeout(GREETING_LIMIT, self.read_to_greeting(&mut reader)).await;
        answered.ok()??;
        if let Some(initialized) = initialized {
            input.send(initialized).await.ok()?;
        }
        self.kept.open(input);
        let _ = self.to_gateway.send(TOOLS_CHANGED.to_owned()).await;
        Some(reader)
    }

    /// Passes frames on up to the answer to the greeting, which the client has had from the first process.
    async fn read_to_greeting(&self, reader: &mut BufReader<ClientReader>) -> Option<()> {
        loop {
            let text = next_frame(reader).await?;
            if let Some(frame) = JsonObject::read(&text).filter(|frame| frame.get("id") == Some(GREETING_ID))
            {
                return frame.get("result").map(|_| ());
            }
            let _ = self.to_gateway.send(text).await;
        }
    }
}

async fn next_frame(reader: &mut BufReader<ClientReader>) -> Option<String> {
    loop {
        match read_line(reader).await {
            LineRead::Line(line) => return Some(String::from_utf8_lossy(&line).into_owned()),
            LineRead::TooLong => tracing::error!("a frame of the server is too long"),
            LineRead::End => return None,
        }
    }
}

fn with_greeting_id(initialize: &str) -> String {
    match JsonObject::read(initialize).and_then(|frame| frame.get("id")) {
        Some(id) => splice(initialize, range_of(initialize, id), GREETING_ID),
        None => initialize.to_owned(),
    }
}

#[cfg(test)]
mod tests;
