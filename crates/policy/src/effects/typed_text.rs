//! Code and command lines that a call gives to a tool that is no shell of a coding agent.

use super::{
    call_effects::CallEffects,
    command_effects::add_script,
    source::EffectSource,
    texts::TextArgument,
    word_list::{has_word, split_name},
};
use crate::{RuleEffect, harmless::ToolKind};
use countersign_patterns::ParsedScript;

/// The names of arguments that are code in a language that is not read.
const CODE_KEYS: &str =
    "cell_source code expression func function javascript js python python_code source_code statement";
/// Tools that run whatever text they get.
const CODE_TOOLS: &str = "code_interpreter eval ipython javascript node python python3 repl";
/// Tools that type into a program that already runs, of which the line shows nothing.
const TYPING_TOOLS: &str = "send_input send_keys send_text type_keys write_stdin write_to_terminal";
/// Words in the names of tools that run command lines.
const TERMINAL_WORDS: &str = "bash cmd console exec execute pty run shell ssh terminal tmux";
/// The names of arguments that are command lines for such tools.
const LINE_KEYS: &str = "chars cmdline command_line data input keys line lines stdin text";
/// The names of arguments that are command lines for every tool.
const COMMAND_KEYS: &str = "cmds commands";

/// Adds what the arguments run.
pub(super) fn add_effects(
    source: EffectSource<'_>,
    texts: &[TextArgument<'_>],
    folders: &[String],
    effects: &mut CallEffects,
) {
    let tool = source.subject.tool.as_str();
    let own = tool.rsplit("__").next().unwrap_or(tool).to_lowercase();
    let is_edit = ToolKind::Edit.includes(tool, RuleEffect::Restrict);
    // Without a server, `send_input` sends words to a sub-agent of the agent.
    let types = has_word(TYPING_TOOLS, &own) && tool != "send_input";
    let has_terminal = split_name(tool).iter().any(|word| has_word(TERMINAL_WORDS, word));
    for argument in texts.iter().filter(|argument| !argument.text.is_empty()) {
        let key = argument.key().to_lowercase();
        let runs_code = !is_edit && has_word(CODE_KEYS, &key) || has_word(CODE_TOOLS, &own);
        if runs_code || types {
            effects.unread.get_or_insert_with(|| format!("the text in `{}` is not read", argument.key()));
        } else if has_word(COMMAND_KEYS, &key) || has_terminal && has_word(LINE_KEYS, &key) {
            let script = ParsedScript::parse(&argument.text);
            add_script(effects, &script, folders);
        }
    }
}
