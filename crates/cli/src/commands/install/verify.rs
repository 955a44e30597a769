//! `countersign install --verify`: checks that each installed hook blocks.

use super::{
    cases::{CaseEvidence, CaseOutcome, CheckedCase, HookCases},
    config_file::{ConfigFile, find_config_files},
    config_scope::ConfigScope,
};
use crate::commands::mcp::unwrapped_servers;
use countersign_coding_agents::agents::CodingAgent;
use countersign_console::{
    CliError, ColumnFit, CommandContext, CommandExit, TableCell, TextStyle, TextTable, escape_text,
    print_json, print_line, read_variable,
};
use serde::Serialize;
use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

/// A case as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CaseReport<'a> {
    agent: &'static str,
    path: &'a PathBuf,
    case: &'static str,
    outcome: &'static str,
    relies_on: &'a str,
    shown_by: &'a str,
}

pub(super) async fn verify_hooks(
    context: &CommandContext,
    only: Option<&'static dyn CodingAgent>,
) -> anyhow::Result<CommandExit> {
    let (mut found, mut wrong, mut limits) = (false, 0, 0);
    for file in find_config_files(only) {
        let file = file?;
        let Some(mut cases) = check_file(file.agent, &file).await? else { continue };
        let folders = SettingFolders::current();
        cases.extend(check_trust(file.agent, &file));
        cases.extend(check_layers(file.agent, &file.path, &folders));
        cases.extend(find_unwrapped_servers(file.agent, &folders));
        limits += cases.iter().filter(|case| case.outcome == CaseOutcome::Limit).count();
        wrong += cases.iter().filter(|case| !case.is_right).count();
        print_cases(context, file.agent, &file.path, &cases)?;
        found = true;
    }
    if !found {
        let message =
            "no hook of Countersign is installed here; `countersign install AGENT` installs it".to_owned();
        return Err(CliError { exit: CommandExit::FAILED, code: "no_hooks", message }.into());
    }
    if !context.json {
        print_line(&match wrong {
            0 if limits > 0 => {
                "Each case passed, but the agent runs a call in a case that no hook can stop.".to_owned()
            }
            0 => "Each case passed.".to_owned(),
            1 => "1 case failed.".to_owned(),
            _ => format!("{wrong} cases failed."),
        });
    }
    Ok(if wrong == 0 { CommandExit::DONE } else { CommandExit::FAILED })
}

/// The folders whose settings apply here.
pub(super) struct SettingFolders {
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
}

impl SettingFolders {
    pub(super) fn current() -> Self {
        Self {
            home: read_variable("HOME").map(PathBuf::from).unwrap_or_default(),
            project: std::env::current_dir().unwrap_or_default(),
        }
    }
}

/// Whether the agent runs the hook at all: some do only after a person trusted it.
fn check_trust(agent: &'static dyn CodingAgent, file: &ConfigFile) -> Option<CheckedCase> {
    let user = ConfigFile::find(agent, ConfigScope::User).ok();
    let user_text = user.as_ref().map_or("", |user| user.text());
    let is_trusted = agent.is_hook_trusted(file.text(), &file.path, user_text).ok().flatten()?;
    let (outcome, relies_on) = if is_trusted {
        (CaseOutcome::Allowed, "a person trusted the hook; the agent skips it if it was changed since")
    } else {
        (
            CaseOutcome::NotAsked,
            "no person trusted the hook, so it does not run: start codex, and review it with /hooks",
        )
    };
    let (relies_on, shown_by) = (relies_on.to_owned(), CaseEvidence::FilesRead.describe(agent));
    Some(CheckedCase { case: "the hook itself", outcome, is_right: is_trusted, relies_on, shown_by })
}

/// The MCP servers of the agent that no gateway stands before. The hook is asked about their tools, but does not see their definitions.
fn find_unwrapped_servers(agent: &'static dyn CodingAgent, folders: &SettingFolders) -> Vec<CheckedCase> {
    let mut cases = Vec::new();
    for path in agent.server_config_paths(&folders.home, &folders.project) {
        let names = unwrapped_servers(&path, &folders.project);
        if names.is_empty() {
            continue;
        }
        let (names, shown) = (escape_text(&names.join(", ")), escape_text(&path.display().to_string()));
        let relies_on = format!(
            "{names}: the hook is asked about their tools, and sees no definitions; countersign mcp wrap {shown}"
        );
        let outcome = CaseOutcome::NotWrapped;
        let shown_by = CaseEvidence::FilesRead.describe(agent);
        cases.push(CheckedCase { case: "MCP servers", outcome, is_right: true, relies_on, shown_by });
    }
    cases
}

/// What the other settings of this folder do to the hooks: turn them off, or run hooks of their own.
fn check_layers(agent: &'static dyn CodingAgent, own: &Path, folders: &SettingFolders) -> Vec<CheckedCase> {
    let mut cases = Vec::new();
    for path in agent.setting_layers(&folders.home, &folders.project) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let shown = escape_text(&path.display().to_string());
        let is_own = path.canonicalize().is_ok_and(|path| path == own);
        if !is_own && agent.has_hooks_disabled(&text).unwrap_or(false) {
            let relies_on = format!("a setting in {shown} turns hooks off");
            cases.push(CheckedCase {
                case: "all calls",
                outcome: CaseOutcome::NotAsked,
                is_right: false,
                relies_on,
                shown_by: CaseEvidence::FilesRead.describe(agent),
            });
        }
        for command in agent.other_blocking_hooks(&text).unwrap_or_default() {
            let command: String = command.chars().take(60).collect();
            let relies_on = format!(
                "{} in {shown} may replace arguments: the log then has a mismatch",
                escape_text(&command)
            );
            cases.push(CheckedCase {
                case: "another hook",
                outcome: CaseOutcome::Allowed,
                is_right: true,
                relies_on,
                shown_by: CaseEvidence::FilesRead.describe(agent),
            });
        }
    }
    cases
}

/// Makes the cases for the hook in a file; `None` if it has none.
async fn check_file(
    agent: &'static dyn CodingAgent,
    file: &ConfigFile,
) -> anyhow::Result<Option<Vec<CheckedCase>>> {
    let hooks = agent.installed_hooks(file.text()).map_err(|why| file.unusable(&why))?;
    if hooks.is_empty() {
        return Ok(None);
    }
    let failed = |case, outcome, relies_on: &str| {
        let (relies_on, shown_by) = (relies_on.to_owned(), CaseEvidence::FilesRead.describe(agent));
        Ok(Some(vec![CheckedCase { case, outcome, is_right: false, relies_on, shown_by }]))
    };
    if let Some(trouble) = file.find_hook_trouble(&hooks)? {
        return failed("all calls", CaseOutcome::NotAsked, trouble);
    }
    let Some(hook) = hooks.iter().find(|hook| hook.event == agent.blocking_event()) else { return Ok(None) };
    let folder = std::env::temp_dir().join(countersign_api::random_id("countersign-verify-"));
    DirBuilder::new().mode(0o700).create(&folder)?;
    let checked = match HookCases::new(agent, hook, &folder) {
        Some(cases) => cases.check_all().await.map(Some),
        None => {
            failed("all calls", CaseOutcome::Failed, "the command was changed by hand; run `install` again")
        }
    };
    std::fs::remove_dir_all(&folder)?;
    checked
}

fn print_cases(
    context: &CommandContext,
    agent: &'static dyn CodingAgent,
    path: &PathBuf,
    cases: &[CheckedCase],
) -> anyhow::Result<()> {
    if context.json {
        for CheckedCase { case, outcome, relies_on, shown_by, .. } in cases {
            let outcome = outcome.as_str();
            print_json(&CaseReport { agent: agent.name(), path, case, outcome, relies_on, shown_by })?;
        }
        return Ok(());
    }
    print_line(&format!("{agent}, {}", escape_text(&path.display().to_string())));
    let columns = [
        ("case", ColumnFit::Whole),
        ("outcome", ColumnFit::Whole),
        ("shown by", ColumnFit::Wrapped),
        ("relies on", ColumnFit::Wrapped),
    ];
    let mut table = TextTable::new(&columns);
    for case in cases {
        let style = match case.outcome {
            CaseOutcome::Limit => TextStyle::Yellow,
            _ if case.is_right => TextStyle::Green,
            _ => TextStyle::Red,
        };
        table.add_row(vec![
            case.case.into(),
            TableCell::styled(style, case.outcome.as_str()),
            case.shown_by.clone().into(),
            case.relies_on.clone().into(),
        ]);
    }
    print_line(&table.format(&context.screen()));
    Ok(())
}
