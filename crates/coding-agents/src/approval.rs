//! The approval of one call for an agent that cannot wait without a limit: propose, wait, claim, and find the decision when the
//! agent repeats the call.

use crate::other_words::find_in_other_words;
use countersign_api::{
    Call, CallExecution, CallGate, CallId, CallState, ClaimRequest, ErrorCode, GateError, Json,
    ProposeRequest, Sha256, ThreadId, find_earlier_calls,
};
use std::time::Duration;

/// The terms under which a call waits and runs.
#[derive(Debug, Clone, Copy)]
pub struct AgentApprovalTerms<'a> {
    /// The executor name for the claim. Reporting the result finds the call by it.
    pub executor: &'a str,
    /// How long to wait for a person's decision; `None` without a limit.
    pub wait: Option<Duration>,
    /// The claim's lease, in seconds.
    pub lease_seconds: u32,
    /// Whether the agent can run other arguments than it proposed.
    pub edits: EditSupport,
}

/// How an agent applies arguments that an approver changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditSupport {
    /// It runs the changed arguments.
    Replaces,
    /// It merges them into its own, so an argument that the approver removed would stay.
    Merges,
    /// It runs only its own arguments.
    Unsupported,
}

/// The outcome for the agent.
#[derive(Debug)]
pub enum ApprovalOutcome {
    /// The call is claimed: the agent runs it now.
    Claimed(ClaimedCall),
    /// The call does not run, for this reason, which is a message for the model.
    Refused(String),
    /// No person has decided within the time. The call stays open.
    Pending(Box<Call>),
}

/// A call that the agent runs now.
#[derive(Debug)]
pub struct ClaimedCall {
    /// The call, as claimed.
    pub call: Box<Call>,
    /// Whether an approver changed the arguments.
    pub is_edited: bool,
}

/// A proposal together with what identifies it when the agent repeats it.
struct SoughtCall<'a> {
    gate: &'a dyn CallGate,
    thread: &'a ThreadId,
    request: &'a ProposeRequest,
    hash: Sha256,
    terms: AgentApprovalTerms<'a>,
}

/// What an earlier call in other words means for this one.
enum EarlierWords {
    /// There is none that is still open.
    None,
    /// It is allowed and has not started, so this call takes its approval.
    Allowed(CallId),
    /// It answers this call, too.
    Answered(ApprovalOutcome),
}

/// Seeks approval for a call and claims it. If the agent repeats a call that is still pending, or that was allowed and
/// has not started, this uses that call: people are not asked again. Otherwise it proposes the call.
///
/// One approval starts one call: if another process has used it in the meantime, the call is proposed under an id of its own.
pub async fn seek_approval(
    gate: &dyn CallGate,
    thread: &ThreadId,
    request: &ProposeRequest,
    terms: AgentApprovalTerms<'_>,
) -> Result<ApprovalOutcome, GateError> {
    let hash = request.arguments.admit().map_err(|why| GateError::invalid("arguments", &why))?;
    let sought = SoughtCall { gate, thread, request, hash, terms };
    if let Some(earlier) = sought.find_earlier_call().await?
        && let Some(outcome) = Box::pin(sought.settle(earlier)).await?
    {
        return Ok(outcome);
    }
    let (replacing, sought) = match sought.settle_other_words().await? {
        EarlierWords::None => (None, sought),
        // The time for people is over by then, if it has to be asked again.
        EarlierWords::Allowed(id) => {
            let terms = AgentApprovalTerms { wait: terms.wait.map(|_| Duration::ZERO), ..terms };
            (Some(ProposeRequest { replaces: Some(id), ..request.clone() }), SoughtCall { terms, ..sought })
        }
        EarlierWords::Answered(outcome) => return Ok(outcome),
    };
    let proposed = propose(gate, thread, replacing.as_ref().unwrap_or(request)).await?;
    if let Some(outcome) = Box::pin(sought.settle(proposed)).await? {
        return Ok(outcome);
    }
    // A repetition of this call has used its approval. This one needs its own.
    let id = countersign_api::parse_call_id(&format!("{}.2", request.id))?;
    let again = propose(gate, thread, &ProposeRequest { id, ..request.clone() }).await?;
    let taken = || ApprovalOutcome::Refused(format!("{} was started by another process", request.id));
    Ok(Box::pin(sought.settle(again)).await?.unwrap_or_else(taken))
}

/// Proposes the call, also to a server of an earlier version, which refuses the fields that it does not know.
async fn propose(
    gate: &dyn CallGate,
    thread: &ThreadId,
    request: &ProposeRequest,
) -> Result<Call, GateError> {
    let mut request = request.clone();
    loop {
        match gate.propose(thread, &request).await {
            Err(error) if leave_out_unknown_field(&mut request, &error) => {}
            answer => return answer,
        }
    }
}

/// Leaves out the field that the server does not know. Returns false if the error is another, or if the request has no such
/// field.
fn leave_out_unknown_field(request: &mut ProposeRequest, error: &GateError) -> bool {
    let is_unknown = |field: &str| {
        error.code == ErrorCode::Invalid && error.detail.contains(&format!("unknown field `{field}`"))
    };
    if request.withdraw_when_gone && is_unknown("withdrawWhenGone") {
        request.withdraw_when_gone = false;
        return true;
    }
    let Some(place) = &mut request.place else { return false };
    for (field, value) in [("branch", &mut place.branch), ("defaultBranch", &mut place.default_branch)] {
        if value.is_some() && is_unknown(field) {
            *value = None;
            return true;
        }
    }
    // Without the targets, the call would seem to stay in its project.
    let has_targets = !place.link_targets.is_empty() && is_unknown("linkTargets");
    if has_targets {
        place.link_targets.clear();
        place.project = None;
    }
    has_targets
}

impl SoughtCall<'_> {
    /// The call that this one repeats: the same agent, tool, arguments, folder and description in the same thread, pending, or allowed
    /// and not started.
    async fn find_earlier_call(&self) -> Result<Option<Call>, GateError> {
        let earlier = find_earlier_calls(self.gate, self.thread, self.request, self.hash).await?;
        Ok(earlier.into_iter().find(|call| call.is_open() && self.is_alike(call)))
    }

    /// Whether the call is by the same sub-agent, in the same folder.
    fn is_alike(&self, call: &Call) -> bool {
        call.description == self.request.description && call.place == self.request.place
    }

    /// Waits for the decision on the open call that this one repeats in other words, if there is one. People are asked once about
    /// both, and what runs are the arguments of the later one.
    async fn settle_other_words(&self) -> Result<EarlierWords, GateError> {
        let is_alike = |call: &Call| self.is_alike(call);
        let found = find_in_other_words(self.gate, self.thread, self.request, self.hash, is_alike).await?;
        let Some(call) = found else { return Ok(EarlierWords::None) };
        let call = if call.is_pending() {
            self.gate.wait(self.thread, &call.id, self.terms.wait).await?
        } else {
            call
        };
        Ok(match call.state {
            CallState::Pending => EarlierWords::Answered(ApprovalOutcome::Pending(Box::new(call))),
            CallState::Allowed => EarlierWords::Allowed(call.id),
            CallState::Denied => EarlierWords::Answered(ApprovalOutcome::Refused(call.ended_text())),
            _ => EarlierWords::None,
        })
    }

    /// Waits for the decision on the call, and claims it if it is allowed. `None` if another executor has claimed it.
    async fn settle(&self, call: Call) -> Result<Option<ApprovalOutcome>, GateError> {
        let call = if call.is_pending() {
            self.gate.wait(self.thread, &call.id, self.terms.wait).await?
        } else {
            call
        };
        match call.state {
            CallState::Pending => Ok(Some(ApprovalOutcome::Pending(Box::new(call)))),
            CallState::Allowed => self.claim(call).await,
            CallState::Denied | CallState::Cancelled | CallState::Other => {
                Ok(Some(ApprovalOutcome::Refused(call.ended_text())))
            }
            _ if self.is_of_other_executor(&call) => Ok(None),
            state => Ok(Some(ApprovalOutcome::Refused(format!(
                "{} is already {state} and does not run again; propose it as a new call",
                call.id
            )))),
        }
    }

    fn is_of_other_executor(&self, call: &Call) -> bool {
        call.execution.as_ref().is_some_and(|execution| execution.executor != self.terms.executor)
    }

    async fn claim(&self, call: Call) -> Result<Option<ApprovalOutcome>, GateError> {
        let is_edited = call.arguments_hash != self.hash;
        if is_edited && let Some(why) = self.why_edit_cannot_run(&call) {
            return Ok(Some(ApprovalOutcome::Refused(why)));
        }
        let claim = ClaimRequest {
            lease_seconds: Some(self.terms.lease_seconds),
            ..ClaimRequest::for_own_call(&call, self.terms.executor, &self.request.arguments)
        };
        match self.gate.claim(self.thread, &call.id, &claim).await {
            Ok(call) => Ok(Some(ApprovalOutcome::Claimed(ClaimedCall { call: Box::new(call), is_edited }))),
            Err(error) if error.code == ErrorCode::AlreadyClaimed => {
                let by_this = |execution: &CallExecution| execution.executor == self.terms.executor;
                if error.facts.execution.as_ref().is_some_and(by_this) { Err(error) } else { Ok(None) }
            }
            Err(error) => Err(error),
        }
    }

    /// The reason why the agent cannot run the arguments that the approver chose.
    fn why_edit_cannot_run(&self, call: &Call) -> Option<String> {
        let names = |json: &Json| -> Vec<String> {
            json.members().unwrap_or_default().into_iter().map(|(name, _)| name).collect()
        };
        let why = match self.terms.edits {
            _ if !call.redacted.is_empty() => "parts of them are masked in the log",
            EditSupport::Unsupported => "this agent cannot run changed arguments",
            EditSupport::Merges => {
                let kept = names(&call.arguments);
                if names(&self.request.arguments).iter().all(|name| kept.contains(name)) {
                    return None;
                }
                "this agent cannot remove an argument"
            }
            EditSupport::Replaces => return None,
        };
        Some(format!(
            "an approver allowed {} with other arguments, but {why}; propose the call as they want it: {}",
            call.id,
            call.arguments.as_str()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_api::Place;

    fn unknown(field: &str) -> GateError {
        GateError::new(ErrorCode::Invalid, format!("unknown field `{field}`, expected one of `id`, `name`"))
    }

    #[test]
    fn fields_unknown_to_the_server_are_left_out() {
        let place = Place {
            project: Some("/srv/shop".to_owned()),
            link_targets: vec!["/etc".to_owned()],
            branch: Some("feature".to_owned()),
            ..Place::folder("/srv/shop")
        };
        let request = ProposeRequest::new("call_1", "Bash", "{}").expect("valid");
        let mut request = ProposeRequest { place: Some(place), withdraw_when_gone: true, ..request };
        assert!(!leave_out_unknown_field(&mut request, &unknown("replaces")));
        assert!(leave_out_unknown_field(&mut request, &unknown("withdrawWhenGone")));
        assert!(!request.withdraw_when_gone);
        assert!(!leave_out_unknown_field(&mut request, &unknown("withdrawWhenGone")), "it is sent once");
        assert!(leave_out_unknown_field(&mut request, &unknown("linkTargets")));
        assert!(leave_out_unknown_field(&mut request, &unknown("branch")));
        assert!(!leave_out_unknown_field(&mut request, &unknown("branch")));
        assert_eq!(
            request.place,
            Some(Place::folder("/srv/shop")),
            "nothing says that it stays in the project"
        );
        assert!(!leave_out_unknown_field(&mut request, &unknown("linkTargets")));
    }
}
