//! `countersign advisor prompt`

use countersign_advisors::SHIPPED_PROMPT;
use countersign_console::{CommandContext, CommandExit, print_json, print_line};
use serde_json::json;

/// Options of `advisor prompt`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Write it to a file in the folder policy.d, such as policy.d/judge.prompt, change it, and name it in the policy: \
promptFile = \"judge.prompt\". How to read the data and how to answer follows it in each question, so the prompt need not say \
that.\n\nJSON: {\"prompt\"}"
)]
pub(crate) struct AdvisorPromptArgs {}

pub(crate) fn print_prompt(context: &CommandContext, _: &AdvisorPromptArgs) -> anyhow::Result<CommandExit> {
    if context.json {
        print_json(&json!({"prompt": SHIPPED_PROMPT}))?;
    } else {
        print_line(SHIPPED_PROMPT.trim_end());
    }
    Ok(CommandExit::DONE)
}
