//! `countersign policy import`

use crate::commands::policy::source::read_text;
use clap::ValueEnum;
use countersign_compat::golem_forge;
use countersign_console::{
    CliError, CommandContext, CommandExit, escape_text, print_error, print_json, print_line,
};
use countersign_policy::Policy;
use std::path::PathBuf;

/// The most bytes of a file to import.
const MAX_BYTES: usize = 256 * 1024;

/// The systems whose configuration can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImportedSystem {
    /// A worker file, golem-forge.config.yaml, or an approval configuration alone, in YAML or JSON
    GolemForge,
}

/// Options of `policy import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints a policy that asks, allows and blocks as the other system does, and changes nothing. What cannot be carried over is \
listed on stderr. Read the policy before you apply it: countersign policy apply FILE.

JSON: {\"toml\", \"notes\"}")]
pub(crate) struct PolicyImportArgs {
    /// The system that the file configures
    #[arg(long, value_enum, value_name = "SYSTEM", default_value = "golem-forge")]
    from: ImportedSystem,
    /// The file, - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn import_policy(
    context: &CommandContext,
    args: &PolicyImportArgs,
) -> anyhow::Result<CommandExit> {
    let stdin = args.file.as_os_str() == "-";
    let name = if stdin { "stdin".to_owned() } else { args.file.display().to_string() };
    let bad = |why: String| CliError {
        exit: CommandExit::USAGE,
        code: "bad_import",
        message: format!("{}: {why}", escape_text(&name)),
    };
    let text = read_text(&args.file)?;
    if text.len() > MAX_BYTES {
        return Err(bad(format!("has more than {MAX_BYTES} bytes, the maximum of a file to import")).into());
    }
    let imported = match args.from {
        ImportedSystem::GolemForge => golem_forge::read_configuration(&text).map_err(bad)?,
    };
    let toml = imported.to_toml(&name);
    Policy::read(&toml).map_err(|why| bad(format!("it cannot become a policy: {why}")))?;
    if context.json {
        print_json(&serde_json::json!({"toml": toml, "notes": imported.notes}))?;
    } else {
        print_line(toml.trim_end());
        for note in &imported.notes {
            print_error(&format!("note: {}", escape_text(note)));
        }
    }
    Ok(CommandExit::DONE)
}
