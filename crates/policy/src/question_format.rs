//! The parts of a question to an advisor that this program fixes. The answers depend on them, so they are a part of the
//! configuration of an advisor: a program that asks differently has to measure it again.

/// The parts of a question that no policy sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionFormat {
    /// The version of the document that each advisor gets.
    pub version: u32,
    /// The instructions to a model that follow the prompt of the policy. `MARK` stands for the mark of the data.
    pub chat_instructions: &'static str,
    /// The JSON Schema of the answer of a model. It uses only what strict endpoints support.
    pub chat_schema: &'static str,
}

impl QuestionFormat {
    /// The format of this program.
    pub const CURRENT: Self = Self {
        version: 1,
        chat_instructions: include_str!("question_format/chat_instructions.md"),
        chat_schema: include_str!("question_format/chat_schema.json"),
    };
}
