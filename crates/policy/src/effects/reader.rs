//! Reads the effects of a call from its commands and arguments.

use super::{
    arguments, branch_files, call_effects::CallEffects, command_effects::add_script,
    current_branch::keeps_current_branch, hosts, source::EffectSource,
};
use crate::command_operand::CommandOperand;

/// Reads the effects of a call.
pub(crate) fn read_effects(source: EffectSource<'_>) -> CallEffects {
    let mut effects = CallEffects::default();
    let folders = arguments::folders_of_call(source);
    for script in source.commands.found.iter().flat_map(CommandOperand::scripts) {
        add_script(&mut effects, script, &folders);
    }
    if source.commands.gap.is_some() {
        effects.unread.get_or_insert_with(|| "an argument cannot be read".to_owned());
    }
    arguments::add_effects(source, &folders, &mut effects);
    effects.git.extend(branch_files::uses_of_files(&effects.files, &folders));
    effects.hosts.extend(hosts::uses_of_files(&effects.files));
    name_current_branch(source, &mut effects);
    effects
}

/// Names the branch that is checked out where the call runs, if its proposer says which one that is, and no command of the call may
/// change that before it is used.
fn name_current_branch(source: EffectSource<'_>, effects: &mut CallEffects) {
    let Some(branch) = source.subject.place.and_then(|place| place.branch.as_ref()) else { return };
    let scripts = || source.commands.found.iter().flat_map(CommandOperand::scripts);
    let is_kept = scripts().all(|script| script.command_words().all(keeps_current_branch));
    for used in effects.git.iter_mut().filter(|used| used.is_current && is_kept) {
        used.branch = Some(branch.clone());
    }
}
