//! Calls that ask people something: their questions in one neutral form, and the arguments that hold the answers.
//!
//! A question is a call like any other. Its answer is an approval with edited arguments, which hold the answers in the
//! form that the asking program reads.

mod choice_list;
mod form;
mod plan;
mod schema_form;
mod tools;
mod words;

pub use form::{BadAnswer, NumberKind, Question, QuestionAnswer, QuestionForm, QuestionKind, QuestionOption};
pub use tools::{CODEX_QUESTION, ELICITATION};

#[cfg(test)]
mod tests;
