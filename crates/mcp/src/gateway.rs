//! The gateway itself: it copies frames in both directions and takes the calls of tools out of the stream.

use crate::{
    BadFrame, ClientFrame, GatewayOptions, ServerFrame, ToolCallFrame,
    answer_text::protocol_error,
    call_table::CallTable,
    gated_call::GatedCall,
    gateway_core::{GatewayCore, ServerSender},
    open_requests::{AnswerRoute, CancelRoute, OpenRequests},
    read_client_frame, read_server_frame,
    request_state::RequestStates,
    round_parts::add_form_capability,
    without_carriage_returns,
};
use countersign_api::{SharedGate, random_id};
use countersign_events::Json;
use countersign_json_rpc::{LineRead, MAX_FRAME_BYTES, read_line};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::mpsc,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// A stream from which the gateway reads frames.
pub type ClientReader = Box<dyn AsyncRead + Send + Unpin>;
/// A stream to which the gateway writes frames.
pub type ClientWriter = Box<dyn AsyncWrite + Send + Unpin>;

/// The number of frames that wait to be written in each direction.
const QUEUED_FRAMES: usize = 64;

/// The four streams of a gateway.
pub struct GatewayStreams {
    /// From the client.
    pub client_input: ClientReader,
    /// To the client.
    pub client_output: ClientWriter,
    /// From the server.
    pub server_output: ClientReader,
    /// To the server. It is closed when the client has ended.
    pub server_input: ClientWriter,
}

/// Runs a gateway until the server closes its output, which it does when its input ends.
pub async fn run_gateway(gate: SharedGate, options: GatewayOptions, streams: GatewayStreams) {
    let (to_client, client_frames) = mpsc::channel(QUEUED_FRAMES);
    let (to_server, server_frames) = mpsc::channel(QUEUED_FRAMES);
    let client_writer = tokio::spawn(write_frames(client_frames, streams.client_output));
    tokio::spawn(write_frames(server_frames, streams.server_input));
    let instance = random_id(&format!("mcp-{}-", std::process::id()));
    let now = Arc::clone(&options.now);
    let core = Arc::new(GatewayCore {
        calls: CallTable::new(gate, options.thread.clone(), instance, now),
        options,
        requests: OpenRequests::default(),
        tasks: TaskTracker::new(),
        closing: CancellationToken::new(),
        to_client,
        states: RequestStates::default(),
        opens_urls: AtomicBool::new(false),
        shows_forms: AtomicBool::new(true),
        forms: Mutex::default(),
        catalog: Mutex::default(),
        catalog_reading: tokio::sync::Mutex::default(),
    });
    let answers = to_server.downgrade();
    let client = tokio::spawn(read_client(Arc::clone(&core), streams.client_input, to_server));
    read_server(&core, streams.server_output, &answers).await;
    core.requests.end_server();
    client.abort();
    let _ = client.await;
    core.closing.cancel();
    core.tasks.close();
    core.tasks.wait().await;
    // The writer ends after the last frame, once no sender is left.
    drop(core);
    let _ = client_writer.await;
}

pub(crate) async fn write_frames(mut frames: mpsc::Receiver<String>, mut to: ClientWriter) {
    while let Some(mut frame) = frames.recv().await {
        frame.push('\n');
        if to.write_all(frame.as_bytes()).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

async fn read_client(core: Arc<GatewayCore>, input: ClientReader, to_server: ServerSender) {
    let mut reader = BufReader::new(input);
    loop {
        match read_line(&mut reader).await {
            LineRead::Line(line) => match String::from_utf8(line) {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => core.take_client_frame(text, &to_server).await,
                Err(_) => core.refuse(&BadFrame::Syntax).await,
            },
            LineRead::TooLong => {
                let why = format!("the frame is too long; the limit is {MAX_FRAME_BYTES} bytes");
                core.send_to_client(protocol_error(None, -32600, &why)).await;
            }
            LineRead::End => break,
        }
    }
    core.closing.cancel();
}

async fn read_server(core: &Arc<GatewayCore>, output: ClientReader, to_server: &mpsc::WeakSender<String>) {
    let mut reader = BufReader::new(output);
    loop {
        match read_line(&mut reader).await {
            LineRead::Line(line) => {
                core.take_server_frame(String::from_utf8_lossy(&line).into_owned(), to_server).await;
            }
            LineRead::TooLong => {
                tracing::error!("a frame of the server is longer than {MAX_FRAME_BYTES} bytes");
            }
            LineRead::End => return,
        }
    }
}

impl GatewayCore {
    async fn refuse(&self, bad: &BadFrame) {
        self.send_to_client(protocol_error(bad.id(), bad.code(), &bad.to_string())).await;
    }

    async fn take_client_frame(self: &Arc<Self>, text: String, to_server: &ServerSender) {
        match read_client_frame(&text) {
            Ok(ClientFrame::Batch(elements)) => {
                for element in elements {
                    self.take_single_frame(read_client_frame(&element), element, to_server).await;
                }
            }
            parsed => self.take_single_frame(parsed, text, to_server).await,
        }
    }

    async fn take_single_frame(
        self: &Arc<Self>,
        parsed: Result<ClientFrame, BadFrame>,
        mut text: String,
        to_server: &ServerSender,
    ) {
        match parsed {
            Ok(ClientFrame::ToolCall(frame)) => return self.start_call(*frame, to_server).await,
            Ok(
                ClientFrame::ToolList { id }
                | ClientFrame::Initialize { id, .. }
                | ClientFrame::Other { id: Some(id) },
            ) if self.requests.is_in_use(&id) => {
                return self.refuse_used_id(&id).await;
            }
            Ok(ClientFrame::ToolList { id }) => self.requests.begin_list(&id),
            Ok(ClientFrame::Cancelled { id, cancellation }) => {
                if self.requests.cancel(&id, cancellation) == CancelRoute::Withheld {
                    return;
                }
            }
            Ok(ClientFrame::Initialize { opens_urls, shows_forms, .. }) => {
                self.opens_urls.store(opens_urls, Ordering::SeqCst);
                self.shows_forms.store(shows_forms, Ordering::SeqCst);
                if !shows_forms {
                    text = add_form_capability(&text);
                }
            }
            Ok(ClientFrame::Answer { id }) if !self.end_form(&id) => return,
            // The decision is made on the page, and not by this answer.
            Ok(ClientFrame::OwnAnswer) => return,
            Ok(ClientFrame::Answer { .. } | ClientFrame::Other { .. }) => {}
            // A batch in a batch is not JSON-RPC.
            Ok(ClientFrame::Batch(_)) => return self.refuse(&BadFrame::Syntax).await,
            Err(bad) => return self.refuse(&bad).await,
        }
        // The server may be gone; then its output ends, too.
        let _ = to_server.send(without_carriage_returns(&text)).await;
    }

    /// An answer must belong to one request, so that no other answer is recorded as a call's result.
    async fn refuse_used_id(&self, id: &str) {
        let why = format!("the id {id} belongs to a call of a tool that is not answered yet; use a new id");
        self.send_to_client(protocol_error(Json::parse(id).ok().as_ref(), -32600, &why)).await;
    }

    async fn start_call(self: &Arc<Self>, frame: ToolCallFrame, to_server: &ServerSender) {
        let Some(cancelled) = self.requests.begin(&frame.id_key) else {
            return self.refuse_used_id(&frame.id_key).await;
        };
        let core = Arc::clone(self);
        let id = frame.id_key.clone();
        let gated = GatedCall { core: Arc::clone(self), frame, to_server: to_server.clone(), cancelled };
        self.tasks.spawn(async move {
            let answer = gated.answer().await;
            core.requests.end(&id);
            if let Some(answer) = answer {
                core.send_to_client(answer).await;
            }
        });
    }

    async fn take_server_frame(self: &Arc<Self>, text: String, to_server: &mpsc::WeakSender<String>) {
        match read_server_frame(&text) {
            ServerFrame::Answer { id } => match self.requests.route_answer(&id, &text) {
                AnswerRoute::Taken => return,
                AnswerRoute::ToolList => {
                    self.catalog().add_page(&text, self.options.trust_hints);
                    let core = Arc::clone(self);
                    self.tasks.spawn(async move {
                        let described = core.describe_tools(text).await;
                        core.send_to_client(described).await;
                    });
                    return;
                }
                AnswerRoute::Client => {}
            },
            ServerFrame::Form(form) => {
                if !self.take_form(*form, to_server) {
                    return;
                }
            }
            ServerFrame::Cancelled { id } => drop(self.end_form(&id)),
            ServerFrame::ToolsChanged => self.catalog().clear(),
            ServerFrame::Other => {}
        }
        self.send_to_client(text).await;
    }
}
