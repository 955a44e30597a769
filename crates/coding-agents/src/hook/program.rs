//! The programs that run hooks, and how their messages and answers differ.

use super::{
    answer::HookAnswer,
    event::HookEvent,
    failure::HookFailure,
    message::{HookMessage, MAX_MESSAGE_BYTES},
};
use crate::EditSupport;
use std::fmt;

/// A program that runs hooks, with its messages and answers.
pub trait HookProgram: fmt::Debug + Send + Sync {
    /// Its name in commands.
    fn name(&self) -> &'static str;

    /// Parses a message.
    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure>;

    /// Writes an answer as JSON for stdout; empty if the program needs none.
    fn encode_answer(&self, answer: &HookAnswer, event: HookEvent) -> Result<String, serde_json::Error>;

    /// Returns true if the report after this tool has other arguments than the tool ran with, because the tool itself adds to
    /// them.
    fn changes_reported_input(&self, _tool: &str) -> bool {
        false
    }

    /// What the program does with changed arguments in an answer before a tool.
    fn edits(&self) -> EditSupport {
        EditSupport::Replaces
    }

    /// What the program does with changed arguments in the answer to a permission request.
    fn permission_edits(&self) -> EditSupport {
        EditSupport::Unsupported
    }

    /// The agent that runs this hook although it was installed for another one; it ignores changed arguments. `is_set` says
    /// which variables have a value.
    fn borrower(&self, _is_set: &dyn Fn(&str) -> bool) -> Option<&'static str> {
        None
    }

    /// The kind of agent: the principal and the place name it. `None` if the program may be any.
    fn kind(&self) -> Option<&'static str> {
        Some(self.name())
    }

    /// Returns true if the program shows its own prompts while the hook of a permission request runs, takes the first answer, and
    /// reads the answers to its questions in their arguments.
    fn prompts_beside_hooks(&self) -> bool {
        false
    }

    /// Returns true if the program's user sits in front of it. `variable` reads the environment.
    fn is_attended(&self, _variable: &dyn Fn(&str) -> Option<String>) -> bool {
        true
    }

    /// Returns true if the program has its own rules, which may decide on a call.
    fn has_own_rules(&self) -> bool {
        true
    }
}

impl dyn HookProgram + '_ {
    /// Reads a message. Fails if it is too large, not JSON, or about another event than the hook is for.
    pub fn read_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        if text.len() > MAX_MESSAGE_BYTES {
            let why = format!("the message has more than {MAX_MESSAGE_BYTES} bytes");
            return Err(HookFailure::BadMessage(why));
        }
        self.parse_message(text)
    }

    /// The executor for a call that the hook before the tool claimed. The call result names the same id.
    pub(super) fn executor(&self, id: &str) -> String {
        format!("{}:{id}", self.name())
    }

    /// The executor for a call that a permission request claimed.
    pub(super) fn permission_executor(&self, id: &str) -> String {
        format!("{}-permission:{id}", self.name())
    }

    /// The executor for a skill's command. The agent reports no result of it, so the session's end must not end it.
    pub(super) fn skill_executor(&self, id: &str) -> String {
        format!("{}-skill:{id}", self.name())
    }

    /// Returns true if the hook before the tool has this executor.
    pub(super) fn is_before_tool(&self, executor: &str) -> bool {
        executor.strip_prefix(self.name()).is_some_and(|rest| rest.starts_with(':'))
    }

    /// Returns true if any of this program's hooks has this executor.
    pub(super) fn is_executor(&self, executor: &str) -> bool {
        let rest = executor.strip_prefix(self.name());
        rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with("-permission:"))
    }
}
