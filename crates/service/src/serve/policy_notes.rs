//! What the policy file of `serve` takes away from the policy before it.

use countersign_console::describe_rule_names;
use countersign_policy::Policy;

/// The blocking rules that a policy file does not have.
#[derive(Debug, Default)]
pub(super) struct PolicyNotes {
    /// Their names.
    pub(super) lost_blocks: Vec<String>,
    /// The event whose policy has them; `None` for the built-in policy.
    seq: Option<i64>,
}

impl PolicyNotes {
    /// Compares the active policy with the one before the file, which event `seq` applied, or with the built-in one if the file
    /// was active already.
    pub(super) fn compare(before: &Policy, seq: i64, active: &Policy) -> Self {
        let changed = before.hash() != active.hash();
        let lost =
            |policy: &Policy| policy.blocks_missing_in(active).into_iter().map(str::to_owned).collect();
        if changed {
            Self { lost_blocks: lost(before), seq: Some(seq) }
        } else {
            Self { lost_blocks: lost(&Policy::shipped()), seq: None }
        }
    }

    /// The line for people; `None` if there is nothing to say.
    pub(super) fn describe(&self, how: &str) -> Option<String> {
        if self.lost_blocks.is_empty() {
            return None;
        }
        let names = describe_rule_names(self.lost_blocks.iter().map(String::as_str));
        Some(match self.seq {
            Some(seq) => format!(
                "It removes these rules, which block calls: {names}.\n             To have both, start without --policy, and run: \
                 {how} policy revert {seq}, then {how} policy add FILE"
            ),
            None => {
                format!("It does not have these rules of the built-in policy, which block calls: {names}.")
            }
        })
    }
}
