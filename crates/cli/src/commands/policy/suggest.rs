//! `countersign policy suggest`

use countersign_tui::present::print::{print_error, print_json, print_line};
use crate::{commands::policy::{history::{for_each_call, LoggedCallArgs}, source::PolicySource}, context::Context, exit::CommandExit, present::words::count_words};
use countersign_gate::replay::{PolicySuggestArgs as Gather, Wanted};

/// Of which calls, and how sure.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints TOML that stands alone as a policy or at the end of yours, with what speaks for each rule in comments: how \
many prompts, over how many threads, who allowed them, and what was denied and stays so. No rule meets a call that \
anybody ever denied, that lapsed, that a rule blocked or an approver changed. Replay it before you trust it.

JSON: {\"atLeast\", \"prompts\", \"saved\", \"passedOver\", \"rules\": [{\"name\", \"tool\", \"toml\", \"prompts\", \"saves\", \
\"arguments\", \"threads\", \"people\", \"proposers\", \"first\", \"last\", \"nearMisses\", \"suchAs\"}]}")]
pub(crate) struct PolicySuggestArgs {
    #[command(flatten)]
    which: LoggedCallArgs,
    /// DecideOptions many prompts a rule has to save
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    at_least: u64,
    /// Also for destructive tools, high risks, and names that sound dangerous
    #[arg(long)]
    even_dangerous: bool,
}

pub(crate) async fn suggest_rules(context: &Context, args: &PolicySuggestArgs) -> anyhow::Result<CommandExit> {
    let meant = PolicySource::from_settings(&context.settings)?;
    let wanted = Wanted { at_least: args.at_least, even_dangerous: args.even_dangerous };
    let mut gather = Gather::new(meant.policy, wanted);
    let damaged = for_each_call(context, &args.which, |call| gather.take(call)).await?;
    let suggestion = gather.suggestion();
    if context.json {
        print_json(&suggestion)?;
    } else {
        print_line(suggestion.toml().trim_end());
    }
    if damaged > 0 {
        let calls = count_words(damaged, "call");
        print_error(&format!("{calls} cannot be read and were left out: countersign verify"));
    }
    Ok(CommandExit::DONE)
}
