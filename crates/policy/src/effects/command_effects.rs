//! The effects of one command of a command line, besides those on files.

use super::{call_effects::CallEffects, cloud, git, hosts, kubernetes, packages, processes, sql};
use countersign_patterns::command::CommandWords;

/// Adds the effects of a command.
pub(super) fn add_command(effects: &mut CallEffects, command: CommandWords<'_>) {
    effects.git.extend(git::uses_of_command(command));
    effects.kubernetes.extend(kubernetes::use_of_command(command));
    effects.packages.extend(packages::uses_of_command(command));
    effects.processes.extend(processes::uses_of_command(command));
    effects.cloud.extend(cloud::use_of_command(command));
    let statements = sql::uses_of_command(command);
    if statements.iter().any(|used| used.kind.is_none()) {
        effects.unread.get_or_insert_with(|| "a statement to a database is not read".to_owned());
    }
    effects.sql.extend(statements);
    effects.hosts.extend(hosts::uses_of_command(command));
}
