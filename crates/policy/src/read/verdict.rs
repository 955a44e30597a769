//! Reads verdicts.

use super::node::{PolicyFault, TomlNode};
use crate::spelling::did_you_mean;
use countersign_events::Verdict;

/// Reads `allow`, `ask` or `block`.
pub(super) fn read_verdict(node: &TomlNode) -> Result<Verdict, PolicyFault> {
    let text = node.text("a verdict")?;
    let known = [Verdict::Allow, Verdict::Ask, Verdict::Block];
    // Thread policy keywords. Neither gives more than it says.
    let aliases = [("require-approval", Verdict::Ask), ("deny", Verdict::Block)];
    let words = known.map(|verdict| (verdict.as_str(), verdict)).into_iter().chain(aliases);
    words.into_iter().find(|(word, _)| *word == text).map(|(_, verdict)| verdict).ok_or_else(|| {
        if text == ADVISED {
            return node
                .fault("only a [[rule]] can have the verdict \"advised\", because it needs an `advisor`");
        }
        let hint = did_you_mean(text, &known.map(Verdict::as_str));
        node.fault(format!("unknown verdict {text:?}{hint}"))
    })
}

/// The verdict of a rule that an advisor may answer. It is an `ask` with an advisor.
pub(super) const ADVISED: &str = "advised";

/// Reads a rule verdict, and returns true if it is `advised`.
pub(super) fn read_rule_verdict(node: &TomlNode) -> Result<(Verdict, bool), PolicyFault> {
    match node.text("a verdict")? {
        ADVISED => Ok((Verdict::Ask, true)),
        text => read_verdict(node).map(|verdict| (verdict, false)).map_err(|fault| {
            let known = [Verdict::Allow.as_str(), Verdict::Ask.as_str(), ADVISED, Verdict::Block.as_str()];
            PolicyFault { why: format!("unknown verdict {text:?}{}", did_you_mean(text, &known)), ..fault }
        }),
    }
}
