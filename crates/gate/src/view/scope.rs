//! Previews of the scopes that a decision may have: comparisons with the recent calls of the thread.

use countersign_api::EarlierCalls;
use countersign_approvals::{Call, scope::GrantScope};
use countersign_policy::{CallReading, Policy, RuleEffect};

/// The most calls that a preview names.
const NAMED_CALLS: usize = 10;

/// The most bytes of arguments that a preview reads.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The recent calls of a thread that a preview may read, the newest first.
pub(crate) struct CallHistory<'a> {
    calls: Vec<(&'a Call, CallReading<'a>)>,
}

impl<'a> CallHistory<'a> {
    pub(crate) fn new(policy: &'a Policy, calls: &'a [Call]) -> Self {
        let mut bytes = 0;
        let is_within_budget = |call: &&Call| {
            bytes += call.arguments().as_str().len();
            bytes <= MAX_BYTES
        };
        let read = calls.iter().take_while(is_within_budget);
        Self { calls: read.map(|call| (call, CallReading::new(policy, &call.subject()))).collect() }
    }

    /// Counts the other calls that a decision on `call` with this scope would have answered. A pattern cannot be
    /// compared with masked arguments, so those calls are counted separately.
    pub(crate) fn compare(&self, scope: &GrantScope, call: &Call) -> EarlierCalls {
        let mut earlier = EarlierCalls::default();
        for (other, look) in self.calls.iter().filter(|(other, _)| other.id() != call.id()) {
            earlier.compared += 1;
            if is_masked_for(scope, call, other) {
                earlier.masked += 1;
                continue;
            }
            let origin = other.made().with_arguments(other.arguments_hash());
            let answers = |effect| scope.answers(call.made(), origin, look, effect);
            earlier.allows += usize::from(answers(RuleEffect::Widen));
            if answers(RuleEffect::Restrict) {
                earlier.denies += 1;
                earlier.calls.extend((earlier.denies <= NAMED_CALLS).then(|| other.id().clone()));
            }
        }
        earlier
    }
}

/// Returns true if the scope looks at masked arguments of the other call.
fn is_masked_for(scope: &GrantScope, call: &Call, other: &Call) -> bool {
    let is_same_tool = other.proposal.what.name == call.proposal.what.name;
    matches!(scope, GrantScope::Pattern(_)) && is_same_tool && !other.redacted().is_empty()
}
