//! Every command line of `countersign` in the documentation, every option that a page names, and every settings file, file of
//! cases, hook and list of MCP servers are accepted by what reads them.

use crate::{args::CliArguments, commands::policy::cases};
use clap::{
    Arg, Command, CommandFactory,
    error::{ContextKind, ContextValue, ErrorKind},
};
use countersign_console::SettingsFile;
use countersign_mcp::{ServerCommand, ServerTarget, read_server_config};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The generated reference is compared with the program by another test.
const GENERATED: &str = "commands.md";

/// Options of other programs that pages name: of cargo, Claude Code, Deno and npm, and of commands whose secrets are masked.
const OTHER_OPTIONS: &[&str] = &[
    "--allow-env",
    "--allow-net",
    "--allow-read",
    "--features",
    "--install-links",
    "--outp",
    "--password",
    "--permission-prompt-tool",
    "--profile",
    "--token",
];

/// The prefix of design tokens, which are CSS properties.
const DESIGN_TOKEN: &str = "--cs-";

/// A command line, and the page that shows it.
struct DocumentedCommand {
    page: String,
    text: String,
    /// Whether it is in a sentence, where its arguments may be missing.
    is_name: bool,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the documentation's pages, each with its text.
fn pages() -> Vec<(String, String)> {
    let mut folders = ["docs", "clients", "examples"].map(|folder| repository().join(folder)).to_vec();
    let mut files = ["README.md", "CHANGELOG.md"].map(|name| repository().join(name)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") && !path.ends_with(GENERATED) {
                files.push(path);
            }
        }
    }
    let named = |path: PathBuf| {
        let name = path.strip_prefix(repository()).expect("it is in the repository").display().to_string();
        (name, fs::read_to_string(&path).expect("the page is readable"))
    };
    files.into_iter().map(named).collect()
}

/// Splits a page into the lines of its blocks of code, block by block, and the rest.
fn split_blocks(page: &str) -> (Vec<Vec<&str>>, String) {
    let (mut blocks, mut prose) = (Vec::new(), String::new());
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            blocks.push(lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect());
        } else if line.starts_with("    ") {
            let mut block = vec![line.trim_start()];
            while let Some(next) = lines.next_if(|line| line.starts_with("    ") || line.is_empty()) {
                block.push(next.trim_start());
            }
            blocks.push(block);
        } else {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    (blocks, prose)
}

/// Returns the code in lines of prose: everything between single backticks.
fn code_in_lines(prose: &str) -> impl Iterator<Item = String> {
    prose
        .split("\n\n")
        .flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2))
        .map(|code| code.replace('\n', " "))
}

/// Returns the command lines of a block. If a line has a prompt, the lines without one are output.
fn commands_of_block(block: &[&str]) -> Vec<String> {
    let has_prompts = block.iter().any(|line| line.starts_with("$ "));
    let mut commands: Vec<String> = Vec::new();
    let mut continues = false;
    for line in block {
        let typed = line.strip_prefix("$ ");
        let (text, more) = match typed.unwrap_or(line).strip_suffix('\\') {
            Some(text) => (text, true),
            None => (typed.unwrap_or(line), false),
        };
        match commands.last_mut() {
            Some(command) if continues => command.push_str(text),
            _ if typed.is_some() || !has_prompts => commands.push(text.to_owned()),
            _ => {}
        }
        continues = more && (continues || typed.is_some() || !has_prompts);
    }
    commands
}

/// Returns the words of each run of `countersign` in a shell line.
fn runs_of_countersign(line: &str) -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    let mut outer = line.to_owned();
    if let Some((before, rest)) = line.split_once("$(")
        && let Some((inner, after)) = rest.split_once(')')
    {
        runs.extend(runs_of_countersign(inner));
        outer = format!("{before}…{after}");
    }
    let words = shlex::Shlex::new(&outer).collect::<Vec<_>>();
    let is_end = |word: &String| ["|", "||", "&&", "&", ";", ">", ">>", "<", "2>"].contains(&word.as_str());
    for command in words.split(is_end) {
        let is_assignment = |word: &&String| {
            word.split('=').next().is_some_and(|name| {
                word.contains('=') && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            })
        };
        let mut words = command.iter().skip_while(is_assignment);
        let program = words.next().filter(|word| *word != "sudo").or_else(|| words.next());
        if program.is_some_and(|program| program == "countersign" || program.ends_with("/countersign")) {
            runs.push(words.cloned().collect());
        }
    }
    runs
}

fn documented_commands() -> Vec<DocumentedCommand> {
    let mut found = Vec::new();
    for (page, text) in pages() {
        let (blocks, prose) = split_blocks(&text);
        let shown = blocks.iter().flat_map(|block| commands_of_block(block)).map(|text| (text, false));
        for (text, is_name) in shown.chain(code_in_lines(&prose).map(|text| (text, true))) {
            if text.contains("countersign") {
                found.push(DocumentedCommand { page: page.clone(), text, is_name });
            }
        }
    }
    found
}

/// Returns true for a word that stands for a value: `ID`, `SEQ:HASH`, `…`, and `%i` of systemd.
fn is_placeholder(word: &str) -> bool {
    word.contains('…')
        || word.contains("%i")
        || word.chars().all(|c| c.is_ascii_uppercase() || "_:<>".contains(c))
}

fn is_accepted(error: &clap::Error, is_name: bool) -> bool {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => is_name,
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => match error.get(ContextKind::InvalidValue) {
            Some(ContextValue::String(value)) => is_placeholder(value) || is_name && value.is_empty(),
            _ => false,
        },
        ErrorKind::UnknownArgument => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(word)) => word == "…",
            _ => false,
        },
        ErrorKind::InvalidSubcommand => match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(word)) => is_name && is_placeholder(word),
            _ => false,
        },
        _ => false,
    }
}

fn all_options(command: &Command, options: &mut BTreeSet<String>) {
    options.extend(command.get_arguments().filter_map(Arg::get_long).map(|name| format!("--{name}")));
    for sub in command.get_subcommands() {
        all_options(sub, options);
    }
}

#[test]
fn documented_command_lines_are_accepted() {
    let mut refused = Vec::new();
    let mut count = 0;
    for DocumentedCommand { page, text, is_name } in documented_commands() {
        for words in runs_of_countersign(&text) {
            count += 1;
            let words = ["countersign".to_owned()].into_iter().chain(words);
            if let Err(error) = CliArguments::command().try_get_matches_from(words)
                && !is_accepted(&error, is_name)
            {
                refused.push(format!("{page}: {text}\n{error}"));
            }
        }
    }
    assert!(refused.is_empty(), "{} command lines are refused:\n{}", refused.len(), refused.join("\n"));
    assert!(count > 250, "{count} command lines were found");
}

#[test]
fn documented_options_exist() {
    let mut options = BTreeSet::from(["--help".to_owned(), "--version".to_owned()]);
    let mut command = CliArguments::command();
    command.build();
    all_options(&command, &mut options);
    options.extend(OTHER_OPTIONS.iter().map(|option| (*option).to_owned()));
    let mut unknown = Vec::new();
    for (page, text) in pages() {
        for code in code_in_lines(&split_blocks(&text).1) {
            let name = code.split([' ', '=', '[']).next().unwrap_or_default();
            let is_option = name.strip_prefix("--").is_some_and(|rest| rest.starts_with(char::is_alphabetic));
            if is_option && !name.starts_with(DESIGN_TOKEN) && !options.contains(name) {
                unknown.push(format!("{page}: {name}"));
            }
        }
    }
    assert!(unknown.is_empty(), "countersign does not have these options: {unknown:#?}");
}

/// Returns the fenced blocks of a page in a language.
fn fenced_blocks(page: &str, language: &str) -> Vec<String> {
    let (_, text) = pages().into_iter().find(|(name, _)| name == page).expect(page);
    let start = format!("\n```{language}\n");
    text.split(&start).skip(1).map(|rest| rest.split("\n```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn documented_settings_are_accepted() {
    for page in ["docs/configuration.md", "docs/guides/access.md", "docs/guides/reverse-proxy.md"] {
        let blocks = fenced_blocks(page, "toml");
        assert!(!blocks.is_empty(), "{page} shows a settings file");
        for text in blocks {
            let file = SettingsFile { path: page.into(), text, is_local: false };
            let settings = file.settings().unwrap_or_else(|error| panic!("{error}\n{}", file.text));
            assert!(!settings.is_empty(), "{page}");
        }
    }
}

#[test]
fn documented_cases_are_accepted() {
    let blocks = fenced_blocks("docs/guides/policy-tools.md", "toml");
    let files: Vec<_> = blocks.iter().filter(|block| block.starts_with("[[case]]")).collect();
    assert_eq!(files.len(), 1, "the page shows a file of cases");
    assert_eq!(cases::read(files[0]).map(|cases| cases.len()), Ok(3));
}

#[test]
fn documented_mcp_servers_are_accepted() {
    let blocks = fenced_blocks("docs/guides/mcp.md", "json");
    assert!(blocks.len() > 1, "the page shows configurations");
    for block in blocks {
        let servers = read_server_config(&block, &|_| Some("value".to_owned()));
        for server in servers.unwrap_or_else(|error| panic!("{error}\n{block}")) {
            if let ServerTarget::Command(ServerCommand { program, args, .. }) = server.target
                && program == "countersign"
            {
                let words = std::iter::once(program).chain(args);
                CliArguments::command().try_get_matches_from(words).expect(&block);
            }
        }
    }
}

/// The hooks that the pages show run a command that the program accepts.
#[test]
fn documented_hooks_are_accepted() {
    for (page, language) in [("docs/guides/claude-code.md", "json"), ("docs/guides/codex.md", "toml")] {
        let blocks = fenced_blocks(page, language).join("\n");
        let hook = blocks.split_once("command\": \"").or_else(|| blocks.split_once("command = \""));
        let (_, rest) = hook.unwrap_or_else(|| panic!("{page} shows a hook"));
        let runs = runs_of_countersign(rest.split('"').next().unwrap_or_default());
        assert_eq!(runs.len(), 1, "{page}");
        let words = std::iter::once("countersign".to_owned()).chain(runs[0].clone());
        CliArguments::command().try_get_matches_from(words).expect(page);
    }
}

#[test]
fn command_lines_are_found_in_a_page() {
    let page = "Run `countersign verify --from TIP`:\n\n    $ AGENT=\"$(countersign token list)\"\n    countersign: output\n    \
                $ A=1 countersign run \\\n    -- ls | countersign log > file # countersign\n\n```text\ncountersign show ID\n```\n";
    let (blocks, prose) = split_blocks(page);
    assert_eq!(code_in_lines(&prose).collect::<Vec<_>>(), ["countersign verify --from TIP"]);
    let runs: Vec<_> = blocks
        .iter()
        .flat_map(|block| commands_of_block(block))
        .flat_map(|line| runs_of_countersign(&line))
        .map(|words| words.join(" "))
        .collect();
    assert_eq!(runs, ["token list", "run -- ls", "log", "show ID"]);
}
