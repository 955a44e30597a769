//! `countersign man`

use anyhow::Context;
use clap::Command;
use clap_mangen::Man as Page;
use countersign_console::{CommandExit, print_line};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Options of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
To read it:     countersign man | man -l -
To install it:  countersign man --out /usr/local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page for each command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn write_manual(args: &ManArgs, command: Command) -> anyhow::Result<CommandExit> {
    // There is no page for `help`.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.out else {
        print_line(String::from_utf8_lossy(&render(command)?).trim_end());
        return Ok(CommandExit::DONE);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    write_all(folder, "countersign", &command)?;
    Ok(CommandExit::DONE)
}

/// Writes a page for a command and for each of its subcommands.
fn write_all(folder: &Path, name: &str, command: &Command) -> anyhow::Result<()> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        write_all(folder, &format!("{name}-{}", sub.get_name()), sub)?;
    }
    write(folder, name, command.clone())
}

fn write(folder: &Path, name: &str, command: Command) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, render(command)?).with_context(|| format!("{} cannot be written", path.display()))
}

fn render(mut command: Command) -> std::io::Result<Vec<u8>> {
    let usage = command.render_usage().to_string();
    let more = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let versioned = command.get_version().is_some();
    let lists = command.get_subcommands().any(|sub| !sub.is_hide_set());
    let page =
        Page::new(command).manual("Countersign").source(concat!("Countersign ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    section(&mut text, "SYNOPSIS", usage.trim_start_matches("Usage: "));
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if lists {
        page.render_subcommands_section(&mut text)?;
    }
    for part in more.split("\n\n").filter(|part| !part.is_empty()) {
        match part.split_once(":\n") {
            Some(("Exit codes", lines)) => section(&mut text, "EXIT STATUS", lines),
            Some((title, lines)) if !title.contains('\n') => section(&mut text, &title.to_uppercase(), lines),
            _ => section(&mut text, "NOTES", part),
        }
    }
    if versioned {
        page.render_version_section(&mut text)?;
    }
    Ok(in_ascii(&String::from_utf8_lossy(&text)).into_bytes())
}

/// A section with unchanged line breaks.
fn section(page: &mut Vec<u8>, title: &str, lines: &str) {
    let mut text = format!(".SH \"{title}\"\n.nf\n");
    for line in lines.lines() {
        // roff reads a line that starts with these characters as a command.
        if line.starts_with(['.', '\'']) {
            text.push_str("\\&");
        }
        text.extend([&line.replace('\\', "\\e").replace('-', "\\-"), "\n"]);
    }
    text.push_str(".fi\n");
    page.extend(text.into_bytes());
}

/// Replaces non-ASCII characters by their roff names, because not every roff reads UTF-8.
fn in_ascii(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for c in page.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            let _ = write!(text, "\\[u{:04X}]", u32::from(c));
        }
    }
    text
}
