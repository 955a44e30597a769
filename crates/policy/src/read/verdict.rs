//! Reads verdicts.

use super::node::{PolicyFault, TomlNode};
use crate::spelling::did_you_mean;
use countersign_events::event::Verdict;

/// Reads `allow`, `ask` or `block`.
pub(super) fn read_verdict(node: &TomlNode) -> Result<Verdict, PolicyFault> {
    let text = node.text("a verdict")?;
    let known = [Verdict::Allow, Verdict::Ask, Verdict::Block];
    known.into_iter().find(|verdict| verdict.as_str() == text).ok_or_else(|| {
        let hint = did_you_mean(text, &known.map(Verdict::as_str));
        node.fault(format!("unknown verdict {text:?}{hint}"))
    })
}
