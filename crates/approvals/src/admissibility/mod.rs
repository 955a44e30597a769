//! Admissibility: checks that the rules would have written each row of a log.
//!
//! For each row, the check reconstructs the command that could have caused it, decides on that command with the same
//! function that the writer uses, and compares the result with the log. A later version may read a command more
//! strictly than the one that judged it, so the policy's verdicts are taken from the log as evidence. Proposals that
//! this version judges differently by the policy of their time are listed separately. Log-wide facts are admitted as by
//! the writer. See [`AdmissibilityCheck`].

mod advisors;
mod command;
mod command_guess;
mod compare;
mod erasure;
mod evidence;
mod log_facts;
mod log_row;
mod mismatch;
mod newer;
mod policy;
mod proofs;
mod proposal;
mod row_comparison;
mod seen_calls;
mod thread_guess;
mod waiting;

use crate::{
    Call, CallStanding, Refused, Thread, access::ProofContext, advisor_directory::AdvisorDirectory,
    batch::thread_state::ThreadState, registry::LogRegistries,
};
use countersign_events::{Body, CallErased, CallId, Event, Sha256, ThreadArchived, ThreadId, chain};
use countersign_policy::{AdvisorSettings, Policy};
use countersign_proofs::pinned::PinnedKeys;
use erasure::ErasureCheck;
use log_row::LogRow;
use newer::NewerFacts;
pub use newer::UnjudgedCounts;
pub use proofs::ProofCounts;
use proofs::ProofTally;
use row_comparison::{LogFacts, RowComparison, compare_guess};
use seen_calls::SeenCalls;
use std::collections::{HashMap, VecDeque};
use waiting::LastGrant;

/// The maximum number of rows that one command writes about a call.
const LONGEST_SEQUENCE: usize = 5;

/// A row that the rules would not have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InadmissibleRow {
    /// The row's `seq`.
    pub seq: i64,
    /// The reason, for people.
    pub reason: String,
}

/// Checks log rows one after the other. It keeps unfinished calls, the threads that concern later calls, and the last few rows.
#[derive(Debug)]
pub struct AdmissibilityCheck {
    /// The threads with open calls, or with decisions and settings that concern later ones.
    threads: HashMap<ThreadId, Box<ThreadState>>,
    rows: VecDeque<LogRow>,
    /// The grant that the last rows gave, while it may decide calls that wait.
    last_grant: Option<LastGrant>,
    /// The active policy.
    policy: Policy,
    erasures: ErasureCheck,
    /// The log-wide facts.
    registries: LogRegistries,
    /// The first row's link, which identifies the log.
    log: Option<Sha256>,
    proofs: ProofTally,
    newer: NewerFacts,
    calls: SeenCalls,
    /// The proposals that this version judges otherwise, which the caller has not taken yet.
    judged_otherwise: Vec<InadmissibleRow>,
}

impl Default for AdmissibilityCheck {
    fn default() -> Self {
        Self {
            threads: HashMap::new(),
            rows: VecDeque::new(),
            last_grant: None,
            policy: Policy::ask_always(),
            erasures: ErasureCheck::default(),
            registries: LogRegistries::of_new_log(),
            log: None,
            proofs: ProofTally::default(),
            newer: NewerFacts::default(),
            calls: SeenCalls::default(),
            judged_otherwise: Vec::new(),
        }
    }
}

impl AdmissibilityCheck {
    /// A check that also accepts only proofs by these keys.
    #[must_use]
    pub fn with_pinned_keys(pinned: PinnedKeys) -> Self {
        Self { proofs: ProofTally::with_pinned_keys(pinned), ..Self::default() }
    }

    /// The numbers of approvals with and without a proof.
    #[must_use]
    pub const fn proof_counts(&self) -> ProofCounts {
        self.proofs.counts
    }

    /// The numbers of events that these rules cannot judge.
    #[must_use]
    pub const fn unjudged_counts(&self) -> UnjudgedCounts {
        UnjudgedCounts { newer: self.newer.events, concerned: self.newer.unjudged }
    }

    /// Whether a thread may have two calls with the same id. The check does not remember calls that have ended, so only their
    /// rows can tell.
    #[must_use]
    pub const fn may_have_repeated_calls(&self) -> bool {
        self.calls.has_repetition
    }

    /// Takes the proposals that this version judges otherwise by the policy of their time. An earlier version may have read a
    /// command less strictly, so such a row is admissible; but another program may also have written it.
    pub fn take_judged_otherwise(&mut self) -> Vec<InadmissibleRow> {
        std::mem::take(&mut self.judged_otherwise)
    }

    /// Adds the next row in `seq` order, and returns the findings about the rows that are complete by then.
    pub fn check(&mut self, event: Event) -> Vec<InadmissibleRow> {
        self.log.get_or_insert_with(|| chain::link(Sha256::ZERO, &event));
        match Body::read(event.seq, event.kind, &event.data) {
            Ok(Body::Newer(newer)) => {
                let finding = event.hash.is_none().then(|| InadmissibleRow {
                    seq: event.seq,
                    reason: "a row without a hash must be a decision".to_owned(),
                });
                self.newer.add(event, newer);
                self.note_newer_rows();
                finding.into_iter().collect()
            }
            Ok(body) => {
                self.rows.push_back(LogRow { event, body });
                self.judge_while(|rows| rows.len() >= LONGEST_SEQUENCE)
            }
            Err(damaged) => {
                // The rows before it are complete: no command writes a row that cannot be read.
                let mut findings = self.judge_while(|rows| !rows.is_empty());
                findings.push(InadmissibleRow { seq: event.seq, reason: damaged.what });
                findings
            }
        }
    }

    /// Returns the findings about the last rows, after the log's end.
    pub fn finish(&mut self) -> Vec<InadmissibleRow> {
        let mut findings = self.judge_while(|rows| !rows.is_empty());
        let reason = "its content is erased, and no CALL_ERASED event of its call names it, nor is its thread archived";
        let unnamed = |seq| InadmissibleRow { seq, reason: reason.to_owned() };
        findings.extend(self.erasures.finish().map(unnamed));
        findings
    }

    fn judge_while(&mut self, condition: impl Fn(&VecDeque<LogRow>) -> bool) -> Vec<InadmissibleRow> {
        let mut findings = Vec::new();
        while condition(&self.rows) {
            let mut is_judged = !self.newer.concern(&self.rows[0]);
            let length = match self.compare_with_rules() {
                _ if !is_judged => 1,
                RowComparison::Same(length) => length,
                RowComparison::Different { position, .. } if self.newer.note_words(&self.rows[position]) => {
                    is_judged = false;
                    position + 1
                }
                RowComparison::Different { position, reason } => {
                    findings.push(InadmissibleRow { seq: self.rows[position].event.seq, reason });
                    position + 1
                }
            };
            self.newer.unjudged += u64::from(!is_judged);
            self.last_grant = waiting::last_grant(self.last_grant, self.rows.iter().take(length));
            let mut ended = Vec::new();
            for row in self.rows.drain(..length) {
                if let Err(reason) = policy::check_judged_by(&row, self.registries.policy.hash)
                    && is_judged
                {
                    findings.push(InadmissibleRow { seq: row.event.seq, reason });
                }
                if let Err(reason) = self.proofs.note(&row, self.registries.tokens.approver_keys()) {
                    findings.push(InadmissibleRow { seq: row.event.seq, reason });
                }
                self.erasures.note(&row);
                self.calls.note(&row);
                if let Body::PolicySet(set) = &row.body {
                    self.policy = policy::read_policy(set);
                }
                self.registries.evolve(&row.event, &row.body);
                ended.extend(apply_row(&mut self.threads, row, is_judged.then_some(&findings)));
            }
            // After the step, because an approval may move within it from a call that ends.
            for (thread_id, hash) in ended {
                forget_settled(&mut self.threads, &thread_id, hash);
            }
            self.note_newer_rows();
        }
        findings
    }

    /// Notes the rows of newer types before the next row that waits to be judged.
    fn note_newer_rows(&mut self) {
        let next = self.rows.front().map_or(i64::MAX, |row| row.event.seq);
        while let Some(row) = self.newer.take_row_before(next) {
            self.erasures.note(&row);
        }
    }

    /// Compares the next rows with those that the rules would write, for each command that could have caused them.
    fn compare_with_rules(&mut self) -> RowComparison {
        let rows = self.rows.make_contiguous();
        let head = &rows[0];
        if matches!(head.body, Body::Message(..)) && !head.is_by_hand() {
            return compare_message(&self.threads, head);
        }
        let log = self.log.unwrap_or(Sha256::ZERO);
        if let Some(registry) = log_facts::registry_of(head, &self.registries) {
            return log_facts::compare_fact(head, registry, &self.policy, log);
        }
        if let Body::CallErased(erased) = &head.body {
            let state = self.threads.get(&head.event.thread_id);
            let is_open = state.is_some_and(|state| state.call(&erased.tool_call_id).is_some());
            return compare_erasure(head, erased, is_open, &mut self.erasures);
        }
        if let Body::ThreadArchived(archived) = &head.body
            && let Err(reason) = check_archive(&self.erasures, &self.threads, head, archived)
        {
            return RowComparison::Different { position: 0, reason };
        }
        let LogRegistries { tokens, tools, advisors, policy, .. } = &self.registries;
        if let Some(late) = compare_late_row(rows, &self.threads, advisors, self.policy.advisors()) {
            return late;
        }
        let proofs = ProofContext { log, keys: Some(tokens.approver_keys()) };
        let facts =
            LogFacts { proofs, tools, advisors, delegations: tokens, policy_change: policy.change.as_ref() };
        let empty = ThreadState::default();
        let state = self.threads.get(&head.event.thread_id).map_or(&empty, |state| state);
        let mut closest: Option<(usize, String)> = None;
        let waiting = waiting::guess(head, state, self.last_grant);
        let guesses = command::guesses(rows, state, policy.hash, self.policy.advisors());
        for guess in guesses.into_iter().chain(waiting) {
            match compare_guess(&guess, rows, state, facts) {
                RowComparison::Same(length) => {
                    let judged = proposal::judged_by_policy(rows, state, &self.policy);
                    let compared = judged.map(|judged| compare_guess(&judged, rows, state, facts));
                    if let Some(RowComparison::Different { position, reason }) = compared {
                        let seq = rows[position].event.seq;
                        self.judged_otherwise.push(InadmissibleRow { seq, reason });
                    }
                    return RowComparison::Same(length);
                }
                RowComparison::Different { position, reason } => {
                    if closest.as_ref().is_none_or(|(closest, _)| position > *closest) {
                        closest = Some((position, reason));
                    }
                }
            }
        }
        let (position, reason) = closest.unwrap_or_else(|| {
            let is_decision = matches!(head.body, Body::ApprovalResponse(_));
            let no_decision = head.is_by_hand() && !is_decision;
            let reason = if no_decision {
                "a row without a hash must be a decision"
            } else {
                "no command writes such a row here"
            };
            (0, reason.to_owned())
        });
        RowComparison::Different { position, reason }
    }
}

/// Whether the row may be about a call that has ended.
const fn is_late_fact(body: &Body) -> bool {
    matches!(body, Body::ApprovalAdvice(_) | Body::CallFlagged(_) | Body::ExecutionMismatch(_))
}

/// Compares a row about an ended call, whose state the check no longer has.
fn compare_late_row(
    rows: &[LogRow],
    threads: &HashMap<ThreadId, Box<ThreadState>>,
    directory: &AdvisorDirectory,
    advisors: &[AdvisorSettings],
) -> Option<RowComparison> {
    let head = &rows[0];
    if !is_late_fact(&head.body) {
        return None;
    }
    let state = threads.get(&head.event.thread_id).map(Box::as_ref);
    let is_known = head.body.call_id().zip(state).is_some_and(|(id, state)| state.call(id).is_some());
    if is_known || head.is_by_hand() {
        return None;
    }
    if matches!(head.body, Body::ExecutionMismatch(_)) {
        return Some(RowComparison::Same(mismatch::count_late_rows(rows)));
    }
    Some(match advisors::check_late_row(head, state, directory, advisors) {
        Ok(()) => RowComparison::Same(1),
        Err(reason) => RowComparison::Different { position: 0, reason },
    })
}

/// Compares an erasure. A call that is open cannot be erased.
fn compare_erasure(
    head: &LogRow,
    erased: &CallErased,
    is_open: bool,
    erasures: &mut ErasureCheck,
) -> RowComparison {
    let checked = erasures.confirm(head, erased).and_then(|()| {
        if is_open { Err("only a call that has ended can be erased".to_owned()) } else { Ok(()) }
    });
    match checked {
        Ok(()) => RowComparison::Same(1),
        Err(reason) => RowComparison::Different { position: 0, reason },
    }
}

/// Checks what the command rule cannot know: that the archive has the thread's rows, and that none of its calls was
/// running.
fn check_archive(
    erasures: &ErasureCheck,
    threads: &HashMap<ThreadId, Box<ThreadState>>,
    head: &LogRow,
    archived: &ThreadArchived,
) -> Result<(), String> {
    erasures.confirm_archive(head, archived)?;
    let state = threads.get(&head.event.thread_id);
    let is_running = |call: &&Call| matches!(call.standing, CallStanding::Running { .. });
    match state.and_then(|state| state.loaded_calls().find(is_running)) {
        Some(call) => Err(format!("call {} of the thread was running", call.id())),
        None => Ok(()),
    }
}

/// The rules accept any message in a thread that is open.
fn compare_message(threads: &HashMap<ThreadId, Box<ThreadState>>, row: &LogRow) -> RowComparison {
    let state = threads.get(&row.event.thread_id);
    match state.and_then(|state| state.thread.closed.as_ref()) {
        Some(closed) => {
            let reason = Refused::ThreadClosed { at: closed.at }.to_string();
            RowComparison::Different { position: 0, reason }
        }
        None => RowComparison::Same(1),
    }
}

/// Applies a row to the state, whether or not the rules would have written it, and drops calls that have ended. Returns the
/// thread and the arguments of such a call.
fn apply_row(
    threads: &mut HashMap<ThreadId, Box<ThreadState>>,
    row: LogRow,
    findings: Option<&Vec<InadmissibleRow>>,
) -> Option<(ThreadId, Sha256)> {
    let LogRow { event, body } = row;
    if matches!(body, Body::Message(..) | Body::CallErased(_)) || body.event_type().is_of_whole_log() {
        return None;
    }
    let state = threads.entry(event.thread_id.clone()).or_default();
    let id: Option<CallId> = body.call_id().cloned();
    let is_late = is_late_fact(&body) && id.as_ref().is_some_and(|id| state.call(id).is_none());
    if is_late {
        return None;
    }
    let before = id.as_ref().and_then(|id| state.call(id)).cloned();
    if state.evolve(&event, body).is_err() {
        // The finding about a judged row exists already. The call keeps the state that it had before.
        debug_assert!(
            findings.is_none_or(|findings| findings.iter().any(|finding| finding.seq == event.seq)),
            "{event:?}"
        );
        if let Some((id, before)) = id.zip(before) {
            state.restore_call(id, before);
        }
        return None;
    }
    let is_ended = |id: &CallId| state.call(id).is_none_or(|call| call.result().is_some());
    let ended = id.filter(is_ended).and_then(|id| state.remove_call(&id));
    if state.calls.is_empty() && state.thread == Thread::default() {
        threads.remove(&event.thread_id);
    }
    ended.map(|ended| (event.thread_id, ended.proposal.what.arguments_hash))
}

/// Drops the decisions on an ended call's arguments that answer no later call.
fn forget_settled(
    threads: &mut HashMap<ThreadId, Box<ThreadState>>,
    thread_id: &ThreadId,
    arguments_hash: Sha256,
) {
    let Some(state) = threads.get_mut(thread_id) else { return };
    state.thread.forget_settled(arguments_hash);
    if state.calls.is_empty() && state.thread == Thread::default() {
        threads.remove(thread_id);
    }
}

#[cfg(test)]
mod tests;
