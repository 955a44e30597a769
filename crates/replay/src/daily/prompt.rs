//! Calls that are judged again, equal ones once.

use super::PolicyView;
use countersign_approvals::Call;
use countersign_events::{CallId, Json, Principal, ThreadId};
use countersign_policy::JudgedCall;
use std::collections::BTreeMap;

/// A call, with its repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayPrompt {
    /// The first call's thread.
    pub thread: ThreadId,
    /// The first call's id.
    pub id: CallId,
    /// The proposer.
    pub principal: Principal,
    /// The arguments, without secrets.
    pub arguments: Json,
    /// The number of calls with this tool, proposer, place and arguments.
    pub calls: u64,
}

impl DayPrompt {
    pub(super) fn from_call(call: &Call) -> Self {
        Self {
            thread: call.thread_id.clone(),
            id: call.id().clone(),
            principal: call.proposal.by.clone(),
            arguments: call.proposal.what.arguments.clone(),
            calls: 1,
        }
    }
}

/// A call as the policy judges it, and more about it.
#[derive(Debug, Clone)]
pub(super) struct JudgedAgain<T> {
    pub(super) prompt: DayPrompt,
    pub(super) view: PolicyView,
    pub(super) more: T,
}

impl<T> JudgedAgain<T> {
    pub(super) fn subject(&self) -> JudgedCall<'_> {
        self.view.subject()
    }
}

/// Calls by what a policy looks at, so that equal ones are judged once.
#[derive(Debug)]
pub(super) struct PromptList<T = ()> {
    calls: BTreeMap<String, JudgedAgain<T>>,
}

impl<T> Default for PromptList<T> {
    fn default() -> Self {
        Self { calls: BTreeMap::new() }
    }
}

impl<T> PromptList<T> {
    pub(super) fn add(&mut self, call: &Call, more: impl FnOnce() -> T) {
        let proposed = &call.proposal.what;
        let (by, place, hash) = (&call.proposal.by, &proposed.place, proposed.arguments_hash);
        let claims = [&proposed.annotations, &proposed.impact].map(|json| json.as_ref().map(Json::as_str));
        let key = format!("{:?}", (proposed.name.as_str(), by.as_str(), place, claims, hash.to_string()));
        let known = self.calls.entry(key);
        known.and_modify(|known| known.prompt.calls += 1).or_insert_with(|| JudgedAgain {
            prompt: DayPrompt::from_call(call),
            view: PolicyView::from_call(call),
            more: more(),
        });
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&JudgedAgain<T>) -> bool) {
        self.calls.retain(|_, call| keep(call));
    }

    /// The number of calls, with repetitions.
    pub(super) fn count(&self) -> u64 {
        self.calls.values().map(|call| call.prompt.calls).sum()
    }

    pub(super) fn of_tool<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a JudgedAgain<T>> {
        self.calls.values().filter(move |call| call.view.tool.as_str() == tool)
    }
}
