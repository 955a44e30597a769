//! The effects of a command line's commands.

use super::{
    call_effects::CallEffects, cloud, database_programs, git, git_files, hosting, hosts, kubernetes,
    packages, processes, sql_clients,
};
use countersign_patterns::{ParsedScript, command::CommandWords};

/// Adds what a command line does in one of the folders.
pub(super) fn add_script(effects: &mut CallEffects, script: &ParsedScript, folders: &[String]) {
    effects.files.extend(script.file_uses(folders));
    if let Some(why) = script.find_unread() {
        effects.unread.get_or_insert(why);
    }
    // The folder to which the line goes is not known here.
    let stays = script.command_words().all(|command| !matches!(command.program(), "cd" | "pushd" | "popd"));
    let start: &[String] = if stays { folders } else { &[] };
    for command in script.command_words() {
        add_command(effects, command);
        effects.files.extend(git_files::uses_of_command(command, start));
    }
}

/// Adds what a command does, besides its uses of files.
pub(super) fn add_command(effects: &mut CallEffects, command: CommandWords<'_>) {
    effects.git.extend(hosting::uses_of_command(command).unwrap_or_else(|| git::uses_of_command(command)));
    effects.kubernetes.extend(kubernetes::uses_of_command(command));
    effects.packages.extend(packages::uses_of_command(command));
    effects.processes.extend(processes::uses_of_command(command));
    effects.cloud.extend(cloud::use_of_command(command));
    let statements = sql_clients::uses_of_command(command);
    let is_open = sql_clients::may_run_programs(command.program());
    if is_open && statements.iter().any(|used| used.kind.is_none()) {
        effects.unread.get_or_insert_with(|| "a statement to a database is not read".to_owned());
    }
    effects.sql.extend(statements);
    effects.sql.extend(database_programs::uses_of_command(command));
    effects.hosts.extend(hosts::uses_of_command(command));
}
