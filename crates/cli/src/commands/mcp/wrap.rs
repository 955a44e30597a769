//! `countersign mcp wrap` and `unwrap`: changing an MCP client configuration.

use countersign_console::{
    CliError, CommandContext, CommandExit, RunCache, called_program, confirm_change, diff_lines, escape_text,
    print_json, print_line,
};
use countersign_mcp::{
    BadClientConfig, ChangedConfig, ConfigSyntax, SkippedServer, unwrap_config, wrap_config,
};
use serde::Serialize;
use std::{
    fs,
    io::{IsTerminal, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The largest configuration in bytes.
const MAX_CONFIG_BYTES: u64 = 16 * 1024 * 1024;

/// Options of `mcp wrap` and `mcp unwrap`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The command shows the change and asks. It keeps the file as it was beside it, with the suffix .countersign-backup. \
A repeated command changes nothing.\n\n\
JSON: {\"file\", \"changed\": [the servers], \"skipped\": [{\"name\", \"why\"}, servers that keep their entry], \"backup\": the file, or \
null if nothing was changed}"
)]
pub(super) struct WrapArgs {
    /// The configuration file of the client: JSON, also with comments, or TOML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Do not ask for confirmation; required without a terminal
    #[arg(long)]
    yes: bool,
}

#[derive(Serialize)]
struct WrapReport<'a> {
    file: &'a Path,
    changed: &'a [String],
    skipped: &'a [SkippedServer],
    backup: Option<&'a Path>,
}

pub(super) fn wrap_client(context: &CommandContext, args: &WrapArgs) -> anyhow::Result<CommandExit> {
    // A client may start the program without the shell's PATH.
    let program = called_program()?;
    RunCache::warn_if_it_has(&program, "the client then starts none of its servers", "countersign mcp wrap");
    let program =
        program.to_str().ok_or_else(|| CliError::usage("the path of this program is not Unicode"))?;
    change_config(context, args, |text, syntax| wrap_config(text, syntax, program))
}

pub(super) fn unwrap_client(context: &CommandContext, args: &WrapArgs) -> anyhow::Result<CommandExit> {
    change_config(context, args, unwrap_config)
}

fn change_config(
    context: &CommandContext,
    args: &WrapArgs,
    change: impl Fn(&str, ConfigSyntax) -> Result<ChangedConfig, BadClientConfig>,
) -> anyhow::Result<CommandExit> {
    // The file itself is replaced, not a link to it.
    let shown = escape_text(&args.file.display().to_string());
    let bad = |why: String| CliError::usage(format!("{shown}: {why}"));
    let file = args.file.canonicalize().map_err(|why| bad(why.to_string()))?;
    if fs::metadata(&file)?.len() > MAX_CONFIG_BYTES {
        return Err(bad(format!("it has more than {MAX_CONFIG_BYTES} bytes")).into());
    }
    let text = fs::read_to_string(&file).map_err(|why| bad(why.to_string()))?;
    let changed = change(&text, ConfigSyntax::of_file(&file)).map_err(|why| bad(why.to_string()))?;
    let mut report =
        WrapReport { file: &file, changed: &changed.changed, skipped: &changed.skipped, backup: None };
    if changed.text == text {
        if context.json {
            print_json(&report)?;
        } else {
            print_line(&format!("{shown}: nothing to change"));
            print_skipped(&changed.skipped);
        }
        return Ok(CommandExit::DONE);
    }
    if !context.json {
        print_difference(context, &text, &changed.text);
        print_skipped(&changed.skipped);
    }
    if !args.yes {
        if context.json || !std::io::stdin().is_terminal() {
            let why = "nothing was changed: without a terminal, or with --json, confirm with --yes";
            return Err(CliError::usage(why).into());
        }
        if !confirm_change(&format!("Change {shown}?"))? {
            return Ok(CommandExit::DONE);
        }
    }
    let backup = replace_file(&file, &text, &changed.text)?;
    report.backup = Some(&backup);
    if context.json {
        print_json(&report)?;
    } else {
        let backup = escape_text(&backup.display().to_string());
        print_line(&format!("{shown} is changed; {backup} is as it was. Restart the client."));
    }
    Ok(CommandExit::DONE)
}

/// Keeps the file as a backup, and puts the new text in its place at once.
fn replace_file(file: &Path, before: &str, after: &str) -> anyhow::Result<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let backup = beside(".countersign-backup");
    let permissions = fs::metadata(file)?.permissions();
    write_new_file(&backup, before, &permissions)?;
    let partial = beside(".countersign-new");
    write_new_file(&partial, after, &permissions)?;
    fs::rename(&partial, file)?;
    Ok(backup)
}

/// Writes a file that other users cannot read at any time, unless they may read the original: it may contain secrets.
fn write_new_file(path: &Path, text: &str, permissions: &fs::Permissions) -> std::io::Result<()> {
    if path.symlink_metadata().is_ok() {
        fs::remove_file(path)?;
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(permissions.clone())?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn print_skipped(skipped: &[SkippedServer]) {
    for SkippedServer { name, why } in skipped {
        print_line(&format!("{} keeps its entry: {}", escape_text(name), escape_text(why)));
    }
}

fn print_difference(context: &CommandContext, before: &str, after: &str) {
    for line in diff_lines(before, after, &context.screen()) {
        print_line(&line);
    }
}

/// The number of servers behind the gateway in an MCP client configuration; `None` if it cannot be read.
pub(crate) fn count_wrapped_servers(path: &Path) -> Option<usize> {
    let text = read_config(path)?;
    Some(unwrap_config(&text, ConfigSyntax::of_file(path)).ok()?.wrapped.len())
}

/// The servers that a client starts without the gateway in a project folder.
pub(crate) fn unwrapped_servers(path: &Path, project: &Path) -> Vec<String> {
    let found = read_config(path).and_then(|text| wrap_config(&text, ConfigSyntax::of_file(path), "").ok());
    let Some(found) = found else { return Vec::new() };
    // The servers of another folder are not started here.
    let here = format!(" in {}", project.display());
    let names = found.changed.into_iter().chain(found.skipped.into_iter().map(|server| server.name));
    names
        .filter_map(|name| match name.strip_suffix(&here) {
            Some(own) => Some(own.to_owned()),
            None => (!name.contains(" in /")).then_some(name),
        })
        .collect()
}

fn read_config(path: &Path) -> Option<String> {
    let is_usable = |found: &fs::Metadata| found.is_file() && found.len() <= MAX_CONFIG_BYTES;
    fs::metadata(path).ok().filter(is_usable)?;
    fs::read_to_string(path).ok()
}
