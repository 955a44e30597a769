//! `countersign policy suggest`

use super::{
    Meant, count,
    history::{self, Which},
};
use crate::{args::Args, exit::Exit, output};
use countersign_gate::replay::{Suggest as Gather, Wanted};

/// Of which calls, and how sure.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints TOML that stands alone as a policy or at the end of yours, with what speaks for each rule in comments: how \
many prompts, over how many threads, who allowed them, and what was denied and stays so. No rule meets a call that \
anybody ever denied, that lapsed, that a rule blocked or an approver changed. Replay it before you trust it.

JSON: {\"atLeast\", \"prompts\", \"saved\", \"passedOver\", \"rules\": [{\"name\", \"tool\", \"toml\", \"prompts\", \"saves\", \
\"arguments\", \"threads\", \"people\", \"proposers\", \"first\", \"last\", \"nearMisses\", \"suchAs\"}]}")]
pub(crate) struct Suggest {
    #[command(flatten)]
    which: Which,
    /// How many prompts a rule has to save
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    at_least: u64,
    /// Also for destructive tools, high risks, and names that sound dangerous
    #[arg(long)]
    even_dangerous: bool,
}

pub(crate) async fn suggest(args: &Args, wish: &Suggest) -> anyhow::Result<Exit> {
    let meant = Meant::by(args)?;
    let wanted = Wanted { at_least: wish.at_least, even_dangerous: wish.even_dangerous };
    let mut gather = Gather::new(meant.policy, wanted);
    let damaged = history::each(args, &wish.which, |call| gather.take(call)).await?;
    let suggestion = gather.suggestion();
    if args.json {
        output::say(&output::json_line(&suggestion)?);
    } else {
        output::say(suggestion.toml().trim_end());
    }
    if damaged > 0 {
        let calls = count(damaged, "call");
        output::complain(&format!("{calls} cannot be read and were left out: countersign verify"));
    }
    Ok(Exit::DONE)
}
