//! The part of the log that a batch of orders touches, in memory: load the events, apply the orders
//! one by one, and take away the events to be written. It is pure, so that what the writer of the
//! store does and what the tests of the rules do is the same code.

mod order;
mod page;

pub use order::{Needs, Order, Wish};

use crate::{
    Call, Command, Context, Draft, Refused, Thread, ThreadCommand,
    decide::{self, Stop},
    thread::LONGEST_MEMORY,
};
use countersign_events::{Body, CallId, Damaged, Event, Sha256, ThreadId, chain};
use page::{Page, subject};
use std::collections::{HashMap, HashSet};

/// The calls and threads that were touched of late, and the end of the log. It may be kept from batch to
/// batch for as long as nobody else appends, which the end of the log tells: `seq` has no gaps.
#[derive(Debug)]
pub struct Ledger {
    threads: HashMap<ThreadId, Page>,
    tip: i64,
    link: Sha256,
    taken_in: usize,
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
            self.need(&order.wish, &mut needs);
        }
        needs
    }

    fn need(&self, wish: &Wish, needs: &mut Needs) {
        let (Wish::Call(thread_id, ..) | Wish::Thread(thread_id, _)) = wish else {
            needs.everywhere = true;
            return;
        };
        let page = self.threads.get(thread_id);
        if page.is_none_or(|page| !page.is_read) {
            needs.threads.insert(thread_id.clone());
        }
        match wish {
            Wish::Call(_, id, command) => {
                if page.is_none_or(|page| !page.calls.contains_key(id)) {
                    needs.calls.insert((thread_id.clone(), id.clone()));
                }
                if let Command::Propose(propose) = command
                    && page.is_none_or(|page| !page.alike.contains(&propose.arguments.hash()))
                {
                    needs.alike.insert((thread_id.clone(), propose.arguments.hash()));
                }
            }
            Wish::Thread(_, ThreadCommand::Close | ThreadCommand::Stop(_)) => {
                needs.pending.insert(thread_id.clone());
            }
            Wish::Thread(..) | Wish::Everywhere(_) => {}
        }
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
        let outcome = match &order.wish {
            Wish::Call(thread_id, id, command) => {
                let due = self.on_call(order, thread_id, id, |call, context| {
                    call.map(|call| decide::due(call, context)).unwrap_or_default()
                });
                self.append(order, thread_id, due, &mut events)?;
                let drafts = self.on_call(order, thread_id, id, |call, context| {
                    decide::decide(id, call, command, context)
                });
                self.carry_out(order, thread_id, drafts, &mut events)?
            }
            Wish::Thread(thread_id, command) => {
                let drafts = self.on_thread(order, thread_id, command);
                self.carry_out(order, thread_id, drafts, &mut events)?
            }
            Wish::Everywhere(stop) => self.stop(order, stop, &mut events)?,
        };
        Ok(Applied { outcome, events })
    }

    /// Thread by thread, in the order of their names, so that it is the same wherever it is played again.
    fn stop(
        &mut self,
        order: &Order,
        stop: &Stop,
        events: &mut Vec<Event>,
    ) -> Result<Result<(), Refused>, Damaged> {
        // Whoever may not stop is told so also where nothing waits.
        if let Err(refused) = decide::may_stop(&order.by) {
            return Ok(Err(refused));
        }
        let mut threads: Vec<_> = self.threads.keys().cloned().collect();
        threads.sort();
        for thread_id in threads {
            let drafts = self.on_thread(order, &thread_id, &ThreadCommand::Stop(stop.clone()));
            if let Err(refused) = self.carry_out(order, &thread_id, drafts, events)? {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    fn on_call<T>(
        &mut self,
        order: &Order,
        thread_id: &ThreadId,
        id: &CallId,
        decide: impl FnOnce(Option<&Call>, &Context<'_>) -> T,
    ) -> T {
        let page = self.threads.entry(thread_id.clone()).or_default();
        decide(page.call(id), &page.context(thread_id, order))
    }

    fn on_thread(
        &mut self,
        order: &Order,
        thread_id: &ThreadId,
        command: &ThreadCommand,
    ) -> Result<Vec<Draft>, Refused> {
        let page = self.threads.entry(thread_id.clone()).or_default();
        decide::decide_thread(page.pending().into_iter(), command, &page.context(thread_id, order))
    }

    fn carry_out(
        &mut self,
        order: &Order,
        thread_id: &ThreadId,
        drafts: Result<Vec<Draft>, Refused>,
        events: &mut Vec<Event>,
    ) -> Result<Result<(), Refused>, Damaged> {
        match drafts {
            Ok(drafts) => self.append(order, thread_id, drafts, events).map(Ok),
            Err(refused) => Ok(Err(refused)),
        }
    }

    fn append(
        &mut self,
        order: &Order,
        thread_id: &ThreadId,
        drafts: Vec<Draft>,
        events: &mut Vec<Event>,
    ) -> Result<(), Damaged> {
        for draft in drafts {
            let seq = self.tip + 1;
            let unwritable = |e: serde_json::Error| Damaged { seq, what: e.to_string() };
            let mut event = Event {
                seq,
                thread_id: thread_id.clone(),
                kind: draft.body.event_type(),
                timestamp: order.now,
                principal: draft.by,
                data: draft.body.data().map_err(unwritable)?,
                hash: None,
            };
            let link = chain::link(self.link, &event);
            event.hash = Some(link);
            let page = self.threads.entry(thread_id.clone()).or_default();
            page.evolve(&event, draft.body)?;
            (self.tip, self.link) = (seq, link);
            self.taken_in += weight(&event);
            events.push(event);
        }
        Ok(())
    }
}

/// What an event weighs in memory, roughly: its text, and what is around it.
fn weight(event: &Event) -> usize {
    512 + event.data.as_str().len()
}
