//! Looks up a command's program as the kernel does when it starts one: in the PATH folders, and with the right to
//! execute it.

use countersign_console::{CliError, CommandExit, escape_text};
use rustix::fs::{Access, access};
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// The folders without the variable PATH.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Commands that only a shell has.
const BUILTINS: &[&str] =
    &["alias", "cd", "eval", "exec", "export", "set", "source", "ulimit", "umask", "unset"];

/// Fails with exit code 127 if the program does not exist, and with 126 if it cannot be executed.
pub(super) fn check_program(words: &[OsString]) -> Result<(), CliError> {
    let Some(program) = words.first() else { return Ok(()) };
    let path = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    let name = escape_text(&program.to_string_lossy());
    match look_up(program, &path) {
        LookUp::Executable => Ok(()),
        LookUp::NotExecutable(found) => {
            let found = escape_text(&found.to_string_lossy());
            let why = if Path::new(&found).is_dir() { "is a folder" } else { "is not executable" };
            let message = format!("{found} {why}, so nothing was proposed");
            Err(CliError { exit: CommandExit::NOT_EXECUTABLE, code: "not_executable", message })
        }
        LookUp::Missing => {
            let place = if has_folder(program) { "does not exist" } else { "is not in PATH" };
            let message = format!("{name} {place}, so nothing was proposed{}", shell_hint(words));
            Err(CliError { exit: CommandExit::NOT_FOUND, code: "program_not_found", message })
        }
    }
}

enum LookUp {
    Executable,
    /// The first file of that name, which may not be executed.
    NotExecutable(PathBuf),
    Missing,
}

fn look_up(program: &OsStr, path: &OsStr) -> LookUp {
    let candidates: Vec<PathBuf> = if has_folder(program) {
        vec![program.into()]
    } else {
        // An empty entry of PATH is the current folder.
        std::env::split_paths(path).map(|folder| Path::new(".").join(folder).join(program)).collect()
    };
    let mut refused = None;
    for candidate in candidates {
        let Ok(found) = candidate.metadata() else { continue };
        if found.is_file() && access(&candidate, Access::EXEC_OK).is_ok() {
            return LookUp::Executable;
        }
        // The kernel reports a folder in PATH as missing, and one that is named with its path as not executable.
        if found.is_file() || has_folder(program) {
            refused = refused.or(Some(candidate));
        }
    }
    refused.map_or(LookUp::Missing, LookUp::NotExecutable)
}

fn has_folder(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

/// The way to run a command that only a shell understands.
fn shell_hint(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let is_line =
        words.len() == 1 && words[0].contains(|c: char| c.is_whitespace() || "|&;<>()$`".contains(c));
    let is_builtin = BUILTINS.contains(&&*words[0]);
    if !is_line && !is_builtin {
        return String::new();
    }
    let line = words.join(" ");
    let quoted = shlex::try_quote(&line).map(|quoted| escape_text(&quoted)).unwrap_or_default();
    format!("; run a shell for a line of shell: countersign run -- sh -c {quoted}")
}
