//! `countersign policy suggest`

use crate::commands::policy::{
    logged_calls::{LoggedCallArgs, for_each_call},
    source::PolicySource,
};
use countersign_console::{CommandContext, CommandExit, count_words, print_error, print_json, print_line};
use countersign_gate::ReadLimits;
use countersign_replay::{RuleSuggester, SuggestionOptions};

/// Options of `policy suggest`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints TOML that works as a policy, or at the end of one. A comment gives the evidence for each rule: the number of \
prompts and threads, and who allowed them. No rule matches a call that was denied, expired, \
blocked or changed in what was read of the log: it says if that is not all. Check the rules with `policy replay` before you use them.

JSON: {\"atLeast\", \"prompts\", \"saved\", \"skipped\", \"moreRules\", \"moreSaves\", \"rules\": [{\"name\", \"tool\", \"toml\", \"prompts\", \"saves\", \
\"arguments\", \"threads\", \"people\", \"proposers\", \"first\", \"last\", \"nearMisses\", \"suchAs\"}]}")]
pub(crate) struct PolicySuggestArgs {
    #[command(flatten)]
    which: LoggedCallArgs,
    /// The minimum number of prompts that a rule saves
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    at_least: u64,
    /// Include destructive tools, high risks and dangerous names
    #[arg(long)]
    even_dangerous: bool,
    /// Show all rules, not only those that save the most prompts
    #[arg(long)]
    all: bool,
}

pub(crate) async fn suggest_rules(
    context: &CommandContext,
    args: &PolicySuggestArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_read().await?;
    let meant = PolicySource::from_settings_or_log(context, &gate).await?;
    let wanted =
        SuggestionOptions { at_least: args.at_least, even_dangerous: args.even_dangerous, all: args.all };
    let mut gather = RuleSuggester::new(meant.policy, wanted);
    let limits = ReadLimits::ANALYSIS;
    let omitted = for_each_call(context, &gate, &args.which, limits, |call| gather.add_call(call)).await?;
    let suggestion = gather.suggestion();
    if context.json {
        print_json(&suggestion)?;
    } else {
        print_line(suggestion.toml().trim_end());
    }
    if omitted.is_cut {
        let (events, megabytes) = (limits.events, limits.bytes / (1024 * 1024));
        print_error(&format!(
            "The log is long: the rules rest on its last {events} events, or their first {megabytes} MiB. Select another part with \
             --since and --until, and check the rules against the whole log with `policy replay`."
        ));
    }
    if omitted.damaged > 0 {
        let calls = count_words(omitted.damaged, "call");
        print_error(&format!("{calls} cannot be read and were left out: countersign verify"));
    }
    Ok(CommandExit::DONE)
}
