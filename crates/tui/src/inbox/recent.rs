//! The last decisions on calls that were in the list, so that a person sees what was just decided.

use crate::inbox::message::{InboxCallKey, call_key};
use countersign_api as api;
use countersign_console::summarize_call;
use std::collections::VecDeque;

/// The number of decisions that are kept.
const MOST_RECENT: usize = 8;

/// One decision: the call in a few words, who decided what, and how the call ended.
#[derive(Debug)]
struct ListedDecision {
    key: InboxCallKey,
    call: String,
    verdict: String,
    outcome: Option<&'static str>,
}

/// The last decisions, the newest first.
#[derive(Debug, Default)]
pub(crate) struct RecentDecisions {
    list: VecDeque<ListedDecision>,
}

impl RecentDecisions {
    /// Adds the decision on a call. A call is decided once, so a repetition only corrects the text.
    pub(crate) fn record(&mut self, call: &api::Call, verdict: &str) {
        let key = call_key(call);
        if self.correct(&key, verdict) {
            return;
        }
        let (tool, argument) = summarize_call(call);
        let call = format!("{tool} {argument}").trim_end().to_owned();
        self.list.push_front(ListedDecision { key, call, verdict: verdict.to_owned(), outcome: None });
        self.list.truncate(MOST_RECENT);
    }

    /// Replaces a call's verdict in the list, and returns whether there is one.
    pub(crate) fn correct(&mut self, call: &InboxCallKey, verdict: &str) -> bool {
        let known = self.list.iter_mut().find(|known| known.key == *call);
        known.map(|known| verdict.clone_into(&mut known.verdict)).is_some()
    }

    /// Adds how a decided call ended.
    pub(crate) fn finish(&mut self, call: &InboxCallKey, outcome: &'static str) {
        if let Some(known) = self.list.iter_mut().find(|known| known.key == *call) {
            known.outcome = Some(outcome);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One line for each decision, the newest first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.list.iter().map(|decision| {
            let outcome = decision.outcome.map_or_else(String::new, |outcome| format!(", {outcome}"));
            format!("{}{outcome}: {}", decision.verdict, decision.call)
        })
    }
}
