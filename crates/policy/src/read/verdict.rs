//! Reads verdicts.

use super::node::{PolicyFault, TomlNode};
use crate::spelling::did_you_mean;
use countersign_events::event::Verdict;

/// Reads `allow`, `ask` or `block`.
pub(super) fn read_verdict(node: &TomlNode) -> Result<Verdict, PolicyFault> {
    let text = node.text("a verdict")?;
    let known = [Verdict::Allow, Verdict::Ask, Verdict::Block];
    // The words of a thread's own policy. Neither gives more than it says.
    let aliases = [("require-approval", Verdict::Ask), ("deny", Verdict::Block)];
    let words = known.map(|verdict| (verdict.as_str(), verdict)).into_iter().chain(aliases);
    words.into_iter().find(|(word, _)| *word == text).map(|(_, verdict)| verdict).ok_or_else(|| {
        let hint = did_you_mean(text, &known.map(Verdict::as_str));
        node.fault(format!("unknown verdict {text:?}{hint}"))
    })
}
