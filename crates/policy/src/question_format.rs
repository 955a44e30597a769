//! The parts of an advisor question that this program fixes. The answers depend on them, so they belong to the advisor
//! configuration: a program that asks differently has to measure it again.

/// The question parts that no policy sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionFormat {
    /// The advisor document version.
    pub version: u32,
    /// The instructions to a model that follow the policy's prompt. `MARK` stands for the data's mark.
    pub chat_instructions: &'static str,
    /// The JSON Schema for model answers. It uses only what strict endpoints support.
    pub chat_schema: &'static str,
    /// The version of the rules by which facts are judged.
    pub facts_rules: &'static str,
}

impl QuestionFormat {
    /// The format of this program.
    pub const CURRENT: Self = Self {
        version: 1,
        chat_instructions: include_str!("question_format/chat_instructions.md"),
        chat_schema: include_str!("question_format/chat_schema.json"),
        facts_rules: "1",
    };
}
