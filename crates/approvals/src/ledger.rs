//! The part of the log that a batch of orders touches, in memory: load the events, apply the orders
//! one by one, and take away the events to be written. It is pure, so that what the writer of the
//! store does and what the tests of the rules do is the same code.

use crate::{
    Body, Call, CallId, Command, Context, Damaged, Draft, Event, Policy, Principal, Refused, Sha256,
    Standing, Thread, ThreadCommand, ThreadId, Timestamp, chain, decide,
};
use std::{collections::HashMap, sync::Arc};

/// What somebody wants: a command with everything that is needed to decide on it.
#[derive(Debug, Clone)]
pub struct Order {
    /// In which thread.
    pub thread_id: ThreadId,
    /// What.
    pub wish: Wish,
    /// Who wants it.
    pub by: Principal,
    /// When it is judged.
    pub now: Timestamp,
    /// The policy it is judged by.
    pub policy: Arc<Policy>,
}

/// A command about a call, or about the whole thread.
#[derive(Debug, Clone)]
pub enum Wish {
    /// About that call.
    Call(CallId, Command),
    /// About the thread.
    Thread(ThreadCommand),
}

impl Order {
    /// Whether deciding on it needs the thread's standing grants.
    #[must_use]
    pub fn needs_grants(&self) -> bool {
        matches!(self.wish, Wish::Thread(_) | Wish::Call(_, Command::Propose(_)))
    }

    /// Whether deciding on it needs all calls of the thread that wait for people.
    #[must_use]
    pub fn needs_pending(&self) -> bool {
        matches!(self.wish, Wish::Thread(ThreadCommand::Close))
    }
}

/// The calls and threads that a batch touches, and the end of the log that it appends to.
#[derive(Debug)]
pub struct Ledger {
    threads: HashMap<ThreadId, Page>,
    tip: i64,
    link: Sha256,
}

#[derive(Debug, Default)]
struct Page {
    thread: Thread,
    calls: HashMap<CallId, Call>,
}

/// What came of an order.
#[derive(Debug)]
pub struct Applied {
    /// Whether it was carried out.
    pub outcome: Result<(), Refused>,
    /// What is to be written. There may be events also where the order was refused: what was due on
    /// the call before it.
    pub events: Vec<Event>,
}

impl Ledger {
    /// A ledger that appends after the event at `tip` (0 if there is none), whose chain link is `link`.
    #[must_use]
    pub fn new(tip: i64, link: Sha256) -> Self {
        Self { threads: HashMap::new(), tip, link }
    }

    /// The `seq` of the last event.
    #[must_use]
    pub fn tip(&self) -> i64 {
        self.tip
    }

    /// Takes in an event of the log. Those of one thread come in the order of their `seq`.
    pub fn load(&mut self, event: &Event) -> Result<(), Damaged> {
        let body = Body::read(event.seq, event.kind, &event.data)?;
        let page = self.threads.entry(event.thread_id.clone()).or_default();
        page.evolve(event, body)
    }

    /// The call, if it has one.
    #[must_use]
    pub fn call(&self, thread_id: &ThreadId, id: &CallId) -> Option<&Call> {
        self.threads.get(thread_id)?.calls.get(id)
    }

    /// The thread; an unheard-of one is open and has no grants.
    #[must_use]
    pub fn thread(&self, thread_id: &ThreadId) -> Option<&Thread> {
        self.threads.get(thread_id).map(|page| &page.thread)
    }

    /// Carries out what is due on the order's call, then the order itself.
    pub fn apply(&mut self, order: &Order) -> Result<Applied, Damaged> {
        let mut events = Vec::new();
        if let Wish::Call(id, _) = &order.wish {
            let due = {
                let page = self.threads.entry(order.thread_id.clone()).or_default();
                let context = page.context(order);
                page.calls.get(id).map(|call| decide::due(call, &context)).unwrap_or_default()
            };
            self.append(order, due, &mut events)?;
        }
        let outcome = match self.decide(order) {
            Ok(drafts) => self.append(order, drafts, &mut events).map(Ok)?,
            Err(refused) => Err(refused),
        };
        Ok(Applied { outcome, events })
    }

    fn decide(&mut self, order: &Order) -> Result<Vec<Draft>, Refused> {
        let page = self.threads.entry(order.thread_id.clone()).or_default();
        let context = page.context(order);
        match &order.wish {
            Wish::Call(id, command) => decide::decide(id, page.calls.get(id), command, &context),
            Wish::Thread(command) => decide::decide_thread(page.pending().into_iter(), *command, &context),
        }
    }

    fn append(&mut self, order: &Order, drafts: Vec<Draft>, events: &mut Vec<Event>) -> Result<(), Damaged> {
        for draft in drafts {
            let seq = self.tip + 1;
            let unwritable = |e: serde_json::Error| Damaged { seq, what: e.to_string() };
            let mut event = Event {
                seq,
                thread_id: order.thread_id.clone(),
                kind: draft.body.event_type(),
                timestamp: order.now,
                principal: draft.by,
                data: draft.body.data().map_err(unwritable)?,
                hash: None,
            };
            let link = chain::link(self.link, &event);
            event.hash = Some(link);
            let page = self.threads.entry(order.thread_id.clone()).or_default();
            page.evolve(&event, draft.body)?;
            (self.tip, self.link) = (seq, link);
            events.push(event);
        }
        Ok(())
    }
}

impl Page {
    fn context<'a>(&'a self, order: &'a Order) -> Context<'a> {
        Context {
            thread_id: &order.thread_id,
            thread: &self.thread,
            policy: &order.policy,
            by: &order.by,
            now: order.now,
        }
    }

    /// The calls that wait for people, the oldest first.
    fn pending(&self) -> Vec<&Call> {
        let waits = |call: &&Call| matches!(call.standing, Standing::Pending { .. } | Standing::Proposed);
        let mut pending: Vec<_> = self.calls.values().filter(waits).collect();
        pending.sort_by_key(|call| call.proposal.seq);
        pending
    }

    fn evolve(&mut self, event: &Event, body: Body) -> Result<(), Damaged> {
        let id = match &body {
            Body::ToolCall(call) => Some(&call.id),
            Body::ApprovalRequest(request) => Some(&request.tool_call_id),
            Body::ApprovalVote(vote) => Some(&vote.tool_call_id),
            Body::ApprovalResponse(response) => Some(&response.tool_call_id),
            Body::ExecutionStarted(claim) => Some(&claim.tool_call_id),
            Body::ToolResult(result) => Some(&result.tool_call_id),
            _ => None,
        };
        let Some(id) = id.cloned() else {
            self.thread.evolve(event, &body, None);
            return Ok(());
        };
        self.thread.evolve(event, &body, self.calls.get(&id));
        let before = self.calls.remove(&id);
        if let Some(call) = Call::evolve(before, event, body)? {
            self.calls.insert(id, call);
        }
        Ok(())
    }
}
