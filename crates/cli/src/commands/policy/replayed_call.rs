//! The words for a replayed call: what was decided then, and the verdict now.

use countersign_console::{count_words, escape_text, print_error, verdict_word};
use countersign_events::{Basis, Source};
use countersign_replay::ReplayedCall;

/// The recorded decision in words.
pub(super) fn describe_then(case: &ReplayedCall) -> String {
    let then = &case.then;
    let Some(by) = then.by.as_ref().map(|by| escape_text(by.as_str())) else {
        return "not decided".to_owned();
    };
    let what = match then.source {
        _ if then.changed => "changed by",
        Some(Source::Expiry) => "expired,",
        _ if then.denied => "denied by",
        _ => "allowed by",
    };
    let comment =
        then.comment.as_ref().map_or(String::new(), |comment| format!(": {}", escape_text(comment)));
    format!("{what} {by}{comment}")
}

/// The policy verdict in words.
pub(super) fn describe_now(case: &ReplayedCall) -> String {
    let by = case.now.rule.as_ref().map_or_else(|| basis_word(case.now.basis), |rule| escape_text(rule));
    let terms = case.now.terms.as_ref().map_or(String::new(), |terms| format!(": {}", escape_text(terms)));
    format!("{} by {by}{terms}", verdict_word(case.now.verdict))
}

/// What gave the verdict in the policy, if it was not a rule.
pub(super) fn basis_word(basis: Basis) -> String {
    match basis {
        Basis::Tool => "tool metadata".to_owned(),
        _ => "default".to_owned(),
    }
}

/// Names the number of calls that could not be read, if there are any.
pub(super) fn report_damaged(damaged: u64) {
    if damaged > 0 {
        let calls = count_words(damaged, "call");
        print_error(&format!("{calls} cannot be read and were left out: countersign verify"));
    }
}
