//! `countersign reference`: all commands in Markdown, from what the command line itself knows.

use crate::{
    args::{Args, EXIT_CODES},
    exit::Exit,
    output,
    settings::{Facts, KEYS},
};
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write as _;

pub(crate) fn reference() -> Exit {
    let mut command = Args::command();
    command.build();
    output::say(page(&command).trim_end());
    Exit::DONE
}

fn page(command: &Command) -> String {
    let mut page = String::from(
        "# Commands\n\n\
         Made by `countersign reference`; a test holds it to what the program does. `countersign COMMAND --help`\n\
         tells the same in a terminal.\n",
    );
    let shown = || command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    page.push_str("\n| command | |\n| --- | --- |\n");
    for sub in shown() {
        let (name, about) = (sub.get_name(), text(sub.get_about()));
        let _ = writeln!(page, "| [`{name}`](#countersign-{name}) | {about} |");
    }
    page.push_str("\n## Everywhere\n\nThese stand before or behind any command; [configuration](configuration.md) says what beats what.\n\n");
    options(&mut page, command.get_arguments().filter(|arg| arg.is_global_set()));
    for part in EXIT_CODES.split("\n\n") {
        let (title, lines) = part.split_once(":\n").unwrap_or((part, ""));
        let _ = write!(page, "\n## {title}\n\n```text\n{lines}\n```\n");
    }
    settings(&mut page);
    for sub in shown() {
        describe(&mut page, sub, "countersign");
    }
    page
}

fn settings(page: &mut String) {
    page.push_str("\n## Settings\n\n| in a file | in the environment | option | default | |\n| --- | --- | --- | --- | --- |\n");
    for facts in KEYS {
        let Facts { name, variable, option, usual, about, .. } = facts;
        let _ = writeln!(page, "| `{name}` | `{variable}` | `{option}` | {usual} | {about} |");
    }
}

fn describe(page: &mut String, command: &Command, under: &str) {
    let (name, about) = (format!("{under} {}", command.get_name()), text(command.get_about()));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(page, "\n## `{name}`\n\n{about}.\n\n```text\n{usage}\n```\n");
    let own = || {
        command
            .get_arguments()
            .filter(|arg| !arg.is_global_set() && !arg.is_hide_set() && arg.get_id() != "help")
    };
    if own().next().is_some() {
        page.push('\n');
        options(page, own());
    }
    if let Some(more) = command.get_after_help() {
        let more = more.to_string();
        match more.strip_prefix("JSON: ") {
            Some(shape) => drop(write!(page, "\n`--json` prints:\n\n```text\n{shape}\n```\n")),
            None => drop(write!(page, "\n```text\n{more}\n```\n")),
        }
    }
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        describe(page, sub, &name);
    }
}

fn options<'a>(page: &mut String, args: impl Iterator<Item = &'a Arg>) {
    for arg in args {
        let name = match (arg.get_short(), arg.get_long()) {
            (Some(short), Some(long)) => format!("-{short}, --{long}"),
            (None, Some(long)) => format!("--{long}"),
            (Some(short), None) => format!("-{short}"),
            (None, None) => String::new(),
        };
        let names = arg.get_value_names().unwrap_or_default();
        let takes = arg.get_action().takes_values();
        let value: Vec<_> = names.iter().filter(|_| takes).map(|name| format!("<{name}>")).collect();
        let shown = [name, value.join(" ")].join(" ");
        let _ = write!(page, "- `{}`: {}", shown.trim(), text(arg.get_help()));
        let words: Vec<_> =
            arg.get_possible_values().iter().map(|word| format!("`{}`", word.get_name())).collect();
        if takes && !words.is_empty() {
            let _ = write!(page, " ({})", words.join(", "));
        }
        let usual: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if takes && !usual.is_empty() {
            let _ = write!(page, " [default: {}]", usual.join(" "));
        }
        page.push('\n');
    }
}

fn text(styled: Option<&clap::builder::StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default()
}
