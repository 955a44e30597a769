//! Reads the effects of a call from its commands and arguments.

use super::{arguments, call_effects::CallEffects, command_effects::add_command, source::EffectSource};
use crate::command_operand::CommandOperand;

/// Reads the effects of a call.
pub(crate) fn read_effects(source: EffectSource<'_>) -> CallEffects {
    let mut effects = CallEffects::default();
    let folders = arguments::folders_of_call(source);
    for script in source.commands.found.iter().flat_map(CommandOperand::scripts) {
        effects.files.extend(script.file_uses(&folders));
        if let Some(why) = script.find_unread() {
            effects.unread.get_or_insert(why);
        }
        for command in script.command_words() {
            add_command(&mut effects, command);
        }
    }
    if source.commands.gap.is_some() {
        effects.unread.get_or_insert_with(|| "an argument cannot be read".to_owned());
    }
    arguments::add_effects(source, &folders, &mut effects);
    effects
}
