//! A server on streamable HTTP, as two streams of frames: each frame of the gateway is a POST, and the messages in the
//! answers and in the session's stream are the server's frames.

use super::{http_session::HttpSession, http_target::HttpTarget};
use crate::{
    ClientReader, ClientWriter, HubFrame, client_frame::read_id, gateway::write_frames, hub::split_batch,
};
use countersign_api::GateError;
use countersign_client::new_service_client;
use countersign_json_rpc::{LineRead, read_line};
use std::{sync::Arc, time::Duration};
use tokio::{io::BufReader, sync::mpsc};

/// The bytes that wait between the gateway and the connection.
const PIPE_BYTES: usize = 64 * 1024;

/// The number of frames that wait for the gateway.
const QUEUED_FRAMES: usize = 64;

/// The time that open requests have after the client has ended.
const END_LIMIT: Duration = Duration::from_secs(5);

/// The streams of one server on streamable HTTP.
pub struct HttpServerStreams {
    /// From the server.
    pub output: ClientReader,
    /// To the server.
    pub input: ClientWriter,
}

/// Connects to a server on streamable HTTP, which the system's authorities vouch for. It is reached with the first frame.
pub fn connect_http_server(target: HttpTarget) -> Result<HttpServerStreams, GateError> {
    let client = new_service_client(None, target.is_local())?;
    let (input, own_input) = tokio::io::duplex(PIPE_BYTES);
    let (own_output, output) = tokio::io::duplex(PIPE_BYTES);
    let (to_client, frames) = mpsc::channel(QUEUED_FRAMES);
    tokio::spawn(write_frames(frames, Box::new(own_output)));
    let session = Arc::new(HttpSession::new(client, target, to_client));
    tokio::spawn(read_frames(session, Box::new(own_input)));
    Ok(HttpServerStreams { output: Box::new(output), input: Box::new(input) })
}

async fn read_frames(session: Arc<HttpSession>, input: ClientReader) {
    let mut reader = BufReader::new(input);
    loop {
        match read_line(&mut reader).await {
            LineRead::Line(line) => {
                let text = String::from_utf8_lossy(&line);
                for element in split_batch(&text) {
                    send_frame(&session, element).await;
                }
            }
            // The gateway has the same limit.
            LineRead::TooLong => {}
            LineRead::End => break,
        }
    }
    // The results of calls that run are recorded, although the client is gone.
    session.requests.close();
    let _ = tokio::time::timeout(END_LIMIT, session.requests.wait()).await;
    session.closing.cancel();
    let _ = tokio::time::timeout(END_LIMIT, session.delete()).await;
}

/// Sends a frame. Requests run at the same time; other frames keep their order.
async fn send_frame(session: &Arc<HttpSession>, text: &str) {
    let Ok(frame) = HubFrame::read(text) else {
        tracing::warn!("a frame that is not one message of JSON-RPC is not sent");
        return;
    };
    match (&frame.method, &frame.id) {
        (Some(_), Some((id, key))) => {
            let session = Arc::clone(session);
            let (text, id, key) = (text.to_owned(), id.clone(), key.clone());
            let requests = session.requests.clone();
            requests.spawn(async move { session.request(&text, &id, &key).await });
        }
        (Some(method), None) => {
            let cancelled = frame.param("requestId").filter(|_| method == "notifications/cancelled");
            let cancelled = cancelled.and_then(read_id);
            if !cancelled.is_some_and(|(_, key)| session.abandon_stateless(&key)) {
                session.notify(text).await;
            }
            if method == "notifications/initialized" {
                session.listen();
            }
        }
        (None, _) => session.notify(text).await,
    }
}
