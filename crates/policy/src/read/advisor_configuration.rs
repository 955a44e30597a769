//! The hash of the advisor settings that affect its answers.

use super::node::TomlNode;
use crate::{advisor::AdvisorTarget, question_format::QuestionFormat};
use countersign_events::{AdvisorProtocol, Sha256};

/// Hashes everything that affects the advisor's answers: its settings, and how this program asks.
pub(super) fn hash_configuration(
    protocol: AdvisorProtocol,
    target: &AdvisorTarget,
    applies: Option<&TomlNode>,
    format: &QuestionFormat,
) -> Sha256 {
    let applies = applies.map(TomlNode::canonical_text).unwrap_or_default();
    let version = format.version.to_string();
    let parts: Vec<&str> = match target {
        AdvisorTarget::Service { url, .. } => vec!["url", url],
        AdvisorTarget::Command(words) => {
            std::iter::once("command").chain(words.iter().map(String::as_str)).collect()
        }
        AdvisorTarget::Cedar { policies } => vec!["policies", policies],
        AdvisorTarget::Facts => vec!["rules", format.facts_rules],
        AdvisorTarget::Chat { url, model, prompt, .. } => {
            let (instructions, schema) = (format.chat_instructions, format.chat_schema);
            vec!["url", url, "model", model, "prompt", prompt, "instructions", instructions, "schema", schema]
        }
    };
    // The length before each part separates the parts.
    let hashed = [protocol.as_str(), &version, &applies].into_iter().chain(parts);
    let texts: Vec<_> = hashed.map(|part| format!("{}:{part}\n", part.len())).collect();
    Sha256::digest(texts.concat().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURRENT: QuestionFormat = QuestionFormat::CURRENT;

    fn hash(target: &AdvisorTarget, format: &QuestionFormat) -> Sha256 {
        let protocol = match target {
            AdvisorTarget::Chat { .. } => AdvisorProtocol::Chat,
            _ => AdvisorProtocol::Countersign,
        };
        hash_configuration(protocol, target, None, format)
    }

    fn chat() -> AdvisorTarget {
        AdvisorTarget::Chat {
            url: "https://models.example/v1".to_owned(),
            allow_private: false,
            model: "small".to_owned(),
            prompt: "Judge.".to_owned(),
            key: None,
        }
    }

    #[test]
    fn other_instructions_make_a_model_unproven() {
        let chat = chat();
        let current = hash(&chat, &CURRENT);
        assert_ne!(hash(&chat, &QuestionFormat { chat_instructions: "Answer.", ..CURRENT }), current);
        assert_ne!(hash(&chat, &QuestionFormat { chat_schema: "{}", ..CURRENT }), current);
        assert_ne!(hash(&chat, &QuestionFormat { version: 2, ..CURRENT }), current);
        let shifted = QuestionFormat { chat_instructions: "", ..CURRENT };
        assert_ne!(hash(&chat, &shifted), hash(&chat, &QuestionFormat { chat_schema: "", ..CURRENT }));
    }

    #[test]
    fn other_instructions_leave_a_program_proven() {
        let program = AdvisorTarget::Command(vec!["/opt/judge".to_owned()]);
        let current = hash(&program, &CURRENT);
        assert_eq!(hash(&program, &QuestionFormat { chat_instructions: "Answer.", ..CURRENT }), current);
        assert_ne!(
            hash(&program, &QuestionFormat { version: 2, ..CURRENT }),
            current,
            "its question differs"
        );
    }
}
