//! The parts of a call from which its effects are read.

use super::ToolNameWords;
use crate::{
    JudgedCall,
    command_operand::CommandOperand,
    operands::CallOperands,
    value::{JsonPointer, OrderedValue},
};

/// The parts of a call from which its effects are read.
#[derive(Clone, Copy)]
pub(crate) struct EffectSource<'a> {
    pub(crate) subject: JudgedCall<'a>,
    /// The words in the tool name.
    pub(crate) name: &'a ToolNameWords,
    /// The arguments, or `None` if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    pub(crate) commands: &'a CallOperands<CommandOperand>,
    /// The pointers to the commands, with the arguments that belong to them.
    pub(crate) command_pointers: &'a [JsonPointer],
    /// The arguments that the policy declares harmless.
    pub(crate) harmless: &'a [JsonPointer],
    /// Whether the call has paths among its arguments.
    pub(crate) has_paths: bool,
    /// Whether the tool says of itself that it changes something.
    pub(crate) says_it_changes: bool,
}
