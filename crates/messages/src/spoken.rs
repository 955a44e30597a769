//! Decisions in words, such as `approve_once shell_cmd`. The grammar is small and complete: a message with an extra
//! word, a quotation mark or a second line decides nothing. Only a person's own message is read.
//!
//! ```text
//! message  = [ "@" agent [","] ] words [ "." | "!" ]
//! words    = once [call] | session [call] | no [call]
//!          | yes call [scope]
//!          | "I" no [ "the" ] call [noun]
//!          | "I" yes [ "the" ] call [noun] [scope]
//! call     = tool [id]
//! noun     = "execution" | "call" | "tool"
//! scope    = "once" | "for" [ "this" | "the" ] "session"
//! once     = "approve_once" | "allow_once" | "once"
//! session  = "approve_session" | "allow_session" | "always"
//! no       = "deny" | "cancel" | "reject"
//! yes      = "approve" | "allow"
//! ```
//!
//! An id has a digit, so that no word of a sentence is one. The phrases "I approve the X execution once" and "I deny the X tool"
//! are those of Agent World.

use crate::{
    answer::decision_of_word,
    neutral::{NeutralMessage, PartContent},
};
use countersign_api::Call;
use countersign_events::{Decision, EventType};

/// The longest text that may be a decision.
const MOST_BYTES: usize = 200;

/// A decision in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenDecision {
    /// The decision.
    pub decision: Decision,
    /// The tool that the words name.
    pub tool: Option<String>,
    /// The id of the call that the words name.
    pub call: Option<String>,
    /// The agent that the words address, whose call they decide.
    pub agent: Option<String>,
    /// The words as they were said, in lower case, so that a repetition is known.
    pub(crate) words: String,
}

/// The words in the last message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWords {
    /// The message's place.
    pub position: u32,
    /// What the words decide.
    pub decision: SpokenDecision,
    /// Why they are not the sender's words: the message names another author, or may.
    pub other_author: Option<String>,
}

/// The decision that a message is. `None` for any message that is more than a decision, and for all but a person's.
pub(crate) fn read_spoken(message: &NeutralMessage) -> Option<SpokenDecision> {
    match message.parts.as_slice() {
        [part] if message.kind == EventType::UserMessage => match &part.content {
            PartContent::Text(text) => {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
                Some(SpokenDecision { words, ..parse_spoken(text)? })
            }
            _ => None,
        },
        _ => None,
    }
}

/// How words name this call, so that they decide it and no other pending call: by its tool, or by its tool and id. Empty if it
/// needs no name; `None` if no words can name it.
#[must_use]
pub fn name_in_words(call: &Call, pending: &[Call]) -> Option<String> {
    let (tool, id) = (call.name.as_str(), call.id.as_str());
    let is_only =
        |fits: &dyn Fn(&Call) -> bool| !pending.iter().any(|other| other.id != call.id && fits(other));
    let names = |text: &str, id: Option<&str>| {
        let spoken = parse_spoken(&format!("approve_session {text}"));
        spoken.is_some_and(|spoken| (spoken.tool.as_deref(), spoken.call.as_deref()) == (Some(tool), id))
    };
    let both = format!("{tool} {id}");
    if is_only(&|other| other.name == call.name) && names(tool, None) {
        Some(tool.to_owned())
    } else if names(&both, Some(id)) {
        Some(both)
    } else {
        is_only(&|_| true).then(String::new)
    }
}

/// Parses what a person wrote.
fn parse_spoken(text: &str) -> Option<SpokenDecision> {
    let text = text.trim();
    if text.len() > MOST_BYTES || text.contains(|letter: char| letter.is_control()) {
        return None;
    }
    let text = text.strip_suffix(['.', '!']).unwrap_or(text);
    let words: Vec<_> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let agent = words.first().and_then(|word| read_mention(word));
    let words = if agent.is_some() { &words[1..] } else { &words[..] };
    let (first, rest) = words.split_first()?;
    let keyword = first.to_ascii_lowercase();
    let spoken = match keyword.as_str() {
        "i" => parse_sentence(rest)?,
        "approve" | "allow" => {
            let (call, rest) = parse_call(rest)?;
            call.decides(parse_scope(rest)?)
        }
        "approve_once" | "allow_once" | "once" | "approve_session" | "allow_session" | "always" | "deny"
        | "cancel" | "reject" => {
            let decision = decision_of_word(&keyword)?;
            match rest {
                [] => SpokenCall::default().decides(decision),
                rest => parse_call(rest).filter(|(_, rest)| rest.is_empty())?.0.decides(decision),
            }
        }
        _ => return None,
    };
    Some(SpokenDecision { agent: agent.map(str::to_owned), ..spoken })
}

/// The call that words name.
#[derive(Default)]
struct SpokenCall {
    tool: Option<String>,
    id: Option<String>,
}

impl SpokenCall {
    fn decides(self, decision: Decision) -> SpokenDecision {
        SpokenDecision { decision, tool: self.tool, call: self.id, agent: None, words: String::new() }
    }
}

/// A tool, with the id of a call if one follows, and the words after it.
fn parse_call<'a, 'b>(words: &'b [&'a str]) -> Option<(SpokenCall, &'b [&'a str])> {
    let (tool, rest) = words.split_first()?;
    let id = rest.first().filter(|word| is_tool_name(word) && word.contains(|c: char| c.is_ascii_digit()));
    let named = SpokenCall { tool: Some((*tool).to_owned()), id: id.map(|id| (*id).to_owned()) };
    let rest = if id.is_some() { &rest[1..] } else { rest };
    is_tool_name(tool).then_some((named, rest))
}

/// The words that may end an approval.
fn parse_scope(words: &[&str]) -> Option<Decision> {
    let words: Vec<_> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["once"] => Some(Decision::AllowOnce),
        ["for", "session"] | ["for", "this" | "the", "session"] => Some(Decision::AllowSession),
        _ => None,
    }
}

/// The words after `I`.
fn parse_sentence(words: &[&str]) -> Option<SpokenDecision> {
    let (verb, rest) = words.split_first()?;
    let rest = match rest {
        [the, rest @ ..] if the.eq_ignore_ascii_case("the") => rest,
        rest => rest,
    };
    let (call, rest) = parse_call(rest)?;
    let is_noun = |word: &str| matches!(word.to_ascii_lowercase().as_str(), "execution" | "call" | "tool");
    let rest = match rest {
        [noun, rest @ ..] if is_noun(noun) => rest,
        rest => rest,
    };
    match verb.to_ascii_lowercase().as_str() {
        "deny" | "reject" | "cancel" => rest.is_empty().then(|| call.decides(Decision::Deny)),
        "approve" | "allow" => Some(call.decides(parse_scope(rest)?)),
        _ => None,
    }
}

/// The name in `@name` and `@name,`.
fn read_mention(word: &str) -> Option<&str> {
    let name = word.strip_prefix('@')?;
    Some(name.strip_suffix(',').unwrap_or(name)).filter(|name| is_tool_name(name))
}

/// Returns true for a name without quotation marks, brackets and other signs of a sentence.
fn is_tool_name(name: &str) -> bool {
    let is_letter =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':' | '/');
    !name.is_empty() && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutral::NeutralPart;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Option<(Decision, Option<String>)> {
        parse_spoken(text).map(|spoken| (spoken.decision, spoken.tool))
    }

    #[test]
    fn words_of_the_seed_are_decisions() {
        let tool = || Some("shell_cmd".to_owned());
        for (text, decision) in [
            ("approve_once shell_cmd", Decision::AllowOnce),
            ("approve shell_cmd once", Decision::AllowOnce),
            ("@a1, approve_once shell_cmd", Decision::AllowOnce),
            ("@a1 approve_once shell_cmd.", Decision::AllowOnce),
            ("approve shell_cmd for session", Decision::AllowSession),
            ("@a1, approve_session shell_cmd", Decision::AllowSession),
            ("Approve shell_cmd for this session", Decision::AllowSession),
            ("deny shell_cmd", Decision::Deny),
            ("I deny the shell_cmd execution", Decision::Deny),
            ("@a1, I deny the shell_cmd execution.", Decision::Deny),
            ("reject shell_cmd", Decision::Deny),
            ("allow shell_cmd", Decision::AllowOnce),
            ("I deny the shell_cmd tool", Decision::Deny),
            ("I approve the shell_cmd execution once", Decision::AllowOnce),
            ("I approve the shell_cmd execution", Decision::AllowOnce),
            ("I approve shell_cmd once", Decision::AllowOnce),
            ("I approve the shell_cmd tool for this session", Decision::AllowSession),
            ("@a1, I approve the shell_cmd execution for this session.", Decision::AllowSession),
        ] {
            assert_eq!(parsed(text), Some((decision, tool())), "{text}");
        }
        for (text, decision) in
            [("Cancel", Decision::Deny), ("Once", Decision::AllowOnce), ("Always", Decision::AllowSession)]
        {
            assert_eq!(parsed(text), Some((decision, None)), "{text}");
        }
    }

    #[test]
    fn words_name_a_call_and_an_agent() {
        for (text, call, agent) in [
            ("approve_once bash call_2", Some("call_2"), None),
            ("approve bash call_2 for session", Some("call_2"), None),
            ("@a1, deny bash toolu_01Ab", Some("toolu_01Ab"), Some("a1")),
            ("I approve the bash call_2 execution once", Some("call_2"), None),
            ("@a1 Cancel", None, Some("a1")),
        ] {
            let spoken = parse_spoken(text).expect(text);
            assert_eq!((spoken.call.as_deref(), spoken.agent.as_deref()), (call, agent), "{text}");
            assert_eq!(
                spoken.tool.as_deref(),
                agent.is_none_or(|_| call.is_some()).then_some("bash"),
                "{text}"
            );
        }
        assert_eq!(parsed("approve_once bash please"), None, "an id has a digit");
    }

    #[test]
    fn longer_or_quoted_text_decides_nothing() {
        for text in [
            "",
            "yes",
            "no",
            "ok",
            "approve",
            "allow",
            "session",
            "I approve the shell_cmd execution twice",
            "I approve the shell_cmd once execution",
            "I deny the shell_cmd tool once",
            "do not approve_once shell_cmd",
            "don't approve shell_cmd for session",
            "never approve shell_cmd",
            "please approve_once shell_cmd",
            "approve_once shell_cmd and then deploy",
            "approve_once shell_cmd?",
            "should I approve_once shell_cmd",
            "approve shell_cmd for ever",
            "approve shell_cmd for session only if it is safe",
            "approve shell_cmd not",
            "approve_once, shell_cmd",
            "approve_once \"shell_cmd\"",
            "\"approve_once shell_cmd\"",
            "'approve_once shell_cmd'",
            "`approve_once shell_cmd`",
            "```approve_once shell_cmd```",
            "> approve_once shell_cmd",
            "- approve_once shell_cmd",
            "1. approve_once shell_cmd",
            "approve_once\nshell_cmd",
            "hello\napprove_once shell_cmd",
            "the agent wrote approve_once shell_cmd",
            "Reply approve_once shell_cmd",
            "approve_once shell_cmd, other_tool",
            "approve_once shell_cmd other_tool",
            "approve_once (shell_cmd)",
            "{\"decision\":\"approve_once\"}",
            "approve_once shell\u{200b}_cmd",
            "аpprove_once shell_cmd",
            "@a1, @a2, approve_once shell_cmd",
            "I deny",
            "I deny the",
            "I do deny the shell_cmd execution",
            "denied shell_cmd",
            "once upon a time",
            "always look on the bright side",
            "cancel my subscription please",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
        let long = format!("approve_once {}", "x".repeat(MOST_BYTES));
        assert_eq!(parsed(&long), None);
    }

    #[test]
    fn only_the_message_of_a_person_is_read() {
        let text = || vec![NeutralPart::text("approve_once shell_cmd")];
        let read = |kind, parts| read_spoken(&NeutralMessage::new(kind, parts));
        assert!(read(EventType::UserMessage, text()).is_some());
        for kind in [EventType::AgentMessage, EventType::SystemPrompt, EventType::LocalSystemMessage] {
            assert_eq!(read(kind, text()), None);
        }
        let two = vec![NeutralPart::text("approve_once shell_cmd"), NeutralPart::text("as you said")];
        assert_eq!(read(EventType::UserMessage, two), None, "the text is only a part of the message");
    }

    proptest! {
        #[test]
        fn decision_has_no_other_words(text in "(@a1, )?[a-zA-Z_ ,.!\"'`\n]{0,40}") {
            if let Some(spoken) = parse_spoken(&text) {
                let known = ["approve", "allow", "once", "session", "always", "deny", "cancel", "reject", "for", "this",
                    "the", "i", "execution", "call", "tool", "approve_once", "allow_once", "approve_session", "allow_session"];
                let named = [spoken.tool.unwrap_or_default(), spoken.call.unwrap_or_default()];
                let words = text.trim().trim_end_matches(['.', '!']).split(' ').filter(|word| !word.is_empty());
                let others = words.filter(|word| !word.starts_with('@') && !named.iter().any(|named| named == word));
                for word in others {
                    prop_assert!(known.contains(&word.to_ascii_lowercase().as_str()), "{word}");
                }
            }
        }
    }
}
