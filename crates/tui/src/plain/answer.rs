//! The answers that a person can type. An answer is exactly a word: a line that only starts with one, such as
//! `o not so fast`, decides nothing.

use countersign_console::{LimitChoice, ScopeKind};
use countersign_events::{Decision, GrantLimits, Json};

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlainAnswer {
    Decide {
        decision: Decision,
        scope: Option<DecidedScope>,
        comment: Option<String>,
        /// The arguments with the answers to the call's questions.
        answered: Option<Json>,
    },
    Edit,
    Next,
    TakeBack,
    Quit,
}

/// A complete answer's scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecidedScope {
    pub(super) scope: Json,
    /// Whether the decision also decides the waiting calls that the scope covers.
    pub(super) and_waiting: bool,
    pub(super) limits: GrantLimits,
}

/// A line that is an answer, perhaps without its scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedAnswer {
    Decide { decision: Decision, scope: TypedScope, limits: Option<LimitChoice>, comment: Option<String> },
    Edit,
    Next,
    TakeBack,
    Quit,
}

/// The scope in a typed answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedScope {
    /// Only this call.
    ThisCall,
    /// A session without a scope: the person is asked for it.
    NotNamed,
    Kind(ScopeKind),
    Pattern(Json),
}

/// The words that are accepted.
pub(super) const ACCEPTED_WORDS: &str = "Nothing was decided. Type exactly one of the words or its first letter: deny, \
    once, session, edit, next, undo, quit. A comment follows the word because: deny because …. A scope follows deny or \
    session: session exact, session pattern, session tool, session {\"command\": \"git status **\"}. How long a session is \
    remembered follows for: session exact for 30m; 1h, which is usual, 8h, 3 (calls within 1h) or thread";

/// Reads a line. Returns `None` if it is not exactly an answer.
pub(super) fn parse_answer(line: &str) -> Option<TypedAnswer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (scope, comment) = split_comment(rest.trim())?;
    let (scope, limits) = split_limits(scope)?;
    let decide = |decision: Decision, scope| {
        // A denial holds while its thread is open.
        let limits =
            if limits.is_some() && decision != Decision::AllowSession { return None } else { limits };
        Some(TypedAnswer::Decide { decision, scope, limits, comment: comment.map(str::to_owned) })
    };
    match word.to_ascii_lowercase().as_str() {
        "d" | "deny" if scope.is_empty() => decide(Decision::Deny, TypedScope::ThisCall),
        "d" | "deny" => decide(Decision::Deny, parse_scope(scope)?),
        "o" | "once" if scope.is_empty() => decide(Decision::AllowOnce, TypedScope::ThisCall),
        "s" | "session" if scope.is_empty() => decide(Decision::AllowSession, TypedScope::NotNamed),
        "s" | "session" => decide(Decision::AllowSession, parse_scope(scope)?),
        "e" | "edit" if rest.is_empty() => Some(TypedAnswer::Edit),
        "n" | "next" if rest.is_empty() => Some(TypedAnswer::Next),
        "u" | "undo" if rest.is_empty() => Some(TypedAnswer::TakeBack),
        "q" | "quit" if rest.is_empty() => Some(TypedAnswer::Quit),
        _ => None,
    }
}

/// Splits the limits off a scope: `exact for 30m`. Returns `None` for a word that is no limit.
fn split_limits(scope: &str) -> Option<(&str, Option<LimitChoice>)> {
    let (before, word) = match scope.strip_prefix("for ") {
        Some(word) => ("", word),
        None if scope.ends_with('}') => return Some((scope, None)),
        None => match scope.rsplit_once(" for ") {
            Some(parts) => parts,
            None => return Some((scope, None)),
        },
    };
    Some((before.trim(), Some(LimitChoice::from_word(word.trim())?)))
}

/// Splits the remaining answer into the scope and the comment after `because`. A pattern may contain the word.
fn split_comment(rest: &str) -> Option<(&str, Option<&str>)> {
    if rest.starts_with('{') && Json::parse(rest).is_ok() {
        return Some((rest, None));
    }
    if rest == "because" {
        return None;
    }
    if let Some(comment) = rest.strip_prefix("because ") {
        return Some(("", Some(comment.trim())));
    }
    // The scope ends at the first `because` after which it is complete.
    let mut ends =
        rest.match_indices(" because ").map(|(end, word)| (&rest[..end], &rest[end + word.len()..]));
    let is_complete = |scope: &str| {
        let pattern = split_limits(scope).map_or(scope, |(pattern, _)| pattern);
        !pattern.starts_with('{') || Json::parse(pattern).is_ok()
    };
    match ends.find(|(scope, _)| is_complete(scope)) {
        Some((scope, comment)) => Some((scope.trim(), Some(comment.trim()))),
        None => Some((rest, None)),
    }
}

fn parse_scope(text: &str) -> Option<TypedScope> {
    if text.starts_with('{') {
        return Json::parse(text).ok().map(TypedScope::Pattern);
    }
    ScopeKind::from_word(&text.to_ascii_lowercase()).map(TypedScope::Kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "has the type of the parsed answer")]
    fn decide(decision: Decision, scope: TypedScope, comment: Option<&str>) -> Option<TypedAnswer> {
        Some(TypedAnswer::Decide { decision, scope, limits: None, comment: comment.map(str::to_owned) })
    }

    #[test]
    fn limits_follow_the_scope() {
        let session = |scope, limits| {
            let comment = None;
            Some(TypedAnswer::Decide {
                decision: Decision::AllowSession,
                scope,
                limits: Some(limits),
                comment,
            })
        };
        assert_eq!(parse_answer("s for 30m"), session(TypedScope::NotNamed, LimitChoice::HalfHour));
        let exact = TypedScope::Kind(ScopeKind::Exact);
        assert_eq!(parse_answer("s exact for 3"), session(exact, LimitChoice::ThreeCalls));
        let pattern = Json::parse(r#"{"command":"wait for 8h"}"#).expect("valid");
        let typed = parse_answer(r#"s {"command":"wait for 8h"} for thread"#);
        assert_eq!(typed, session(TypedScope::Pattern(pattern.clone()), LimitChoice::Thread));
        let typed = parse_answer(r#"s {"command":"wait for 8h"}"#);
        assert_eq!(typed, decide(Decision::AllowSession, TypedScope::Pattern(pattern), None));
        for wrong in ["s for ever", "s exact for", "d exact for 1h", "o for 1h", "s exact for 2h"] {
            assert_eq!(parse_answer(wrong), None, "{wrong}");
        }
        let Some(TypedAnswer::Decide { limits, comment, .. }) = parse_answer("s x for 8h because for 2h")
        else {
            panic!("an answer")
        };
        assert_eq!((limits, comment.as_deref()), (Some(LimitChoice::EightHours), Some("for 2h")));
    }

    #[test]
    fn parse_answer_accepts_letters_and_words() {
        assert_eq!(parse_answer("d"), decide(Decision::Deny, TypedScope::ThisCall, None));
        assert_eq!(
            parse_answer("  Deny because not today "),
            decide(Decision::Deny, TypedScope::ThisCall, Some("not today"))
        );
        assert_eq!(parse_answer("once"), decide(Decision::AllowOnce, TypedScope::ThisCall, None));
        assert_eq!(parse_answer("e"), Some(TypedAnswer::Edit));
        assert_eq!(parse_answer("next"), Some(TypedAnswer::Next));
        assert_eq!(parse_answer("u"), Some(TypedAnswer::TakeBack));
        assert_eq!(parse_answer("quit"), Some(TypedAnswer::Quit));
    }

    #[test]
    fn parse_answer_scope_has_fixed_words() {
        let session = |scope, comment| decide(Decision::AllowSession, scope, comment);
        assert_eq!(parse_answer("s"), session(TypedScope::NotNamed, None));
        assert_eq!(parse_answer("session because exact"), session(TypedScope::NotNamed, Some("exact")));
        assert_eq!(
            parse_answer("s x because fine because small"),
            session(TypedScope::Kind(ScopeKind::Exact), Some("fine because small"))
        );
        assert_eq!(parse_answer("session tool"), session(TypedScope::Kind(ScopeKind::Tool), None));
        let pattern = Json::parse(r#"{"command":"echo because *"}"#).expect("valid");
        assert_eq!(
            parse_answer(r#"s {"command":"echo because *"}"#),
            session(TypedScope::Pattern(pattern.clone()), None)
        );
        assert_eq!(
            parse_answer(r#"d {"command":"echo because *"} because noisy"#),
            decide(Decision::Deny, TypedScope::Pattern(pattern), Some("noisy"))
        );
        assert_eq!(parse_answer("d p"), decide(Decision::Deny, TypedScope::Kind(ScopeKind::Pattern), None));
    }

    #[test]
    fn word_with_other_text_is_no_answer() {
        for line in [
            "o not so fast",
            "once more please",
            "o exact",
            "d not today",
            "deny because",
            "s yes",
            "s 1",
            r#"s {"a"#,
            "next one",
            "undo all",
            "e because I want",
            "dd",
            "yes",
            "",
        ] {
            assert_eq!(parse_answer(line), None, "{line}");
        }
    }
}
