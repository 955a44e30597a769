//! The relay of lines between client and agent, which answers the agent's questions for permission.

use super::{
    AgentProtocol,
    frame::{INVALID_PARAMS, JsonRpcFrame, NOT_ALLOWED},
    question::{AgentLine, ApprovalEffect, EndedTurn, PermissionOutcome, PermissionQuestion},
    recent_map::RecentMap,
    terms::ProxyTerms,
    user_prompts::{ClientAnswer, UserPrompts},
};
use crate::{AgentApprovalTerms, ApprovalOutcome, EditSupport, seek_approval};
use countersign_api::{
    CallId, CancelRequest, GateError, Json, Place, ResultRequest, SharedCallGate, ThreadId, random_id,
};
use countersign_events::Status;
use countersign_json_rpc::{LineRead, MAX_FRAME_BYTES, read_line};
use std::{collections::HashMap, io, sync::Arc};
use tokio::{
    io::{AsyncBufRead, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

/// The lines of one direction that wait to be written.
const WAITING_LINES: usize = 64;

/// The most claimed calls whose results are awaited. An older one's outcome shows as unknown.
const MOST_CLAIMED_CALLS: usize = 10_000;

/// A question that waits for its decision.
struct WaitingQuestion {
    frame: JsonRpcFrame,
    question: PermissionQuestion,
    executor: String,
    task: AbortHandle,
    /// The line as the agent sent it.
    line: Vec<u8>,
}

/// A request that passed to the client after its approval.
struct PassedRequest {
    thread: ThreadId,
    call: CallId,
    executor: String,
}

/// How a question ends: its number, and the outcome of its approval.
type DecidedQuestion = (u64, Result<ApprovalOutcome, GateError>);

struct LineRelay<P, A> {
    gate: SharedCallGate,
    protocol: P,
    terms: ProxyTerms,
    agent: Option<A>,
    open: HashMap<u64, WaitingQuestion>,
    /// The claimed calls by thread and item, with their executors.
    claimed: RecentMap<(String, String), (CallId, String)>,
    /// The approved requests that the client carries out, by their id.
    passed: HashMap<String, PassedRequest>,
    prompts: UserPrompts,
    next: u64,
    decided: mpsc::UnboundedSender<DecidedQuestion>,
    /// Questions, and reports to the gate.
    tasks: JoinSet<()>,
}

/// One side of a proxy.
#[derive(Debug)]
pub struct LineStream<R, W> {
    /// What the side writes.
    pub reader: R,
    /// What the side reads.
    pub writer: W,
}

/// Relays the lines between a client and its agent, until the agent closes its output.
pub async fn relay_lines<P: AgentProtocol, A: AsyncWrite + Unpin>(
    gate: SharedCallGate,
    protocol: P,
    terms: ProxyTerms,
    client: LineStream<impl AsyncBufRead + Unpin + Send + 'static, impl AsyncWrite + Unpin>,
    agent: LineStream<impl AsyncBufRead + Unpin + Send + 'static, A>,
) -> io::Result<()> {
    let (decided, mut outcomes) = mpsc::unbounded_channel();
    let (mut from_client, mut from_agent) = (read_lines(client.reader), read_lines(agent.reader));
    let mut client_out = client.writer;
    let (prompts, mut people_answers) = UserPrompts::new(Arc::clone(&gate), terms.clone());
    let mut relay = LineRelay {
        gate,
        protocol,
        terms,
        agent: Some(agent.writer),
        open: HashMap::new(),
        claimed: RecentMap::with_limit(MOST_CLAIMED_CALLS),
        passed: HashMap::new(),
        prompts,
        next: 0,
        decided,
        tasks: JoinSet::new(),
    };
    loop {
        tokio::select! {
            line = from_agent.recv() => match line {
                Some(line) => {
                    let line = line?;
                    if relay.handle_agent(&line).await? {
                        client_out.write_all(&line).await?;
                        client_out.flush().await?;
                    }
                }
                None => break,
            },
            line = from_client.recv(), if relay.agent.is_some() => match line {
                Some(line) => relay.handle_client(&line?).await?,
                // The agent sees the end of its input.
                None => relay.agent = None,
            },
            Some((key, result)) = people_answers.recv() => {
                if let Some(frame) = relay.prompts.take_people_answer(&key) {
                    relay.reply(&frame, &result).await?;
                }
            }
            Some((number, outcome)) = outcomes.recv() => {
                if let Some(line) = relay.finish_question(number, outcome).await? {
                    client_out.write_all(&line).await?;
                    client_out.flush().await?;
                }
            }
        }
    }
    relay.end().await;
    Ok(())
}

/// Reads lines in a task of its own, so that no line is lost between two of them.
fn read_lines(mut from: impl AsyncBufRead + Unpin + Send + 'static) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (lines, received) = mpsc::channel(WAITING_LINES);
    tokio::spawn(async move {
        loop {
            let read = match read_line(&mut from).await {
                LineRead::Line(mut line) => {
                    line.push(b'\n');
                    Ok(line)
                }
                LineRead::TooLong => {
                    Err(io::Error::other(format!("a line has more than {MAX_FRAME_BYTES} bytes")))
                }
                LineRead::End => return,
            };
            let failed = read.is_err();
            if lines.send(read).await.is_err() || failed {
                return;
            }
        }
    });
    received
}

impl<P: AgentProtocol, A: AsyncWrite + Unpin> LineRelay<P, A> {
    /// Handles an agent line. Returns true if it passes to the client.
    async fn handle_agent(&mut self, line: &[u8]) -> io::Result<bool> {
        if line.trim_ascii().is_empty() {
            return Ok(true);
        }
        let Some(frame) = JsonRpcFrame::read(line) else {
            (self.terms.note)("a line of the agent is not a JSON-RPC message and was left out");
            return Ok(false);
        };
        let method = frame.method.clone().unwrap_or_default();
        if self.protocol.is_question(&method) && !frame.is_request() {
            (self.terms.note)(&format!("a {method} of the agent has no id and was left out"));
            return Ok(false);
        }
        match self.protocol.read_agent(&frame) {
            Ok(AgentLine::Pass) => Ok(true),
            Ok(AgentLine::Ask(question)) => {
                self.ask(frame, *question, line);
                Ok(false)
            }
            Ok(AgentLine::AskUser(prompt)) => {
                self.prompts.follow(frame, *prompt);
                Ok(true)
            }
            Ok(AgentLine::Refuse { result, why }) => {
                (self.terms.note)(&why);
                self.reply(&frame, &result).await?;
                Ok(false)
            }
            Ok(AgentLine::Result { thread, item, result }) => {
                self.record(&thread, &item, result);
                Ok(true)
            }
            // The question itself is unusable, so the agent gets an error, which approves nothing.
            Err(error) => {
                (self.terms.note)(&format!("a {method} of the agent was refused: {error}"));
                self.refuse(&frame, INVALID_PARAMS, &error.to_string()).await?;
                Ok(false)
            }
        }
    }

    /// Passes a client line to the agent. A response to a question that waits here is left out: the client does not
    /// decide.
    async fn handle_client(&mut self, line: &[u8]) -> io::Result<()> {
        if let Some(frame) = JsonRpcFrame::read(line) {
            let answers_question = frame.method.is_none()
                && frame.id.is_some()
                && self.open.values().any(|open| open.frame.id == frame.id);
            if answers_question {
                (self.terms.note)(
                    "the client answered a question that it was not asked; its answer was left out",
                );
                return Ok(());
            }
            if self.prompts.take_client_answer(&frame) == ClientAnswer::IsLate {
                (self.terms.note)("the client's answer was left out: people have answered before");
                return Ok(());
            }
            self.record_answer(&frame);
            if let Some(ended) = self.protocol.read_client(&frame) {
                self.prompts.end_turn(&ended);
                self.cancel(&ended).await?;
            }
        }
        self.write(line).await
    }

    fn ask(&mut self, frame: JsonRpcFrame, question: PermissionQuestion, line: &[u8]) {
        let number = self.next;
        self.next += 1;
        // An agent may ask twice about the same item. Each question claims its own call.
        let executor = random_id(&format!("{}:{}:", self.terms.executor, question.request.id));
        let (gate, decided) = (Arc::clone(&self.gate), self.decided.clone());
        let (thread, mut request) = (question.thread.clone(), question.request.clone());
        let (agent, host) = (self.terms.agent.clone(), self.terms.host.clone());
        let place = Place { agent, host, ..request.place.unwrap_or_default() };
        request.place = (place != Place::default()).then_some(place);
        let (name, lease_seconds) = (executor.clone(), self.terms.lease_seconds);
        let task = self.tasks.spawn(async move {
            let terms = AgentApprovalTerms {
                executor: &name,
                wait: None,
                lease_seconds,
                edits: EditSupport::Unsupported,
            };
            let outcome = seek_approval(&*gate, &thread, &request, terms).await;
            // The relay has ended if nothing receives it.
            let _ = decided.send((number, outcome));
        });
        self.open.insert(number, WaitingQuestion { frame, question, executor, task, line: line.to_owned() });
    }

    /// Answers the agent, or returns the line that passes to the client.
    async fn finish_question(
        &mut self,
        number: u64,
        outcome: Result<ApprovalOutcome, GateError>,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(open) = self.open.remove(&number) else { return Ok(None) };
        let mut why = "it was not decided in time".to_owned();
        let outcome = match outcome {
            Ok(ApprovalOutcome::Claimed(claimed)) => {
                if open.question.approval == ApprovalEffect::PassesOn {
                    let WaitingQuestion { frame, question, executor, line, .. } = open;
                    let id = frame.id.map(|id| id.as_str().to_owned()).unwrap_or_default();
                    let passed =
                        PassedRequest { thread: question.thread, call: claimed.call.id.clone(), executor };
                    self.passed.insert(id, passed);
                    return Ok(Some(line));
                }
                self.protocol.note_approval(&open.question);
                let key = (open.question.thread.to_string(), open.question.item.clone());
                // A question about an item that was asked about before claims another call, and the agent reports one result.
                self.claimed.remove(&key);
                self.claimed.get_or_insert_with(key, || (claimed.call.id.clone(), open.executor.clone()));
                PermissionOutcome::Allowed
            }
            Ok(ApprovalOutcome::Refused(reason)) => {
                (self.terms.note)(&format!("{}: {reason}", open.question.request.id));
                why.clone_from(&reason);
                PermissionOutcome::Refused
            }
            Ok(ApprovalOutcome::Pending(_)) => PermissionOutcome::Refused,
            Err(error) => {
                (self.terms.note)(&format!("{} is refused: {error}", open.question.request.id));
                why = error.to_string();
                PermissionOutcome::Refused
            }
        };
        if open.question.approval == ApprovalEffect::PassesOn {
            self.refuse(&open.frame, NOT_ALLOWED, &why).await?;
            return Ok(None);
        }
        let answer = self.protocol.answer(&open.question, &outcome);
        self.reply(&open.frame, &answer).await?;
        Ok(None)
    }

    /// Records the client's answer to a request that passed after its approval.
    fn record_answer(&mut self, frame: &JsonRpcFrame) {
        let id = frame.id.as_ref().filter(|_| frame.method.is_none());
        let Some(passed) = id.and_then(|id| self.passed.remove(id.as_str())) else { return };
        let PassedRequest { thread, call, executor } = passed;
        let status = if frame.result.is_some() { Status::Success } else { Status::Error };
        let content = frame.result.clone().filter(|result| result.admit().is_ok()).unwrap_or_else(Json::null);
        let result = ResultRequest { status, content, executor: Some(executor), ran_arguments: None };
        let (gate, note) = (Arc::clone(&self.gate), Arc::clone(&self.terms.note));
        self.tasks.spawn(async move {
            if let Err(error) = gate.finish(&thread, &call, &result).await {
                note(&format!("the result of {call} could not be recorded: {error}"));
            }
        });
    }

    /// Ends the questions in a turn that the client ended.
    async fn cancel(&mut self, ended: &EndedTurn) -> io::Result<()> {
        let is_ended = |open: &WaitingQuestion| {
            let question = &open.question;
            question.thread.as_str() == ended.thread
                && (ended.turn.is_none() || question.turn.is_none() || ended.turn == question.turn)
        };
        let numbers: Vec<_> =
            self.open.iter().filter(|(_, open)| is_ended(open)).map(|(number, _)| *number).collect();
        for number in numbers {
            let Some(open) = self.open.remove(&number) else { continue };
            self.withdraw(&open);
            if open.question.approval == ApprovalEffect::PassesOn {
                self.refuse(&open.frame, NOT_ALLOWED, "the turn was cancelled").await?;
                continue;
            }
            let answer = self.protocol.answer(&open.question, &PermissionOutcome::Cancelled);
            self.reply(&open.frame, &answer).await?;
        }
        Ok(())
    }

    /// Withdraws the call for a question. If it was claimed at the same moment, its result is that it was cancelled.
    fn withdraw(&mut self, open: &WaitingQuestion) {
        open.task.abort();
        let gate = Arc::clone(&self.gate);
        let (thread, id) = (open.question.thread.clone(), open.question.request.id.clone());
        let executor = Some(open.executor.clone());
        let note = Arc::clone(&self.terms.note);
        self.tasks.spawn(async move {
            let reason = "the turn of the agent was cancelled";
            let cancel = CancelRequest { reason: Some(reason.to_owned()) };
            let Err(error) = gate.cancel(&thread, &id, &cancel).await else { return };
            let result = ResultRequest {
                status: Status::Cancelled,
                content: Json::string(reason),
                executor,
                ran_arguments: None,
            };
            if gate.finish(&thread, &id, &result).await.is_err() {
                note(&format!("{id} could not be withdrawn: {error}"));
            }
        });
    }

    /// Reports an item result, if its call was claimed here.
    fn record(&mut self, thread: &str, item: &str, result: ResultRequest) {
        let Some((id, executor)) = self.claimed.remove(&(thread.to_owned(), item.to_owned())) else { return };
        let Ok(thread) = ThreadId::new(thread) else { return };
        let (gate, note) = (Arc::clone(&self.gate), Arc::clone(&self.terms.note));
        let content = if result.content.admit().is_ok() { result.content } else { Json::null() };
        let result = ResultRequest { content, executor: Some(executor), ..result };
        self.tasks.spawn(async move {
            if let Err(error) = gate.finish(&thread, &id, &result).await {
                note(&format!("the result of {id} could not be recorded: {error}"));
            }
        });
    }

    async fn reply(&mut self, frame: &JsonRpcFrame, result: &Json) -> io::Result<()> {
        let line = frame.response(result).map_err(io::Error::other)?;
        self.write(&line).await
    }

    async fn refuse(&mut self, frame: &JsonRpcFrame, code: i32, why: &str) -> io::Result<()> {
        let line = frame.error_response(code, why).map_err(io::Error::other)?;
        self.write(&line).await
    }

    async fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let Some(agent) = self.agent.as_mut() else { return Ok(()) };
        agent.write_all(line).await?;
        agent.flush().await
    }

    /// Withdraws the open questions, because the agent has ended, and waits until everything is reported.
    async fn end(mut self) {
        for open in std::mem::take(&mut self.open).into_values() {
            self.withdraw(&open);
        }
        while self.tasks.join_next().await.is_some() {}
        self.prompts.end().await;
    }
}
