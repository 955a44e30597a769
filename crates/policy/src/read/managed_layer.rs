//! The check of the managed layer.

use super::node::{PolicyFault, TomlItem, TomlNode};
use countersign_events::Verdict;

/// Checks that the managed layer has only rules that allow. People read it less carefully than a file, so it may not change
/// settings, and its rules may not hide one that asks or blocks.
pub(super) fn check_managed_layer(table: &TomlNode) -> Result<(), PolicyFault> {
    let fault =
        |node: &TomlNode, why: &str| PolicyFault { at: node.at, why: format!("the managed layer {why}") };
    let TomlItem::Table(entries) = &table.item else { return Ok(()) };
    for entry in entries {
        let TomlItem::List(rules) = &entry.value.item else {
            return Err(fault(
                &entry.key_node(),
                "may contain only [[rule]]; put other keys into another file",
            ));
        };
        if entry.key != "rule" {
            return Err(fault(
                &entry.key_node(),
                "may contain only [[rule]]; put other keys into another file",
            ));
        }
        if let Some(rule) = rules.iter().find(|rule| !allows(rule)) {
            return Err(fault(
                rule,
                "may contain only rules with verdict = \"allow\"; put others into another file",
            ));
        }
    }
    Ok(())
}

fn allows(rule: &TomlNode) -> bool {
    let TomlItem::Table(entries) = &rule.item else { return false };
    let verdict = entries.iter().find(|entry| entry.key == "verdict");
    verdict.is_some_and(|entry| entry.value.text("verdict").is_ok_and(|text| text == Verdict::Allow.as_str()))
}
