//! Requests to a server on streamable HTTP: sent once, and answered in any case.

use super::{
    http_answer::{AnswerBody, SentRequest, first_answer, read_answer, read_session_stream, status_error},
    http_session::{HttpSession, OpenPost, SESSION, SessionFacts},
};
use crate::{
    HubFrame,
    answer_text::{outcome_unknown_error, protocol_error},
};
use countersign_api::random_id;
use countersign_events::Json;
use reqwest::StatusCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl HttpSession {
    /// Sends a request, and passes the messages of its answer on.
    pub(crate) async fn request(self: Arc<Self>, text: &str, id: &Json, key: &str) {
        let Ok(frame) = HubFrame::read(text) else { return };
        let is_initialize = frame.method.as_deref() == Some("initialize");
        let abandoned = CancellationToken::new();
        let post = OpenPost { is_stateless: frame.own_version().is_some(), abandoned: abandoned.clone() };
        self.open().insert(key.to_owned(), post);
        let failure = tokio::select! {
            sent = self.exchange(text, key, is_initialize) => sent.err(),
            () = self.closing.cancelled() => Some(SentRequest::Lost("the client has ended".to_owned())),
            () = abandoned.cancelled() => Some(SentRequest::Lost("the client cancelled it".to_owned())),
        };
        self.open().remove(key);
        match failure {
            None => {}
            Some(SentRequest::Answered(answer)) => self.emit(&answer).await,
            Some(SentRequest::NotRun(why)) => self.emit(&protocol_error(Some(id), -32603, &why)).await,
            Some(SentRequest::Lost(why)) => {
                let why = format!(
                    "the server at {} may have run this, but its answer is lost: {why}",
                    self.target.shown()
                );
                self.emit(&outcome_unknown_error(id.as_str(), &why)).await;
            }
        }
    }

    async fn exchange(
        self: &Arc<Self>,
        text: &str,
        key: &str,
        is_initialize: bool,
    ) -> Result<(), SentRequest> {
        let facts = if is_initialize {
            let mut facts = self.facts();
            *facts = SessionFacts {
                initialize: Some(text.to_owned()),
                number: facts.number + 1,
                ..SessionFacts::default()
            };
            facts.clone()
        } else {
            self.facts().clone()
        };
        let mut response =
            self.post(text, &facts).await.map_err(|why| SentRequest::failed(&self.target, why))?;
        if response.status() == StatusCode::NOT_FOUND && facts.id.is_some() {
            self.replace_session(facts.number).await?;
            let facts = self.facts().clone();
            response = self.post(text, &facts).await.map_err(|why| SentRequest::failed(&self.target, why))?;
        }
        if !response.status().is_success() {
            return Err(status_error(response, key, &self.target).await);
        }
        if is_initialize {
            self.facts().id = response.headers().get(SESSION).cloned();
        }
        let body = AnswerBody { session: self, key, is_initialize };
        read_answer(body, response).await
    }

    /// Starts a session to replace one that the server does not know any more. Subscriptions and the log level of the
    /// lost session are lost with it.
    async fn replace_session(self: &Arc<Self>, lost: u64) -> Result<(), SentRequest> {
        let not_run = |why: &str| SentRequest::NotRun(format!("the server has lost the session, and {why}"));
        let _replacing = self.replacing.lock().await;
        let facts = self.facts().clone();
        if facts.number != lost {
            return Ok(());
        }
        let initialize = facts.initialize.ok_or_else(|| not_run("the client began none"))?;
        let id = Json::string(&random_id("countersign-session-"));
        let text = HubFrame::read(&initialize).map(|frame| frame.with_id(id.as_str()));
        let text = text.map_err(|_| not_run("it cannot be begun again"))?;
        let fresh = SessionFacts::default();
        let refused = || not_run("refuses another one; restart the client");
        let response =
            self.post(&text, &fresh).await.map_err(|why| SentRequest::failed(&self.target, why))?;
        if !response.status().is_success() {
            return Err(refused());
        }
        let session = response.headers().get(SESSION).cloned();
        let answer = first_answer(response).await.ok_or_else(refused)?;
        {
            let mut facts = self.facts();
            facts.id = session;
            facts.number += 1;
        }
        self.learn_version(&answer);
        self.notify(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        self.listen();
        tracing::warn!(
            server = self.target.shown(),
            "the server had lost the session, and has another one now"
        );
        Ok(())
    }

    /// Reads the session stream, on which the server sends requests and notifications.
    pub(crate) fn listen(self: &Arc<Self>) {
        let session = Arc::clone(self);
        let number = self.facts().number;
        tokio::spawn(async move {
            let closing = session.closing.clone();
            tokio::select! {
                () = read_session_stream(&session, || session.facts().number == number) => {}
                () = closing.cancelled() => {}
            }
        });
    }
}
