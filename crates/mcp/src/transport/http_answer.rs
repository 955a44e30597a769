//! Reading server answers on streamable HTTP: JSON, or an event stream that resumes after its last event.

use super::{http_session::HttpSession, http_target::HttpTarget};
use crate::{HubFrame, hub::split_batch};
use countersign_client::{BodyFailure, SseParser, read_limited_body};
use countersign_json_rpc::{JsonObject, MAX_FRAME_BYTES};
use reqwest::{Response, StatusCode, header::CONTENT_TYPE};
use std::{sync::Arc, time::Duration};

/// The most bytes of an answer to a refused request.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// The pause before a stream is opened again, unless the server asks for another, and the longest.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How often an answer is resumed without a new message.
const MAX_RESUMES: u32 = 5;

/// How a request without an ordinary answer ends.
#[derive(Debug)]
pub(crate) enum SentRequest {
    /// The server answered with this error.
    Answered(String),
    /// The server did not get it, or refused it.
    NotRun(String),
    /// The server may have run it.
    Lost(String),
}

impl SentRequest {
    /// A connection failure.
    pub(crate) fn failed(target: &HttpTarget, why: reqwest::Error) -> Self {
        let is_sent = !why.is_connect() && !why.is_builder();
        let shown = describe_error(&why.without_url());
        if is_sent {
            Self::Lost(shown)
        } else {
            Self::NotRun(format!("the server at {} cannot be reached: {shown}", target.shown()))
        }
    }
}

/// An error with its causes.
fn describe_error(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(why) = cause {
        text = format!("{text}: {why}");
        cause = why.source();
    }
    text
}

/// The request whose answer is read.
pub(crate) struct AnswerBody<'a> {
    pub(crate) session: &'a Arc<HttpSession>,
    /// The canonical id.
    pub(crate) key: &'a str,
    pub(crate) is_initialize: bool,
}

impl AnswerBody<'_> {
    /// Passes a message on. Returns true if it is the answer.
    async fn take_message(&self, text: &str) -> bool {
        let mut is_answer = false;
        for element in split_batch(text) {
            if is_answer_to(element, self.key) {
                is_answer = true;
                if self.is_initialize {
                    self.session.learn_version(element);
                }
            }
            self.session.emit(element).await;
        }
        is_answer
    }
}

fn is_answer_to(text: &str, key: &str) -> bool {
    let frame = HubFrame::read(text);
    frame.is_ok_and(|frame| frame.method.is_none() && frame.id.is_some_and(|(_, own)| own == key))
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

async fn read_body(response: &mut Response, limit: usize) -> Result<Vec<u8>, String> {
    read_limited_body(response, limit).await.map_err(|why| match why {
        BodyFailure::Request(why) => describe_error(&why.without_url()),
        why @ BodyFailure::TooLarge(_) => why.to_string(),
    })
}

/// Reads an answer to its end, and passes its messages on.
pub(crate) async fn read_answer(body: AnswerBody<'_>, mut response: Response) -> Result<(), SentRequest> {
    if is_stream(&response) {
        return read_stream(body, response).await;
    }
    let text = read_body(&mut response, MAX_FRAME_BYTES).await.map_err(SentRequest::Lost)?;
    let text = String::from_utf8(text).map_err(|_| SentRequest::Lost("it is not Unicode".to_owned()))?;
    if body.take_message(text.trim()).await {
        Ok(())
    } else {
        Err(SentRequest::Lost("the server sent another message in its place".to_owned()))
    }
}

async fn read_stream(body: AnswerBody<'_>, response: Response) -> Result<(), SentRequest> {
    let mut parser = SseParser::new(MAX_FRAME_BYTES);
    let (mut response, mut attempts) = (response, 0);
    loop {
        let why = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => {
                    let events = parser.read(&chunk).map_err(|why| SentRequest::Lost(why.to_string()))?;
                    for event in events.iter().filter(|event| !event.data.is_empty()) {
                        attempts = 0;
                        if body.take_message(&event.data).await {
                            return Ok(());
                        }
                    }
                }
                Ok(None) => break "the stream ended".to_owned(),
                Err(why) => break describe_error(&why.without_url()),
            }
        };
        let Some(last) = parser.last_id.clone().filter(|_| attempts < MAX_RESUMES) else {
            return Err(SentRequest::Lost(why));
        };
        attempts += 1;
        pause(retry_pause(&parser, attempts)).await;
        match body.session.get(Some(&last)).await {
            Ok(resumed) if resumed.status().is_success() && is_stream(&resumed) => {
                let retry = parser.retry;
                parser = SseParser::new(MAX_FRAME_BYTES);
                (parser.last_id, parser.retry) = (Some(last), retry);
                response = resumed;
            }
            Ok(refused) => {
                return Err(SentRequest::Lost(format!(
                    "{why}, and it cannot be resumed: HTTP {}",
                    refused.status()
                )));
            }
            // The next attempt may reach the server.
            Err(_) => {}
        }
    }
}

fn retry_pause(parser: &SseParser, attempts: u32) -> Duration {
    let asked = parser.retry.map_or(PAUSE, Duration::from_millis);
    (asked * attempts.max(1)).min(LONGEST_PAUSE)
}

/// Reads the session stream until the server offers none, or `is_current` is false.
pub(crate) async fn read_session_stream(session: &Arc<HttpSession>, is_current: impl Fn() -> bool) {
    let mut parser = SseParser::new(MAX_FRAME_BYTES);
    let mut attempts = 0;
    while is_current() {
        match session.get(parser.last_id.as_deref()).await {
            Ok(mut response) if response.status().is_success() && is_stream(&response) => {
                while let Ok(Some(chunk)) = response.chunk().await {
                    let Ok(events) = parser.read(&chunk) else { return };
                    for event in events.iter().filter(|event| !event.data.is_empty()) {
                        attempts = 0;
                        for element in split_batch(&event.data) {
                            session.emit(element).await;
                        }
                    }
                }
            }
            // It is optional: 405. Other refusals do not change either.
            Ok(response) if !response.status().is_server_error() => return,
            _ => {}
        }
        attempts += 1;
        let (last, retry) = (parser.last_id.clone(), parser.retry);
        parser = SseParser::new(MAX_FRAME_BYTES);
        (parser.last_id, parser.retry) = (last, retry);
        pause(retry_pause(&parser, attempts)).await;
    }
}

/// The first answer in a response, for requests of the gateway itself.
pub(crate) async fn first_answer(mut response: Response) -> Option<String> {
    let is_result = |text: &str| JsonObject::read(text).is_some_and(|frame| frame.get("result").is_some());
    if !is_stream(&response) {
        let body = read_body(&mut response, MAX_FRAME_BYTES).await.ok()?;
        return String::from_utf8(body).ok().filter(|text| is_result(text));
    }
    let mut parser = SseParser::new(MAX_FRAME_BYTES);
    while let Ok(Some(chunk)) = response.chunk().await {
        let events = parser.read(&chunk).ok()?;
        if let Some(found) = events.into_iter().find(|event| is_result(&event.data)) {
            return Some(found.data);
        }
    }
    None
}

/// What an unsuccessful answer means. The server may have started the work before it, or a proxy in front of it, failed
/// (5xx).
pub(crate) async fn status_error(mut response: Response, key: &str, target: &HttpTarget) -> SentRequest {
    let status = response.status();
    let body = read_body(&mut response, MAX_ERROR_BYTES).await.unwrap_or_default();
    let text = String::from_utf8(body).unwrap_or_default();
    if is_answer_to(text.trim(), key) {
        return SentRequest::Answered(text.trim().to_owned());
    }
    // The answer to a request that the server could not read has no id.
    let told =
        JsonObject::read(text.trim()).and_then(|answer| answer.get("error")).and_then(JsonObject::read);
    let told = told.and_then(|error| error.get_as::<String>("message")).unwrap_or_default();
    let shown = target.shown();
    let told = if told.is_empty() { told } else { format!(": {told}") };
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => SentRequest::NotRun(format!(
            "the server at {shown} refuses the credentials (HTTP {status}){told}; set the header Authorization"
        )),
        status if status.is_redirection() => SentRequest::NotRun(format!(
            "the server at {shown} has another address (HTTP {status}); name it, redirects are not followed"
        )),
        status if status.is_server_error() => SentRequest::Lost(format!("HTTP {status}{told}")),
        status => {
            SentRequest::NotRun(format!("the server at {shown} refused the request: HTTP {status}{told}"))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a retry waits for the machine, not for the log's time")]
async fn pause(span: Duration) {
    tokio::time::sleep(span).await;
}
