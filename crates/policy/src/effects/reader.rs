//! Reads the effects of a call from its commands and arguments.

use super::{
    arguments, call_effects::CallEffects, command_effects::add_command, git, git_files, source::EffectSource,
};
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
        // The folder to which the line goes is not known here.
        let stays =
            script.command_words().all(|command| !matches!(command.program(), "cd" | "pushd" | "popd"));
        let start: &[String] = if stays { &folders } else { &[] };
        for command in script.command_words() {
            add_command(&mut effects, command);
            effects.files.extend(git_files::uses_of_command(command, start));
        }
    }
    if source.commands.gap.is_some() {
        effects.unread.get_or_insert_with(|| "an argument cannot be read".to_owned());
    }
    arguments::add_effects(source, &folders, &mut effects);
    name_current_branch(source, &mut effects);
    effects
}

/// Names the branch that is checked out where the call runs, if its proposer says which one that is, and no command of the call may
/// change that before it is used.
fn name_current_branch(source: EffectSource<'_>, effects: &mut CallEffects) {
    let Some(branch) = source.subject.place.and_then(|place| place.branch.as_ref()) else { return };
    let scripts = || source.commands.found.iter().flat_map(CommandOperand::scripts);
    let is_kept = scripts().all(|script| script.command_words().all(git::keeps_current_branch));
    for used in effects.git.iter_mut().filter(|used| used.is_current && is_kept) {
        used.branch = Some(branch.clone());
    }
}
