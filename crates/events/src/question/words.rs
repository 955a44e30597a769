//! Questions in words, for displays of text.

use super::form::{Question, QuestionForm};

impl QuestionForm {
    /// The form in lines: the message, and each question with its numbered options. A display escapes them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut add = |lead: &str, text: &str| {
            lines.extend(text.trim_end().split('\n').map(|line| format!("{lead}{line}")));
        };
        if let Some(text) = &self.message {
            add("", text);
        }
        if let Some(text) = &self.source {
            add("", &format!("(from {text})"));
        }
        for question in &self.questions {
            let header = question.header.as_ref().map(|header| format!("{header}: ")).unwrap_or_default();
            add("", &format!("{header}{}{}", question.text, question.describe_kind()));
            for (index, option) in question.options.iter().enumerate() {
                let description = option.description.as_ref().map(|text| format!(": {text}"));
                add("  ", &format!("{} {}{}", index + 1, option.label, description.unwrap_or_default()));
                if let Some(preview) = &option.preview {
                    add("      ", preview);
                }
            }
        }
        lines
    }
}

impl Question {
    /// What an answer may be, in brackets; empty if there is nothing to say.
    #[must_use]
    pub fn describe_kind(&self) -> String {
        let preset = self.preset.join(", ");
        let parts = [
            self.hint.clone(),
            self.multiple.then(|| "several answers are possible".to_owned()),
            (!self.required).then(|| "optional".to_owned()),
            (!preset.is_empty()).then(|| format!("suggested: {preset}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
    }
}
