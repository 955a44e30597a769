//! The tools of recent calls, by thread, in memory. An approver who looks at a pending call sees how many similar calls
//! there were, and reading a thousand calls for each look would take longer than all the rest.

use crate::{filter::read_tool_name, page_limit::PageLimit};
use countersign_approvals::Call;
use countersign_events::{Event, ThreadId, ToolName};
use std::{
    collections::{HashMap, VecDeque, hash_map::RandomState},
    hash::BuildHasher,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The most calls of one thread that are kept.
pub(crate) const MAX_CALLS: usize = 1_000;

/// The most calls of all threads that are kept, in 3.2 MB. Beyond this number all are dropped, and the next reader of a
/// thread reads its calls again.
const MAX_KEPT: usize = 100_000;

/// The tools of recent calls, by thread.
#[derive(Default)]
pub(crate) struct RecentTools {
    threads: Mutex<HashMap<ThreadId, ThreadTools>>,
    hasher: RandomState,
}

/// The last calls of one thread, in `seq` order.
#[derive(Default)]
struct ThreadTools {
    calls: VecDeque<CallTool>,
}

/// The part of a call that a count needs.
#[derive(Clone, Copy)]
struct CallTool {
    seq: i64,
    /// A tool name hash, because names can be long; `None` if the event has no readable name.
    tool: Option<u64>,
    /// The size of its proposal.
    bytes: usize,
}

impl RecentTools {
    /// Counts the similar calls. Fails with the last known call's `seq` if the thread has later calls.
    pub(crate) fn count(&self, call: &Call, last_call: i64, limit: PageLimit) -> Result<usize, i64> {
        let threads = self.lock();
        let Some(thread) = threads.get(&call.thread_id) else { return Err(0) };
        let last_known = thread.calls.back().map_or(0, |last| last.seq);
        if last_known < last_call {
            Err(last_known)
        } else {
            Ok(thread.count_similar(self.tool_of(call), call.proposal.seq, limit))
        }
    }

    /// Adds the calls after `known`, the newest first, and counts. With a gap before them, they replace the known ones.
    /// Returns `None` if the calls up to `known` were dropped meanwhile.
    pub(crate) fn add(
        &self,
        call: &Call,
        known: i64,
        has_gap: bool,
        added: &[Event],
        limit: PageLimit,
    ) -> Option<usize> {
        let mut threads = self.lock();
        let kept: usize = threads.values().map(|thread| thread.calls.len()).sum();
        if kept + added.len() > MAX_KEPT {
            threads.retain(|thread_id, _| *thread_id == call.thread_id);
            threads.shrink_to_fit();
        }
        let thread = threads.entry(call.thread_id.clone()).or_default();
        if has_gap {
            thread.calls.clear();
        } else if thread.calls.back().map_or(0, |last| last.seq) < known {
            return None;
        }
        for event in added.iter().rev() {
            // Another reader may have added it meanwhile.
            if thread.calls.back().is_none_or(|last| last.seq < event.seq) {
                let tool = read_tool_name(event).map(|name| self.hash(&name));
                thread.calls.push_back(CallTool { seq: event.seq, tool, bytes: event.data.as_str().len() });
            }
        }
        let excess = thread.calls.len().saturating_sub(MAX_CALLS);
        thread.calls.drain(..excess);
        Some(thread.count_similar(self.tool_of(call), call.proposal.seq, limit))
    }

    fn tool_of(&self, call: &Call) -> u64 {
        self.hash(&call.proposal.what.name)
    }

    fn hash(&self, name: &ToolName) -> u64 {
        self.hasher.hash_one(name.as_str())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ThreadId, ThreadTools>> {
        // A panic between lock and unlock is impossible: nothing there can fail.
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ThreadTools {
    fn count_similar(&self, tool: u64, except: i64, limit: PageLimit) -> usize {
        let mut bytes = 0;
        let is_within_budget = |call: &&CallTool| {
            let is_first = bytes == 0;
            bytes += call.bytes;
            is_first || bytes <= limit.bytes
        };
        let recent = self.calls.iter().rev().take(limit.items).take_while(is_within_budget);
        recent.filter(|call| call.tool == Some(tool) && call.seq != except).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_events::{Body, EventType, Json, Principal, Timestamp};

    const ALL: PageLimit = PageLimit { items: MAX_CALLS, bytes: usize::MAX };

    fn proposal(thread: &str, seq: i64) -> Event {
        let data =
            format!(r#"{{"id":"call_{seq}","name":"bash","arguments":{{}},"argumentsHash":"{:064}"}}"#, 0);
        Event {
            seq,
            thread_id: ThreadId::new(thread).expect("valid"),
            kind: EventType::ToolCall,
            timestamp: Timestamp::from_millis(0),
            principal: Principal::agent("bot"),
            data: Json::stored(data).expect("JSON"),
            hash: None,
        }
    }

    fn call(thread: &str) -> Call {
        let event = proposal(thread, 1);
        let body = Body::read(event.seq, event.kind, &event.data).expect("a proposal");
        Call::evolve(None, &event, body).expect("evolves").expect("a call")
    }

    /// The proposals with these `seq`s, the newest first.
    fn proposals(thread: &str, seqs: std::ops::RangeInclusive<i64>) -> Vec<Event> {
        seqs.rev().map(|seq| proposal(thread, seq)).collect()
    }

    #[test]
    fn later_calls_are_added_to_known_ones() {
        let (recent, call) = (RecentTools::default(), call("t"));
        assert_eq!(recent.count(&call, 3, ALL), Err(0));
        assert_eq!(recent.add(&call, 0, false, &proposals("t", 1..=3), ALL), Some(2));
        assert_eq!(recent.count(&call, 3, ALL), Ok(2));
        assert_eq!(recent.count(&call, 5, ALL), Err(3));
        assert_eq!(recent.add(&call, 3, false, &proposals("t", 4..=5), ALL), Some(4));
        assert_eq!(recent.add(&call, 3, false, &proposals("t", 4..=5), ALL), Some(4), "a second reader");
    }

    #[test]
    fn calls_after_a_gap_replace_known_ones() {
        let (recent, call) = (RecentTools::default(), call("t"));
        recent.add(&call, 0, false, &proposals("t", 1..=3), ALL);
        assert_eq!(recent.add(&call, 3, true, &proposals("t", 8..=9), ALL), Some(2));
    }

    #[test]
    fn addition_to_dropped_calls_is_refused() {
        let (recent, call) = (RecentTools::default(), call("t"));
        assert_eq!(recent.add(&call, 3, false, &proposals("t", 4..=5), ALL), None);
    }

    #[test]
    fn kept_calls_of_all_threads_are_bounded() {
        let recent = RecentTools::default();
        let limit = i64::try_from(MAX_CALLS).expect("small");
        for n in 0..2 * MAX_KEPT / MAX_CALLS {
            let thread = format!("t{n}");
            let read = proposals(&thread, 1..=limit + 1);
            assert_eq!(recent.add(&call(&thread), 0, true, &read, ALL), Some(MAX_CALLS));
            let kept: usize = recent.lock().values().map(|thread| thread.calls.len()).sum();
            assert!(kept <= MAX_KEPT, "{kept} calls after {thread}");
        }
    }
}
