//! Reads the effects of a call from its commands and arguments.

use super::{arguments, call_effects::CallEffects, git, hosts, kubernetes, source::EffectSource, sql};
use crate::command_operand::CommandOperand;
use countersign_patterns::command::CommandWords;

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

fn add_command(effects: &mut CallEffects, command: CommandWords<'_>) {
    effects.git.extend(git::uses_of_command(command));
    effects.kubernetes.extend(kubernetes::use_of_command(command));
    let statements = sql::uses_of_command(command);
    if statements.iter().any(|used| used.kind.is_none()) {
        effects.unread.get_or_insert_with(|| "a statement to a database is not read".to_owned());
    }
    effects.sql.extend(statements);
    effects.hosts.extend(hosts::uses_of_command(command));
}
