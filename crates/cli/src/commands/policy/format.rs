//! `countersign policy fmt`

use crate::commands::policy::source::read_text;
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_error, print_line};
use countersign_policy as policy;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Options of `policy fmt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It changes order and spacing, never the meaning, and keeps comments. A file is rewritten only if it changes; \
with stdin, the result goes to stdout. With --check, it exits with 1 if the layout would change.")]
pub(crate) struct PolicyFormatArgs {
    /// Change nothing, and report whether the layout would change
    #[arg(long)]
    check: bool,
    /// The policy, - for stdin [default: the policy from the settings]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn format_policy(
    context: &CommandContext,
    args: &PolicyFormatArgs,
) -> anyhow::Result<CommandExit> {
    let path = args.file.clone().or_else(|| context.settings.policy_path());
    let path = path.ok_or_else(|| CliError::usage("no policy is set; give the path of a file"))?;
    let name = path.display().to_string();
    let stdin = path.as_os_str() == "-";
    let shown = if stdin { "stdin".to_owned() } else { name.clone() };
    let text = read_text(&path)?;
    let bad = |why: policy::BadPolicy| CliError {
        exit: CommandExit::USAGE,
        code: "bad_policy",
        message: format!("{shown}: {}", why.to_string().trim_end()),
    };
    // A file beside others may refer to them, and is then no policy on its own.
    let is_layer = path.parent().is_some_and(|folder| {
        folder.ends_with(policy::LAYER_FOLDER) || !stdin && folder.join(policy::LAYER_FOLDER).is_dir()
    });
    let format = if is_layer { policy::format_layer } else { policy::format };
    let laid_out = format(&text).map_err(bad)?;
    if args.check {
        return Ok(if laid_out == text {
            CommandExit::DONE
        } else {
            let mend = if stdin {
                String::new()
            } else {
                format!(": countersign policy fmt {}", escape_text(&name))
            };
            print_error(&format!("{} is not in the standard layout{mend}", escape_text(&shown)));
            CommandExit::FAILED
        });
    }
    if stdin {
        print_line(laid_out.strip_suffix('\n').unwrap_or(&laid_out));
    } else if laid_out != text {
        let failed = |why| anyhow::anyhow!("{name} cannot be written: {why}");
        replace(&path, &laid_out).map_err(failed)?;
        print_line(&format!("Formatted {}.", escape_text(&name)));
    }
    Ok(CommandExit::DONE)
}

/// Replaces a file in one step, because a server may read it at any time.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // If the path is a link, replace the file that it leads to.
    let path = path.canonicalize()?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".new-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
