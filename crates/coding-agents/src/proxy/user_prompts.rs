//! Questions that the client shows to its user. They pass to the client, and after a while people may answer them in the inbox, too.
//! The first answer reaches the agent; the call of the other place is withdrawn, or the other answer is left out.

use super::{
    frame::JsonRpcFrame,
    question::EndedTurn,
    terms::ProxyTerms,
    user_prompt::{UserPrompt, ask_people},
};
use countersign_api::{CancelRequest, ErrorCode, GateError, Json, ResultRequest, SharedCallGate, random_id};
use countersign_events::Status;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

/// What became of a client's answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientAnswer {
    /// It is about something else, or the first answer.
    Passes,
    /// People have answered before.
    IsLate,
}

/// A question that nobody has answered yet.
struct OpenPrompt {
    frame: JsonRpcFrame,
    prompt: UserPrompt,
    executor: String,
    task: AbortHandle,
}

/// How people answered: the request's id, and the agent's result.
type PeopleAnswer = (String, Json);

/// The questions that the client shows to its user.
pub(super) struct UserPrompts {
    gate: SharedCallGate,
    terms: ProxyTerms,
    open: HashMap<String, OpenPrompt>,
    /// The requests that people have answered, and whose late answer by the client is left out.
    answered: HashSet<String>,
    sender: mpsc::UnboundedSender<PeopleAnswer>,
    tasks: JoinSet<()>,
}

impl UserPrompts {
    pub(super) fn new(
        gate: SharedCallGate,
        terms: ProxyTerms,
    ) -> (Self, mpsc::UnboundedReceiver<PeopleAnswer>) {
        let (sender, answers) = mpsc::unbounded_channel();
        let (open, answered, tasks) = (HashMap::new(), HashSet::new(), JoinSet::new());
        (Self { gate, terms, open, answered, sender, tasks }, answers)
    }

    /// Follows a question that passes to the client.
    pub(super) fn follow(&mut self, frame: JsonRpcFrame, prompt: UserPrompt) {
        let Some(key) = frame.id.as_ref().map(|id| id.as_str().to_owned()) else { return };
        let executor = random_id(&format!("{}:{}:", self.terms.executor, prompt.request.id));
        let (gate, terms, sender) = (Arc::clone(&self.gate), self.terms.clone(), self.sender.clone());
        let (asked, name, own) = (prompt.clone(), executor.clone(), key.clone());
        let task = self.tasks.spawn(async move {
            pause(terms.questions_after).await;
            match ask_people(&gate, &asked, &name, terms.lease_seconds).await {
                // The relay has ended if nothing receives it.
                Ok(Some(result)) => drop(sender.send((own, result))),
                Ok(None) => {}
                Err(error) => (terms.note)(&format!("{} is not in the inbox: {error}", asked.request.id)),
            }
        });
        self.open.insert(key, OpenPrompt { frame, prompt, executor, task });
    }

    /// Takes the answer of people. Returns the request to answer, if the client has not answered it.
    pub(super) fn take_people_answer(&mut self, key: &str) -> Option<JsonRpcFrame> {
        let open = self.open.remove(key)?;
        self.answered.insert(key.to_owned());
        Some(open.frame)
    }

    /// Takes a client's response. Its answer to an open question ends the question.
    pub(super) fn take_client_answer(&mut self, frame: &JsonRpcFrame) -> ClientAnswer {
        let Some(id) = frame.id.as_ref().filter(|_| frame.method.is_none()) else {
            return ClientAnswer::Passes;
        };
        if self.answered.remove(id.as_str()) {
            return ClientAnswer::IsLate;
        }
        if let Some(open) = self.open.remove(id.as_str()) {
            self.withdraw(&open, "answered by the user of the agent's client");
        }
        ClientAnswer::Passes
    }

    /// Withdraws the questions of a turn that the client ended.
    pub(super) fn end_turn(&mut self, ended: &EndedTurn) {
        let is_ended = |open: &OpenPrompt| {
            open.prompt.thread.as_str() == ended.thread
                && (ended.turn.is_none() || open.prompt.turn.is_none() || ended.turn == open.prompt.turn)
        };
        let keys: Vec<_> =
            self.open.iter().filter(|(_, open)| is_ended(open)).map(|(key, _)| key.clone()).collect();
        for open in keys.iter().filter_map(|key| self.open.remove(key)).collect::<Vec<_>>() {
            self.withdraw(&open, "the turn of the agent was cancelled");
        }
    }

    fn withdraw(&mut self, open: &OpenPrompt, reason: &'static str) {
        open.task.abort();
        let (gate, note) = (Arc::clone(&self.gate), Arc::clone(&self.terms.note));
        let (thread, id) = (open.prompt.thread.clone(), open.prompt.request.id.clone());
        let executor = Some(open.executor.clone());
        self.tasks.spawn(async move {
            let cancel = CancelRequest { reason: Some(reason.to_owned()) };
            let failed = match gate.cancel(&thread, &id, &cancel).await {
                Err(error) if error.code == ErrorCode::AlreadyClaimed => {
                    let (status, content) = (Status::Cancelled, Json::string(reason));
                    let result = ResultRequest { status, content, executor, ran_arguments: None };
                    gate.finish(&thread, &id, &result).await.err()
                }
                done => done.err(),
            };
            // It was not in the inbox yet, or people decided at the same moment.
            let is_expected = |error: &GateError| {
                matches!(
                    error.code,
                    ErrorCode::UnknownCall
                        | ErrorCode::UnknownThread
                        | ErrorCode::AlreadyDecided
                        | ErrorCode::AlreadyFinished
                )
            };
            if let Some(error) = failed.filter(|error| !is_expected(error)) {
                note(&format!("{id} could not be withdrawn: {error}"));
            }
        });
    }

    /// Withdraws the open questions, because the agent has ended, and waits until that is done.
    pub(super) async fn end(mut self) {
        for open in std::mem::take(&mut self.open).into_values() {
            self.withdraw(&open, "the agent has ended");
        }
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Waits while the client's user may answer.
#[expect(clippy::disallowed_methods, reason = "the client's user answers in the time of the machine")]
async fn pause(span: Duration) {
    tokio::time::sleep(span).await;
}
