//! Decisions in words, such as `approve_once shell_cmd`. The grammar is small and complete: a text that has one more word
//! than it, a quotation mark or a second line decides nothing. Only a person's own message is read.
//!
//! ```text
//! message  = [ "@" name [","] ] words [ "." | "!" ]
//! words    = once [tool] | session [tool] | no [tool]
//!          | yes tool [ "once" ] | yes tool "for" [ "this" | "the" ] "session"
//!          | "I" no [ "the" ] tool [ "execution" | "call" ]
//! once     = "approve_once" | "allow_once" | "once"
//! session  = "approve_session" | "allow_session" | "always"
//! no       = "deny" | "cancel" | "reject"
//! yes      = "approve" | "allow"
//! ```

use crate::{
    answer::decision_of_word,
    neutral::{NeutralMessage, PartContent},
};
use countersign_events::{EventType, event::Decision};

/// The longest text that may be a decision.
const MOST_BYTES: usize = 200;

/// A decision in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenDecision {
    /// The decision.
    pub decision: Decision,
    /// The tool that the words name.
    pub tool: Option<String>,
    /// The words as they were said, in lower case, so that a repetition is known.
    pub(crate) words: String,
}

/// The words of the last message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWords {
    /// The place of the message.
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

/// Parses the text of a person.
fn parse_spoken(text: &str) -> Option<SpokenDecision> {
    let text = text.trim();
    if text.len() > MOST_BYTES || text.contains(|letter: char| letter.is_control()) {
        return None;
    }
    let text = text.strip_suffix(['.', '!']).unwrap_or(text);
    let mut words: Vec<_> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if words.first().is_some_and(|word| is_mention(word)) {
        words.remove(0);
    }
    let (first, rest) = words.split_first()?;
    let keyword = first.to_ascii_lowercase();
    match keyword.as_str() {
        "i" => parse_denial(rest),
        "approve" | "allow" => parse_approval(rest),
        "approve_once" | "allow_once" | "once" | "approve_session" | "allow_session" | "always" | "deny"
        | "cancel" | "reject" => {
            let decision = decision_of_word(&keyword)?;
            match rest {
                [] => Some(SpokenDecision { decision, tool: None, words: String::new() }),
                [tool] => spoken(decision, tool),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The words after `approve`.
fn parse_approval(words: &[&str]) -> Option<SpokenDecision> {
    let (tool, scope) = words.split_first()?;
    let scope: Vec<_> = scope.iter().map(|word| word.to_ascii_lowercase()).collect();
    let scope: Vec<_> = scope.iter().map(String::as_str).collect();
    let decision = match scope.as_slice() {
        [] | ["once"] => Decision::AllowOnce,
        ["for", "session"] | ["for", "this" | "the", "session"] => Decision::AllowSession,
        _ => return None,
    };
    spoken(decision, tool)
}

/// The words after `I`.
fn parse_denial(words: &[&str]) -> Option<SpokenDecision> {
    let (verb, rest) = words.split_first()?;
    if !matches!(verb.to_ascii_lowercase().as_str(), "deny" | "reject" | "cancel") {
        return None;
    }
    let rest = match rest {
        [the, rest @ ..] if the.eq_ignore_ascii_case("the") => rest,
        rest => rest,
    };
    match rest {
        [tool] => spoken(Decision::Deny, tool),
        [tool, what] if matches!(what.to_ascii_lowercase().as_str(), "execution" | "call") => {
            spoken(Decision::Deny, tool)
        }
        _ => None,
    }
}

fn spoken(decision: Decision, tool: &str) -> Option<SpokenDecision> {
    is_tool_name(tool).then(|| SpokenDecision { decision, tool: Some(tool.to_owned()), words: String::new() })
}

/// True for `@name` and `@name,`.
fn is_mention(word: &str) -> bool {
    word.strip_prefix('@').is_some_and(|name| is_tool_name(name.strip_suffix(',').unwrap_or(name)))
}

/// True for a name without quotation marks, brackets and other signs of a sentence.
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
    fn longer_or_quoted_text_decides_nothing() {
        for text in [
            "",
            "yes",
            "no",
            "ok",
            "approve",
            "allow",
            "session",
            "I approve the shell_cmd execution",
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
                    "the", "i", "execution", "call", "approve_once", "allow_once", "approve_session", "allow_session"];
                let tool = spoken.tool.unwrap_or_default();
                let words = text.trim().trim_end_matches(['.', '!']).split(' ').filter(|word| !word.is_empty());
                let others = words.filter(|word| !word.starts_with('@') && *word != tool);
                for word in others {
                    prop_assert!(known.contains(&word.to_ascii_lowercase().as_str()), "{word}");
                }
            }
        }
    }
}
