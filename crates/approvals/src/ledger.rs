//! The part of the log that a batch of orders touches, in memory: load the events, apply the orders
//! one by one, and take away the events to be written. It is pure, so that what the writer of the
//! store does and what the tests of the rules do is the same code.

use crate::{
    Body, Call, CallId, Command, Context, Damaged, Draft, Event, Policy, Principal, Refused, Sha256,
    Standing, Thread, ThreadCommand, ThreadId, Timestamp, chain,
    decide::{self, Stop},
    thread::LONGEST_MEMORY,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

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
    /// About whatever waits for people, in whatever thread.
    Everywhere(Stop),
}

/// What has to be read from the log before a batch of orders can be decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// The events of these calls.
    pub calls: HashSet<(ThreadId, CallId)>,
    /// What holds for these threads: whether they are closed, what was set and revoked, and the events of the
    /// calls that gave grants or denials which last.
    pub threads: HashSet<ThreadId>,
    /// The events of the calls of these threads with these arguments that people decided of late.
    pub alike: HashSet<(ThreadId, Sha256)>,
    /// Since when "of late" is.
    pub since: Timestamp,
    /// The events of all calls of these threads that wait for people.
    pub pending: HashSet<ThreadId>,
    /// The events of all calls that wait for people, and what holds for their threads.
    pub everywhere: bool,
}

impl Default for Needs {
    fn default() -> Self {
        Self {
            calls: HashSet::new(),
            threads: HashSet::new(),
            alike: HashSet::new(),
            since: Timestamp::from_millis(0),
            pending: HashSet::new(),
            everywhere: false,
        }
    }
}

impl Needs {
    /// Whether nothing has to be read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.threads.is_empty()
            && self.alike.is_empty()
            && self.pending.is_empty()
            && !self.everywhere
    }
}

/// The calls and threads that were touched of late, and the end of the log. It may be kept from batch to
/// batch for as long as nobody else appends, which the end of the log tells: `seq` has no gaps.
#[derive(Debug)]
pub struct Ledger {
    threads: HashMap<ThreadId, Page>,
    tip: i64,
    link: Sha256,
    taken_in: usize,
}

#[derive(Debug, Default)]
struct Page {
    /// Whether `thread` was read from the log, and not only some of its calls.
    is_read: bool,
    /// The arguments of which it is known what people decided on them of late.
    alike: HashSet<Sha256>,
    thread: Thread,
    /// The calls that are known; `None` is known not to be there.
    calls: HashMap<CallId, Option<Call>>,
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
        Self { threads: HashMap::new(), tip, link, taken_in: 0 }
    }

    /// The `seq` of the last event.
    #[must_use]
    pub fn tip(&self) -> i64 {
        self.tip
    }

    /// The chain's link at the tip.
    #[must_use]
    pub fn link(&self) -> Sha256 {
        self.link
    }

    /// What those orders need that is not here yet.
    #[must_use]
    pub fn needs(&self, orders: &[Order]) -> Needs {
        let mut needs = Needs::default();
        // Clocks of several processes differ a little, and nobody minds an event more.
        if let Some(earliest) = orders.iter().map(|order| order.now).min() {
            needs.since = earliest.before(2 * LONGEST_MEMORY);
        }
        for order in orders {
            if matches!(order.wish, Wish::Everywhere(_)) {
                needs.everywhere = true;
                continue;
            }
            let page = self.threads.get(&order.thread_id);
            if page.is_none_or(|page| !page.is_read) {
                needs.threads.insert(order.thread_id.clone());
            }
            if let Wish::Call(_, Command::Propose(propose)) = &order.wish
                && page.is_none_or(|page| !page.alike.contains(&propose.arguments.hash()))
            {
                needs.alike.insert((order.thread_id.clone(), propose.arguments.hash()));
            }
            match &order.wish {
                Wish::Call(id, _) if page.is_none_or(|page| !page.calls.contains_key(id)) => {
                    needs.calls.insert((order.thread_id.clone(), id.clone()));
                }
                Wish::Thread(ThreadCommand::Close | ThreadCommand::Stop(_)) => {
                    needs.pending.insert(order.thread_id.clone());
                }
                _ => {}
            }
        }
        needs
    }

    /// Takes in the events that were read for `needs`, in the order of their `seq`. Calls that are here
    /// already are passed over.
    pub fn load(&mut self, needs: &Needs, events: &[Event]) -> Result<(), Damaged> {
        let mut fresh: HashSet<(ThreadId, CallId)> = HashSet::new();
        for event in events {
            self.taken_in += weight(event);
            let body = Body::read(event.seq, event.kind, &event.data)?;
            let page = self.threads.entry(event.thread_id.clone()).or_default();
            let Some(id) = subject(&body).cloned() else {
                page.evolve(event, body)?;
                continue;
            };
            let key = (event.thread_id.clone(), id);
            if fresh.contains(&key) || page.calls.get(&key.1).is_none_or(Option::is_none) {
                page.evolve(event, body)?;
                fresh.insert(key);
            }
        }
        for (thread_id, id) in &needs.calls {
            self.threads.entry(thread_id.clone()).or_default().calls.entry(id.clone()).or_default();
        }
        for (thread_id, hash) in &needs.alike {
            self.threads.entry(thread_id.clone()).or_default().alike.insert(*hash);
        }
        for thread_id in &needs.threads {
            self.threads.entry(thread_id.clone()).or_default().is_read = true;
        }
        Ok(())
    }

    /// Lets go of calls that have ended: hardly anybody asks about them again, and whoever does has
    /// them read anew.
    pub fn forget_ended<'a>(&mut self, calls: impl Iterator<Item = (&'a ThreadId, &'a CallId)>) {
        for (thread_id, id) in calls {
            if let Some(page) = self.threads.get_mut(thread_id)
                && page
                    .calls
                    .get(id)
                    .is_some_and(|call| call.as_ref().is_none_or(|call| call.result().is_some()))
            {
                page.calls.remove(id);
            }
        }
    }

    /// How many bytes of events were taken in since it was made: no measure of what is still here, but a
    /// bound on it that costs nothing to keep.
    #[must_use]
    pub fn taken_in(&self) -> usize {
        self.taken_in
    }

    /// The call, if it has one.
    #[must_use]
    pub fn call(&self, thread_id: &ThreadId, id: &CallId) -> Option<&Call> {
        self.threads.get(thread_id)?.calls.get(id)?.as_ref()
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
                page.call(id).map(|call| decide::due(call, &context)).unwrap_or_default()
            };
            self.append(order, due, &mut events)?;
        }
        if let Wish::Everywhere(stop) = &order.wish {
            let outcome = self.stop(order, stop, &mut events)?;
            return Ok(Applied { outcome, events });
        }
        let outcome = match self.decide(order) {
            Ok(drafts) => self.append(order, drafts, &mut events).map(Ok)?,
            Err(refused) => Err(refused),
        };
        Ok(Applied { outcome, events })
    }

    /// Thread by thread, in the order of their names, so that it is the same wherever it is played again. The
    /// thread of the order itself is among them, so that whoever may not stop is told so where nothing waits.
    fn stop(
        &mut self,
        order: &Order,
        stop: &Stop,
        events: &mut Vec<Event>,
    ) -> Result<Result<(), Refused>, Damaged> {
        let mut threads: Vec<_> = self.threads.keys().chain([&order.thread_id]).cloned().collect();
        threads.sort();
        threads.dedup();
        for thread_id in threads {
            let wish = Wish::Thread(ThreadCommand::Stop(stop.clone()));
            let part = Order { thread_id, wish, ..order.clone() };
            match self.decide(&part) {
                Ok(drafts) => self.append(&part, drafts, events)?,
                Err(refused) => return Ok(Err(refused)),
            }
        }
        Ok(Ok(()))
    }

    fn decide(&mut self, order: &Order) -> Result<Vec<Draft>, Refused> {
        let page = self.threads.entry(order.thread_id.clone()).or_default();
        let context = page.context(order);
        match &order.wish {
            Wish::Call(id, command) => decide::decide(id, page.call(id), command, &context),
            Wish::Thread(command) => decide::decide_thread(page.pending().into_iter(), command, &context),
            Wish::Everywhere(_) => Ok(Vec::new()),
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
            self.taken_in += weight(&event);
            events.push(event);
        }
        Ok(())
    }
}

impl Page {
    fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.get(id)?.as_ref()
    }

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
        let mut pending: Vec<_> = self.calls.values().flatten().filter(waits).collect();
        pending.sort_by_key(|call| call.proposal.seq);
        pending
    }

    fn evolve(&mut self, event: &Event, body: Body) -> Result<(), Damaged> {
        let id = subject(&body);
        let Some(id) = id.cloned() else {
            self.thread.evolve(event, &body, None);
            return Ok(());
        };
        let before = self.calls.remove(&id).flatten();
        self.thread.evolve(event, &body, before.as_ref());
        let after = Call::evolve(before, event, body)?;
        self.calls.insert(id, after);
        Ok(())
    }
}

/// What an event weighs in memory, roughly: its text, and what is around it.
fn weight(event: &Event) -> usize {
    512 + event.data.as_str().len()
}

/// The call that an event speaks of, if it speaks of one.
fn subject(body: &Body) -> Option<&CallId> {
    match body {
        Body::ToolCall(call) => Some(&call.id),
        Body::ApprovalRequest(request) => Some(&request.tool_call_id),
        Body::ApprovalVote(vote) => Some(&vote.tool_call_id),
        Body::ApprovalReminder(reminder) => Some(&reminder.tool_call_id),
        Body::ApprovalEscalated(escalated) => Some(&escalated.tool_call_id),
        Body::ApprovalResponse(response) => Some(&response.tool_call_id),
        Body::ExecutionStarted(claim) => Some(&claim.tool_call_id),
        Body::ExecutionReleased(released) => Some(&released.tool_call_id),
        Body::ExecutionTakenOver(taken) => Some(&taken.started.tool_call_id),
        Body::ToolResult(result) => Some(&result.tool_call_id),
        _ => None,
    }
}
