//! `countersign install` and `countersign uninstall`: the hooks in a coding agent's configuration.

mod cases;
mod config_change;
mod config_file;
mod config_scope;
mod hook_program;
mod installed;
mod overview;
mod profile_choice;
mod verify;

use crate::commands::{hook::HookDecision, policy::use_profile::use_profile};
pub(crate) use config_change::{find_hook_removal, may_ask_by_rule};
use config_file::ConfigFile;
use config_scope::ConfigScope;
use countersign_coding_agents::{
    agents::{CodingAgent, find_agent},
    config::hook_command,
};
use countersign_console::{
    CliError, CommandContext, CommandExit, confirm_change, diff_lines, escape_text, print_json, print_line,
};
pub(crate) use installed::{FoundHook, find_hooks};
pub(crate) use overview::describe_own_agents;
use profile_choice::{PolicyOutcome, ProfileChoice, activate_usual_profile};
use serde::Serialize;
use std::{io::IsTerminal, path::PathBuf};

/// The configuration's choice.
#[derive(Debug, clap::Args)]
struct ConfigChoiceArgs {
    /// Change the configuration of your user, which is the default
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Change the project configuration in the current folder; needs --server
    #[arg(long)]
    project: bool,
    /// Do not ask before the file is changed
    #[arg(long, short)]
    yes: bool,
}

impl ConfigChoiceArgs {
    const fn scope(&self) -> ConfigScope {
        if self.project { ConfigScope::Project } else { ConfigScope::User }
    }
}

/// Options of `install`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It prints the change and asks, keeps a copy of the file beside it (.countersign-backup), and changes nothing \
else in it. To repeat it changes nothing.\n\n\
A log whose policy nobody has chosen gets the profile coding: reading, editing, builds, tests and local Git in the project are free. \
A policy of your own, or another profile, stays active. One line says so.\n\n\
The hook uses the server or the database of this command line or of your settings, and the configuration names it, so that no \
file or variable of a project can lead the hook to another log.\n\n\
JSON: {\"agent\", \"path\", \"changed\", \"backup\": null if there is none, \"policy\": {\"profile\": that became active, or null, \
\"note\"}, or null with --profile}; without AGENT, one object for each agent: \
{\"agent\", \"paths\": of hooks, \"next\"}; with --verify, one object for each case: {\"agent\", \
\"path\", \"case\", \"outcome\": blocked, allowed, not asked, runs (a limit of the agent), not wrapped or failed, \"reliesOn\", \"shownBy\"}"
)]
pub(crate) struct InstallArgs {
    /// The agent; without one, the agents on this machine are listed
    #[arg(value_name = "AGENT", value_parser = find_agent)]
    agent: Option<&'static dyn CodingAgent>,
    #[command(flatten)]
    scope: ConfigChoiceArgs,
    /// The hook's answer to a call that a rule allows: none leaves it to the agent's own rules, which may ask or deny;
    /// allow runs it; unless-asked runs it except while the agent's settings have rules that ask [default: unless-asked
    /// for Claude Code, none for others]
    #[arg(long, value_name = "ANSWER", conflicts_with = "verify")]
    decide: Option<HookDecision>,
    /// Use this policy for coding agents: coding, careful or observe. Your own rules stay. With none, the active policy
    /// stays
    #[arg(long, value_name = "PROFILE", conflicts_with = "verify", requires = "agent")]
    profile: Option<ProfileChoice>,
    /// Change nothing, and check that each installed hook blocks: also if it is killed, or nothing answers it
    #[arg(long, conflicts_with = "yes")]
    verify: bool,
}

impl InstallArgs {
    /// Whether the command changes no configuration.
    pub(crate) const fn only_reads(&self) -> bool {
        self.verify || self.agent.is_none()
    }
}

/// Options of `uninstall`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It restores the file as it was before `install`, if only `install` has changed it since. Otherwise it removes \
the hooks of Countersign and nothing else. The policy stays, because other agents may use the log: \
`countersign policy revert` activates an earlier one.\n\n\
JSON: {\"agent\", \"path\", \"changed\", \"backup\": null, \"policy\": null}"
)]
pub(crate) struct UninstallArgs {
    /// The agent, as `countersign install` lists it
    #[arg(value_name = "AGENT", value_parser = find_agent)]
    agent: &'static dyn CodingAgent,
    #[command(flatten)]
    scope: ConfigChoiceArgs,
}

/// The outcome as JSON.
#[derive(Serialize)]
struct InstallReport<'a> {
    agent: &'static str,
    path: &'a PathBuf,
    changed: bool,
    backup: Option<PathBuf>,
    policy: Option<PolicyOutcome>,
}

pub(crate) async fn install(context: &CommandContext, args: &InstallArgs) -> anyhow::Result<CommandExit> {
    if args.verify {
        return verify::verify_hooks(context, args.agent).await;
    }
    let Some(agent) = args.agent else { return overview::list_agents(context) };
    let program = hook_program::hook_program(context, args.scope.scope())?;
    let file = ConfigFile::find(agent, args.scope.scope())?;
    let command = hook_command(&program, agent, decide_options(agent, args.decide)?);
    let changed = agent.install_hooks(file.text(), &command).map_err(|why| file.unusable(&why))?;
    let is_changed = apply(context, &args.scope, &file, &changed)?;
    if is_changed == Some(false) {
        return Ok(CommandExit::REFUSED);
    }
    file.write_companions(&command)?;
    let policy = if args.profile.is_none() { Some(activate_usual_profile(context).await) } else { None };
    report(
        context,
        agent,
        &file,
        InstallOutcome { changed: is_changed.is_some(), backup: file.backup(), policy },
    )?;
    if !context.json {
        print_line(agent.advice());
    }
    match args.profile {
        Some(ProfileChoice::Profile(profile)) => use_profile(context, profile, args.scope.yes).await,
        Some(ProfileChoice::None) | None => Ok(CommandExit::DONE),
    }
}

pub(crate) fn uninstall(context: &CommandContext, args: &UninstallArgs) -> anyhow::Result<CommandExit> {
    let (agent, file) = (args.agent, ConfigFile::find(args.agent, args.scope.scope())?);
    let hooks = agent.installed_hooks(file.text()).map_err(|why| file.unusable(&why))?;
    let before = file.text_before_install().map_err(|why| file.unusable(&why))?;
    let removed = match before {
        Some(before) => before,
        None => agent.uninstall_hooks(file.text()).map_err(|why| file.unusable(&why))?,
    };
    let is_changed = apply(context, &args.scope, &file, &removed)?;
    if is_changed == Some(false) {
        return Ok(CommandExit::REFUSED);
    }
    if let Some(hook) = hooks.first() {
        file.remove_companions(&hook.command);
    }
    file.remove_backup();
    report(
        context,
        agent,
        &file,
        InstallOutcome { changed: is_changed.is_some(), backup: None, policy: None },
    )?;
    Ok(CommandExit::DONE)
}

/// The options of the hook that say how it answers to a call that a rule allows.
fn decide_options(
    agent: &dyn CodingAgent,
    chosen: Option<HookDecision>,
) -> Result<&'static [&'static str], CliError> {
    let knows_asking_rules = agent.has_asking_rules("").ok().flatten().is_some();
    Ok(match chosen {
        Some(HookDecision::UnlessAsked) if !knows_asking_rules => {
            let why = format!(
                "--decide unless-asked is not possible for {}: its rules are not known",
                agent.name()
            );
            return Err(CliError::usage(why));
        }
        None if knows_asking_rules => &["--decide", "unless-asked"],
        Some(HookDecision::UnlessAsked) => &["--decide", "unless-asked"],
        Some(HookDecision::Allow) => &["--decide", "allow"],
        Some(HookDecision::None) | None => &[],
    })
}

/// Shows the change, asks, and writes it. `None` if there is nothing to change, `false` if the person refused.
fn apply(
    context: &CommandContext,
    args: &ConfigChoiceArgs,
    file: &ConfigFile,
    changed: &str,
) -> anyhow::Result<Option<bool>> {
    if changed == file.text() {
        return Ok(None);
    }
    if !context.json {
        print_line(&format!("{}:", escape_text(&file.path.display().to_string())));
        for line in diff_lines(file.text(), changed, &context.screen()) {
            print_line(&line);
        }
    }
    if !args.yes {
        if context.json || !std::io::stdin().is_terminal() {
            let why = "add --yes, which is required without a terminal and with --json";
            return Err(CliError::usage(why).into());
        }
        if !confirm_change("Change the file?")? {
            return Ok(Some(false));
        }
    }
    file.write(changed)?;
    Ok(Some(true))
}

/// What the command did.
struct InstallOutcome {
    changed: bool,
    backup: Option<PathBuf>,
    policy: Option<PolicyOutcome>,
}

fn report(
    context: &CommandContext,
    agent: &'static dyn CodingAgent,
    file: &ConfigFile,
    outcome: InstallOutcome,
) -> anyhow::Result<()> {
    let InstallOutcome { changed, backup, policy } = outcome;
    if context.json {
        print_json(&InstallReport { agent: agent.name(), path: &file.path, changed, backup, policy })?;
        return Ok(());
    }
    let path = escape_text(&file.path.display().to_string());
    let copy =
        backup.map(|backup| format!("; the earlier file is {}", escape_text(&backup.display().to_string())));
    print_line(&match (changed, copy) {
        (false, _) => format!("{path} needs no change."),
        (true, _) if !file.path.exists() => format!("{path} is removed: it contained nothing else."),
        (true, copy) => format!("{path} is changed{}.", copy.unwrap_or_default()),
    });
    if let Some(policy) = policy {
        print_line(&policy.note);
    }
    Ok(())
}
