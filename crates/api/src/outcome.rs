//! What became of a call, in one sentence: the page, the terminal and the command line show these words.

use crate::{Call, CallState, Principal};
use countersign_events::{Source, Status};

impl Call {
    /// What became of the call; `None` while it is open or runs.
    #[must_use]
    pub fn describe_outcome(&self) -> Option<String> {
        match self.state {
            CallState::Pending | CallState::Allowed | CallState::Running | CallState::Other => None,
            CallState::Denied => {
                let why = self.describe_denial().unwrap_or_else(|| "it was denied".to_owned());
                Some(format!("It did not run: {why}."))
            }
            CallState::Cancelled => Some(format!("It did not run: {}.", self.describe_end())),
            CallState::Unknown => {
                let who = self.execution.as_ref().map_or("its executor", |claim| claim.executor.as_str());
                Some(format!("Nobody knows if it ran: {who} was lost."))
            }
            CallState::Finished => self.result.as_ref().map(|result| {
                let what = match result.status {
                    Status::Success => "The tool succeeded.",
                    Status::Error => "The tool failed.",
                    _ => "The executor stopped it.",
                };
                what.to_owned()
            }),
        }
    }

    /// Who or what ended a call before it ran.
    fn describe_end(&self) -> String {
        if let Some(taken) = &self.taken_back {
            return format!("{} took the approval back", taken.principal.actor_name());
        }
        let response = self.response.as_ref();
        if response.is_some_and(|response| response.proposer_last_seen_at.is_some()) {
            return "it was withdrawn, because its agent was gone".to_owned();
        }
        let withdrawal = response.filter(|response| response.source == Source::Cancellation);
        let result = self.result.as_ref().map(|result| &result.principal);
        let Some(by) = withdrawal.map(|response| &response.principal).or(result) else {
            return "it was withdrawn".to_owned();
        };
        match by.as_str() {
            "system:expiry" => "its approval lapsed before it started".to_owned(),
            "policy:grant" => "its approval moved to the same call, which was proposed again".to_owned(),
            _ if *by == self.proposal.principal => format!("{} withdrew it", by.actor_name()),
            _ => format!("{} stopped it", by.actor_name()),
        }
    }

    /// Who or what denied the call.
    fn describe_denial(&self) -> Option<String> {
        let response = self.response.as_ref()?;
        let person = response.person().map(Principal::actor_name);
        let set = person.map_or_else(String::new, |name| format!(", set by {name}"));
        Some(match response.source {
            Source::Expiry => "nobody decided in time".to_owned(),
            Source::Grant => match (&response.grant_origin, response.grant) {
                (Some(origin), Some(seq)) => format!(
                    "{} denied the same on the call {}; a person can lift that denial, which is grant {seq} of the thread",
                    origin.principal.actor_name(),
                    origin.tool_call_id
                ),
                _ => "an earlier denial answers it".to_owned(),
            },
            Source::Mode => format!("the mode of the thread denies it{set}"),
            Source::Advisor => format!("the advisor {} denied it", response.principal.actor_name()),
            Source::Policy if response.principal.as_str() == "policy:thread" => {
                format!("the thread denies this tool{set}")
            }
            Source::Policy => match &response.rule {
                Some(rule) => format!("the rule “{rule}” blocks it{set}"),
                None => format!("the policy blocks it{set}"),
            },
            _ => format!("{} denied it", response.principal.actor_name()),
        })
    }
}
