//! Questions and their answers, in a form that any page can show.

use crate::json::{ExactDecimal, JsonTree};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most questions of a form, and the most options of a question.
const MOST_PARTS: usize = 64;

/// What a call asks people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"kind": "questions", "questions": [{"text": "Which database?", "header": "Database", "options": [{"label": "SQLite", "description": "one file"}, {"label": "PostgreSQL"}], "multiple": false, "freeText": true, "required": true}], "isComplete": true}))))]
#[serde(rename_all = "camelCase")]
pub struct QuestionForm {
    /// What is asked.
    pub kind: QuestionKind,
    /// The text above the questions: the plan, or the server's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where it comes from: the file of the plan, or the name of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The questions, in their order. A plan has none.
    #[serde(default)]
    pub questions: Vec<Question>,
    /// Whether the form says everything that is in the arguments. If not, a display must show the arguments, too.
    pub is_complete: bool,
}

/// What a form asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples("questions")))]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// Questions, which `answers` of an approval answers. An approval without answers lets the program ask its own user.
    Questions,
    /// A plan: an approval lets the agent carry it out, and the comment of a denial says what to change.
    Plan,
    /// A kind that only a newer version knows.
    #[serde(other)]
    Other,
}

/// One question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"text": "Which database?", "options": [{"label": "SQLite"}], "multiple": false, "freeText": true, "required": true}))))]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The question.
    pub text: String,
    /// Its title, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What the answer should be like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The options.
    #[serde(default)]
    pub options: Vec<QuestionOption>,
    /// Whether the answer may have several parts.
    pub multiple: bool,
    /// Whether the answer may be, or contain, free text that is no option.
    pub free_text: bool,
    /// Whether free text must be a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<NumberKind>,
    /// Whether the question needs an answer.
    pub required: bool,
    /// The answer that the program suggests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preset: Vec<String>,
}

/// The number that an answer must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples("integer")))]
#[serde(rename_all = "lowercase")]
pub enum NumberKind {
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// A kind that only a newer version knows, and checks.
    #[serde(other)]
    Other,
}

impl NumberKind {
    /// Describes it in words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Other => "a certain number",
        }
    }

    fn admits(self, text: &str) -> bool {
        ExactDecimal::parse(text.trim()).is_some_and(|number| self != Self::Integer || number.is_whole())
    }
}

/// One option of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"label": "SQLite", "description": "one file"}))))]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// Its name, which an answer repeats.
    pub label: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What choosing it would give, such as a piece of code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// The answer to one question: the labels of the chosen options, and free text if there is any. It is empty if the question stays
/// unanswered.
pub type QuestionAnswer = Vec<String>;

/// The reason why answers do not fit the questions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// The number of answers differs from the number of questions.
    #[error(
        "there are {questions} questions and {answers} answers; give one list for each question, in their order"
    )]
    Count {
        /// The number of questions.
        questions: usize,
        /// The number of answers.
        answers: usize,
    },
    /// A question that needs an answer has none.
    #[error("{0:?} needs an answer")]
    Missing(String),
    /// A question got several answers and takes one.
    #[error("{0:?} takes one answer")]
    Several(String),
    /// An answer is no option, and the question takes no text.
    #[error("{answer:?} is no option of {question:?}; the options are {options}")]
    NoOption {
        /// The question.
        question: String,
        /// The answer.
        answer: String,
        /// The labels.
        options: String,
    },
    /// A text is not what the question asks for.
    #[error("{answer:?} does not answer {question:?}: it must be {wanted}")]
    WrongText {
        /// The question.
        question: String,
        /// The answer.
        answer: String,
        /// The wanted kind of text.
        wanted: &'static str,
    },
}

impl QuestionForm {
    /// Returns true if each answer can only mean one thing.
    pub(super) fn is_clear(&self) -> bool {
        let texts: HashSet<&str> = self.questions.iter().map(|question| question.text.as_str()).collect();
        let has_own_labels = |question: &Question| {
            let labels: HashSet<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
            labels.len() == question.options.len()
                && !labels.contains("")
                && labels.len() <= MOST_PARTS
                && (question.free_text || !labels.is_empty())
        };
        let is_empty = self.kind == QuestionKind::Questions && self.questions.is_empty();
        !is_empty
            && texts.len() == self.questions.len()
            && texts.len() <= MOST_PARTS
            && self.questions.iter().all(has_own_labels)
    }
}

impl Question {
    /// Checks that an answer fits.
    pub fn check(&self, answer: &[String]) -> Result<(), BadAnswer> {
        let text = || self.text.clone();
        if answer.iter().all(|part| part.trim().is_empty()) {
            return if self.required { Err(BadAnswer::Missing(text())) } else { Ok(()) };
        }
        if answer.len() > 1 && !self.multiple {
            return Err(BadAnswer::Several(text()));
        }
        let is_option = |part: &&String| self.options.iter().any(|option| option.label == **part);
        let mut texts = answer.iter().filter(|part| !is_option(part));
        if !self.free_text
            && let Some(other) = texts.next()
        {
            let labels: Vec<&str> = self.options.iter().map(|option| option.label.as_str()).collect();
            let options = labels.join(", ");
            return Err(BadAnswer::NoOption { question: text(), answer: other.clone(), options });
        }
        match self.number.and_then(|number| Some((number, texts.find(|part| !number.admits(part))?))) {
            None => Ok(()),
            Some((number, other)) => {
                let wanted = number.describe();
                Err(BadAnswer::WrongText { question: text(), answer: other.clone(), wanted })
            }
        }
    }
}

/// Returns true if an object has no other members than these.
pub(super) fn has_only(tree: &JsonTree, names: &[&str]) -> bool {
    match tree {
        JsonTree::Object(members) => members.iter().all(|(name, _)| names.contains(&name.as_str())),
        _ => false,
    }
}
