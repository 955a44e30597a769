//! Asking a person to confirm.

use countersign_tui::present::print::{print_line, print_prompt};
use std::io::IsTerminal;

/// Asks the question on a terminal. Without a terminal, the answer is yes: scripts cannot answer.
pub(crate) fn confirm(question: &str) -> std::io::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    print_prompt(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !agreed {
        print_line("Nothing was decided.");
    }
    Ok(agreed)
}
