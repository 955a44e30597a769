//! Asking a person to confirm.

use crate::{CliError, escape_text, print_line, print_prompt};
use countersign_api as api;
use std::io::IsTerminal;

/// The most calls that a question lists.
const LISTED: usize = 10;

/// The answer to a refused decision.
const NOTHING_DECIDED: &str = "Nothing was decided.";

/// Asks the question on a terminal. Without a terminal, the answer is yes: scripts cannot answer.
pub fn confirm(question: &str) -> std::io::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    ask(question, NOTHING_DECIDED)
}

/// How a command line answers a question.
#[derive(Debug, Clone, Copy)]
pub struct ConfirmTerms {
    /// `--yes` was given.
    pub yes: bool,
    /// The output is JSON, so no one reads the question.
    pub json: bool,
}

/// Asks the question about calls that the command line does not name, and lists them first. `--yes` answers it. Without
/// a terminal and with JSON it is required, because one mistake would decide many calls.
pub fn confirm_calls(
    question: &str,
    lists: &[(&str, &[api::Call])],
    ConfirmTerms { yes, json }: ConfirmTerms,
) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if json || !std::io::stdin().is_terminal() {
        let why = "Add --yes, which is required without a terminal and with --json";
        return Err(CliError::usage(format!("{question} {why}")).into());
    }
    for (heading, calls) in lists.iter().filter(|(_, calls)| !calls.is_empty()) {
        print_line(heading);
        list_calls(calls);
    }
    Ok(ask(question, NOTHING_DECIDED)?)
}

/// Prints the first calls, and how many others there are.
pub(crate) fn list_calls(calls: &[api::Call]) {
    for call in calls.iter().take(LISTED) {
        let (id, thread) = (escape_text(call.id.as_str()), escape_text(call.thread_id.as_str()));
        let (tool, by) = (escape_text(call.name.as_str()), escape_text(call.proposal.principal.as_str()));
        print_line(&format!("  {id} in thread {thread}: {tool}, by {by}"));
    }
    if calls.len() > LISTED {
        print_line(&format!("  and {} more", calls.len() - LISTED));
    }
}

/// Asks the question, whose refusal changes nothing.
pub fn confirm_change(question: &str) -> std::io::Result<bool> {
    ask(question, "Nothing was changed.")
}

fn ask(question: &str, refused: &str) -> std::io::Result<bool> {
    print_prompt(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !agreed {
        print_line(refused);
    }
    Ok(agreed)
}
