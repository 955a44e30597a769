//! `countersign policy daily`, and `countersign policy apply --daily`

use super::{
    change::{ProposedPolicy, put_in_force},
    recorded_policy::read_policy_in_force,
};
use countersign_api::{self as api, SendOperation, SharedGate, UtcOffset, operations};
use countersign_console::{
    CliError, CommandContext, CommandExit, describe_day, local_offset, print_json, print_line,
};
use std::str::FromStr;

/// The word for the day before today.
pub(super) const YESTERDAY: &str = "yesterday";

/// A day of this machine's time zone.
#[derive(Debug, Clone, Copy)]
pub(super) struct DayArgument(Option<i64>);

impl FromStr for DayArgument {
    type Err = api::NotADate;

    fn from_str(text: &str) -> Result<Self, api::NotADate> {
        if text == YESTERDAY { Ok(Self(None)) } else { UtcOffset::parse_day(text).map(|day| Self(Some(day))) }
    }
}

/// Options of `policy daily`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The rules are those of `policy suggest`, from what people allowed in the 30 days before the end of the day. Each is added to the \
active policy, which then judges the prompts of the day and all refused calls of these days again. A rule that would have allowed \
a refused call is not offered. `policy apply --daily` accepts the rules. Where the policy only observes, it shows what people would \
have been asked. Days are those of this machine's time zone.

JSON: as GET /v1/policy/daily responds")]
pub(crate) struct PolicyDailyArgs {
    /// The day: a date such as 2026-01-31, or yesterday
    #[arg(value_name = "DATE", default_value = YESTERDAY)]
    day: DayArgument,
}

pub(super) async fn print_day(
    context: &CommandContext,
    args: &PolicyDailyArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_read().await?;
    let review = read_review(context, &gate, args.day).await?;
    if context.json {
        print_json(&review)?;
        return Ok(CommandExit::DONE);
    }
    for line in describe_day(&review) {
        print_line(&line);
    }
    if !review.rules.is_empty() {
        let how = context.command_prefix();
        let day = args.day.0.map(|_| format!("={}", review.date)).unwrap_or_default();
        print_line(&format!("\nTo accept: {how} policy apply --daily{day}"));
    }
    Ok(CommandExit::DONE)
}

/// Accepts the rules that a day's review offers, into the managed layer.
pub(super) async fn accept_day(
    context: &CommandContext,
    day: DayArgument,
    yes: bool,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let review = read_review(context, &gate, day).await?;
    let active = read_policy_in_force(&gate).await?;
    if active.hash != review.policy {
        return Err(refuse("policy_changed", "the policy changed meanwhile; try again".to_owned()));
    }
    if review.rules.is_empty() {
        return Err(refuse("no_rule", format!("no rule is offered for {}", review.date)));
    }
    let mut policy = active.parse()?;
    for rule in &review.rules {
        let added = policy.text().add_managed_rule(&rule.toml);
        (policy, _) = added.map_err(|why| refuse("invalid", why.to_string().trim_end().to_owned()))?;
    }
    let source = format!("accepted rules of {}", review.date);
    put_in_force(context, &gate, ProposedPolicy { policy, source, replay_command: None }, yes).await
}

async fn read_review(
    context: &CommandContext,
    gate: &SharedGate,
    DayArgument(day): DayArgument,
) -> anyhow::Result<api::DailyReview> {
    let query = api::DailyQuery { days_at: local_offset(context.now()), day };
    Ok(gate.send(operations::ReviewDay { query }).await?)
}

fn refuse(code: &'static str, message: String) -> anyhow::Error {
    CliError { exit: CommandExit::REFUSED, code, message }.into()
}
