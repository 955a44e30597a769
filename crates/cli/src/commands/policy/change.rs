//! Putting an active policy: shows what changes, asks, and records it in the log.

use super::{
    difference::diff_policies,
    logged_calls::{LoggedCallArgs, for_each_call},
    reach::PresumedCaller,
    reach_words::{describe_newly_reachable, newly_reachable_json},
    recorded_policy::{RecordedPolicy, read_policy_in_force},
    replay::{describe_dangers, summarize_replay},
    unproven_advisors::find_unproven_advisors,
};
use countersign_api::{self as api, SendOperation, SharedGate, operations};
use countersign_console::{
    CliError, CommandContext, CommandExit, confirm_change, count_words, describe_rule_names, escape_text,
    print_error, print_json, print_line,
};
use countersign_events::{Sha256, principal::PrincipalKind};
use countersign_gate::ReadLimits;
use countersign_policy::{NewlyReachable, Policy, PolicyText, find_newly_reachable};
use countersign_replay::PolicyReplay;
use std::{io::IsTerminal, time::Duration};

/// The time before now whose calls are judged by the new policy.
const LAST_WEEK: Duration = Duration::from_hours(7 * 24);

/// A policy that is to become active.
pub(super) struct ProposedPolicy {
    pub(super) policy: Policy,
    /// The place that it comes from, which the log records.
    pub(super) source: String,
    /// The command that lists what would change, if there is one.
    pub(super) replay_command: Option<String>,
}

/// Shows what changes, asks, and applies it. Without a terminal, it needs `--yes`.
pub(super) async fn put_in_force(
    context: &CommandContext,
    gate: &SharedGate,
    proposed: ProposedPolicy,
    yes: bool,
) -> anyhow::Result<CommandExit> {
    refuse_agent(gate)?;
    let before = read_policy_in_force(gate).await?;
    if before.hash == proposed.policy.hash() {
        return say_unchanged(context, &before);
    }
    let unproven = find_unproven_advisors(gate, &proposed.policy).await?;
    let newly_reachable = find_reach_gained(context, &before, &proposed.policy)?;
    let lost_blocks = find_lost_blocks(&before, &proposed.policy);
    if !context.json {
        for line in diff_policies(&before.texts(), proposed.policy.text(), &context.screen()) {
            print_line(&line);
        }
        show_warnings(&proposed.policy);
        if !lost_blocks.is_empty() {
            let names = describe_rule_names(lost_blocks.iter().map(String::as_str));
            print_line(&format!(
                "\nWarning: the active policy blocks calls by these rules, and the new one does not have them: {names}. \
                 `{} policy add FILE` adds rules and keeps these.",
                context.command_prefix()
            ));
        }
        for advisor in &unproven {
            print_line(&format!("\nWarning: {}.", advisor.describe(&context.command_prefix())));
        }
        show_last_week(context, gate, &proposed).await;
        for line in describe_newly_reachable(&newly_reachable, &context.screen()) {
            print_line(&line);
        }
    }
    if !yes {
        if context.json || !std::io::stdin().is_terminal() {
            let message = "nothing was changed: without a terminal, or with --json, confirm with --yes";
            return Err(CliError::usage(message).into());
        }
        if !confirm_change("Apply this policy?")? {
            return Ok(CommandExit::FAILED);
        }
    }
    let rules = proposed.policy.rules() as u64;
    let after = record_policy(gate, proposed, before.hash).await?;
    if context.json {
        let replaced = before.seq;
        let json = serde_json::json!({
            "changed": true,
            "replaced": replaced,
            "policy": after,
            "unproven": unproven,
            "newlyReachable": newly_reachable_json(&newly_reachable),
            "lostBlocks": lost_blocks,
        });
        print_json(&json)?;
    } else {
        print_line(&format!(
            "Active since {} (event {}): {}, SHA-256 {}. It replaces event {}.",
            after.at,
            after.seq,
            count_words(rules, "rule"),
            after.hash,
            before.seq
        ));
    }
    Ok(CommandExit::DONE)
}

/// The names of the rules that block by the active policy, and that the new one does not have.
fn find_lost_blocks(before: &RecordedPolicy, policy: &Policy) -> Vec<String> {
    let Ok(active) = before.parse() else { return Vec::new() };
    active.blocks_missing_in(policy).into_iter().map(str::to_owned).collect()
}

/// What an agent in this folder may do to sensitive things by the policy, and may not by the active one.
fn find_reach_gained(
    context: &CommandContext,
    before: &RecordedPolicy,
    policy: &Policy,
) -> anyhow::Result<Vec<NewlyReachable>> {
    // An active policy that this version cannot read asks about everything.
    let active = before.parse().unwrap_or_else(|_| Policy::ask_always());
    let caller = PresumedCaller::of_any_agent(context)?;
    Ok(find_newly_reachable(&active, policy, caller.as_caller()))
}

/// Records the policy in the log, which makes it active. Fails if `replaces` is not the active one.
pub(super) async fn record_policy(
    gate: &SharedGate,
    proposed: ProposedPolicy,
    replaces: Sha256,
) -> anyhow::Result<RecordedPolicy> {
    let ProposedPolicy { policy, source, .. } = proposed;
    let PolicyText { text, layers } = policy.text().clone();
    let body = api::PolicyRequest { text, layers, source, replaces };
    Ok(gate.send(operations::ApplyPolicy { body }).await?.into())
}

/// Refuses an agent before it is shown a question that it may not answer. The log refuses it too.
pub(super) fn refuse_agent(gate: &SharedGate) -> anyhow::Result<()> {
    let principal = gate.principal();
    if principal.kind() == PrincipalKind::User {
        return Ok(());
    }
    let message = format!("{principal} may not change the policy; only people may");
    Err(CliError { exit: CommandExit::REFUSED, code: "not_an_approver", message }.into())
}

fn say_unchanged(context: &CommandContext, policy: &RecordedPolicy) -> anyhow::Result<CommandExit> {
    if context.json {
        print_json(&serde_json::json!({"changed": false, "policy": policy}))?;
    } else {
        print_line(&format!(
            "Already active since {} (event {}, by {}); nothing was changed.",
            policy.at,
            policy.seq,
            escape_text(policy.principal.as_str())
        ));
    }
    Ok(CommandExit::DONE)
}

fn show_warnings(policy: &Policy) {
    let warnings = policy.find_warnings();
    if !warnings.is_empty() {
        print_line(&format!("\n{}:", count_words(warnings.len() as u64, "warning")));
    }
    for warning in warnings {
        print_line(&format!("  {}", escape_text(&warning.to_string())));
    }
}

/// Shows how the policy would have judged the last week's calls. The policy may become active even if that cannot
/// be said.
async fn show_last_week(context: &CommandContext, gate: &SharedGate, proposed: &ProposedPolicy) {
    let mut replay = PolicyReplay::new(proposed.policy.clone());
    let since = LoggedCallArgs::since(context.now().before(LAST_WEEK));
    let read =
        for_each_call(context, gate, &since, ReadLimits::NONE, |call| replay.replay_call(call, &|| false))
            .await;
    if let Err(error) = read {
        print_error(&format!("The calls of the last week cannot be judged by it: {error:#}"));
        return;
    }
    let report = replay.report();
    if report.calls + report.masked == 0 {
        print_line("\nNo calls were proposed in the last week.");
        return;
    }
    print_line(&format!("\nThe calls of the last week, judged by it: {}", summarize_replay(&report)));
    for line in describe_dangers(&report) {
        print_line(&format!("  {line}"));
    }
    if let Some(command) = proposed.replay_command.as_ref().filter(|_| report.has_differences()) {
        print_line(&format!("To list them: {command}"));
    }
}
