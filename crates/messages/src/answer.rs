//! A person's decision, as a message contains it, and the words that the formats use for decisions.

use crate::shown_call::{ARGUMENT_KEYS, CALL_ID_KEYS, NAME_KEYS, ShownCall};
use countersign_events::{Decision, json::JsonTree};

/// A decision in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApprovalAnswer {
    pub(crate) target: AnswerTarget,
    /// The decision, or the reason why it cannot be read.
    pub(crate) verdict: Result<AnswerVerdict, String>,
    /// What the message shows of the call beside the decision.
    pub(crate) shown: ShownCall,
    /// Whether the message's decisions must cover all pending calls.
    pub(crate) covers_all: bool,
}

/// The call that a decision is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerTarget {
    /// The call that the request with this id is about.
    Request(String),
    /// The call with this id.
    Call(String),
    /// The call at this place among the pending calls of the thread, in the order of their requests.
    Place {
        index: usize,
        /// The number of decisions, which must be that of the calls.
        count: usize,
    },
}

/// A decision that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerVerdict {
    pub(crate) decision: Decision,
    pub(crate) comment: Option<String>,
    pub(crate) edited: Option<EditedCall>,
}

/// The call as a person changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditedCall {
    /// The tool's name, which must be that of the call.
    pub(crate) name: Option<String>,
    pub(crate) arguments: JsonTree,
    /// Whether each value may be a string, because the client edits strings.
    pub(crate) has_texts: bool,
}

impl ApprovalAnswer {
    pub(crate) fn new(target: AnswerTarget, verdict: Result<AnswerVerdict, String>) -> Self {
        Self { target, verdict, shown: ShownCall::default(), covers_all: false }
    }
}

impl AnswerVerdict {
    pub(crate) const fn plain(decision: Decision) -> Self {
        Self { decision, comment: None, edited: None }
    }

    /// A decision in a format that knows only yes and no.
    pub(crate) fn yes_or_no(approves: bool, comment: Option<&str>) -> Self {
        let decision = if approves { Decision::AllowOnce } else { Decision::Deny };
        Self { comment: non_empty(comment), ..Self::plain(decision) }
    }
}

/// Refuses a decision with a member whose meaning is not known: it may change what was decided. The members that name the
/// call are compared with it, and need no listing.
pub(crate) fn check_members(answer: &JsonTree, known: &[&str]) -> Result<(), String> {
    let JsonTree::Object(members) = answer else { return Ok(()) };
    let is_known = |key: &str| {
        [known, CALL_ID_KEYS, NAME_KEYS, ARGUMENT_KEYS, &["id", "originalToolCall"]]
            .iter()
            .any(|keys| keys.contains(&key))
    };
    match members.iter().find(|(key, value)| *value != JsonTree::Null && !is_known(key)) {
        None => Ok(()),
        Some((key, _)) => Err(format!("the decision has the member {key:?}, whose meaning is not known")),
    }
}

/// The text, unless it is blank.
pub(crate) fn non_empty(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// The decision that a word means, in any case: the API words, other systems' words, and their synonyms. `None` for
/// `approve`, whose scope another word gives.
pub(crate) fn decision_of_word(word: &str) -> Option<Decision> {
    let word = word.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    Some(match word.as_str() {
        "allow_once" | "approve_once" | "once" => Decision::AllowOnce,
        "allow_session" | "approve_session" | "session" | "always" | "allow_always" => Decision::AllowSession,
        "deny" | "cancel" | "reject" | "no" => Decision::Deny,
        _ => return None,
    })
}

/// The decision that a word and a scope mean, such as `approve` and `session`.
pub(crate) fn decision_in_scope(word: &str, scope: Option<&str>) -> Result<Decision, String> {
    let named = decision_of_word(word);
    let approves = matches!(word.trim().to_ascii_lowercase().as_str(), "approve" | "allow" | "yes");
    let scope = scope.map(|scope| scope.trim().to_ascii_lowercase()).filter(|scope| scope != "none");
    match (named, approves, scope.as_deref()) {
        (Some(named), _, None) => Ok(named),
        (Some(Decision::Deny), _, Some("once" | "session")) => Ok(Decision::Deny),
        (Some(Decision::AllowSession), _, Some("session" | "always"))
        | (None, true, Some("session" | "always")) => Ok(Decision::AllowSession),
        (Some(Decision::AllowOnce), _, Some("once")) | (None, true, None | Some("once")) => {
            Ok(Decision::AllowOnce)
        }
        (Some(_), _, Some(scope)) | (None, true, Some(scope)) => {
            Err(format!("the scope {scope:?} does not fit the decision {word:?}"))
        }
        (None, false, _) => {
            Err(format!("{word:?} is no decision; use approve_once, approve_session or deny"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_systems_are_decisions() {
        for (word, decision) in [
            ("approve_once", Decision::AllowOnce),
            ("Once", Decision::AllowOnce),
            ("Always", Decision::AllowSession),
            ("approve_session", Decision::AllowSession),
            ("Cancel", Decision::Deny),
            ("deny", Decision::Deny),
        ] {
            assert_eq!(decision_in_scope(word, None), Ok(decision), "{word}");
        }
        assert_eq!(decision_in_scope("approve", Some("session")), Ok(Decision::AllowSession));
        assert_eq!(decision_in_scope("approve", Some("once")), Ok(Decision::AllowOnce));
        assert_eq!(decision_in_scope("deny", Some("none")), Ok(Decision::Deny));
    }

    #[test]
    fn contradictory_words_are_refused() {
        assert!(decision_in_scope("approve_once", Some("session")).is_err());
        assert!(decision_in_scope("approve", Some("forever")).is_err());
        assert!(decision_in_scope("maybe", None).is_err());
    }
}
