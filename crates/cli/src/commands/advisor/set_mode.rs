//! `countersign advisor allow-decide` and `countersign advisor advise-only`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_json, print_line};
use countersign_events::AdvisorMode;

/// Options of `advisor allow-decide`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An advisor with `mode = \"decide\"` decides once a report meets the thresholds of the policy. This command lets it \
decide without one, or after people contradicted it too often. The statement is kept in the log. The permission ends when the \
settings of the advisor change, or when people contradict it too often from here on.\n\nJSON: as in `advisor list`"
)]
pub(crate) struct AllowDecideArgs {
    /// The advisor
    name: String,
    /// Why it may decide; the log stores it
    #[arg(long, value_name = "TEXT", required = true)]
    statement: String,
}

/// Options of `advisor advise-only`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Its advice is still shown. Only `advisor allow-decide` lets it decide again.\n\nJSON: as in `advisor list`"
)]
pub(crate) struct AdviseOnlyArgs {
    /// The advisor
    name: String,
    /// The reason; the log stores it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(super) async fn allow_decide(
    context: &CommandContext,
    args: &AllowDecideArgs,
) -> anyhow::Result<CommandExit> {
    let statement = Some(args.statement.clone());
    set_mode(context, &args.name, ModeChange { mode: AdvisorMode::Decide, reason: None, statement }).await
}

pub(super) async fn advise_only(
    context: &CommandContext,
    args: &AdviseOnlyArgs,
) -> anyhow::Result<CommandExit> {
    let change = ModeChange { mode: AdvisorMode::Advise, reason: args.reason.clone(), statement: None };
    set_mode(context, &args.name, change).await
}

/// A new mode of an advisor.
struct ModeChange {
    mode: AdvisorMode,
    /// Why it no longer decides.
    reason: Option<String>,
    /// What the person stands by who lets it decide.
    statement: Option<String>,
}

async fn set_mode(
    context: &CommandContext,
    name: &str,
    ModeChange { mode, reason, statement }: ModeChange,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_decide().await?;
    let advisor = find_advisor(gate.send(operations::ListAdvisors {}).await?, name)?;
    let request = api::AdvisorModeRequest { configuration: advisor.configuration, mode, reason, statement };
    let list = gate.send(operations::SetAdvisorMode { name: name.to_owned(), body: request }).await?;
    if context.json {
        print_json(&list)?;
        return Ok(CommandExit::DONE);
    }
    let advisor = find_advisor(list, name)?;
    let (mode, why) = (advisor.mode.as_str(), escape_text(&advisor.why));
    print_line(&format!("The mode of {} is {mode}: {why}.", escape_text(name)));
    Ok(CommandExit::DONE)
}

fn find_advisor(list: api::AdvisorList, name: &str) -> Result<api::Advisor, CliError> {
    let names: Vec<_> = list.advisors.iter().map(|advisor| advisor.name.clone()).collect();
    let found = list.advisors.into_iter().find(|advisor| advisor.name == name);
    found.ok_or_else(|| {
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let message = format!("the active policy has no advisor {name:?}; it has {known}");
        CliError { exit: CommandExit::FAILED, code: "unknown_advisor", message }
    })
}
