//! Previews of the scopes that a decision may have: comparisons with the recent calls of the thread.

use countersign_api::{ApprovalRequest, ScopePreview};
use countersign_approvals::{Call, scope::GrantScope};
use countersign_policy::{PatternContext, Policy, RuleEffect};

/// The most calls that a [`ScopePreview`] names.
const NAMED_CALLS: usize = 10;

/// The recent calls of a thread, the newest first. Each is parsed once and compared with many scopes.
pub(crate) struct CallHistory<'a> {
    policy: &'a Policy,
    calls: Vec<(&'a Call, PatternContext<'a>)>,
}

impl<'a> CallHistory<'a> {
    pub(crate) fn new(policy: &'a Policy, calls: &'a [Call]) -> Self {
        Self {
            policy,
            calls: calls.iter().map(|call| (call, PatternContext::new(policy, &call.subject()))).collect(),
        }
    }

    /// Adds the levels that approvers may use, the number of other calls of the same tool, and a preview of each scope.
    pub(crate) fn describe(&self, request: &mut ApprovalRequest, call: &Call) {
        let approvers = self.policy.approvers();
        let lowest = request.level.as_deref().and_then(|level| approvers.rank(level)).unwrap_or(0);
        request.available_levels = approvers.levels().iter().skip(lowest).cloned().collect();
        let preset = request.default_level.take().filter(|level| request.available_levels.contains(level));
        request.default_level =
            preset.or_else(|| request.level.clone()).or_else(|| request.available_levels.first().cloned());
        let same_tool =
            self.others(call).filter(|(other, _)| other.proposal.what.name == call.proposal.what.name);
        request.similar_operations_count = Some(same_tool.count());
        let scopes = GrantScope::offered(&PatternContext::new(self.policy, &call.subject()));
        request.scopes = scopes.iter().map(|scope| self.preview(scope, call)).collect();
    }

    /// Counts the other calls that a decision on `call` with this scope would have answered.
    pub(crate) fn preview(&self, scope: &GrantScope, call: &Call) -> ScopePreview {
        let mut preview = ScopePreview {
            scope: scope.json(),
            says: scope.to_string(),
            allows: 0,
            denies: 0,
            calls: Vec::new(),
            of: 0,
        };
        for (other, context) in self.others(call) {
            let answers = |effect| scope.answers(call.made(), context, other.arguments_hash(), effect);
            preview.of += 1;
            preview.allows += usize::from(answers(RuleEffect::Widen));
            if answers(RuleEffect::Restrict) {
                preview.denies += 1;
                preview.calls.extend((preview.denies <= NAMED_CALLS).then(|| other.id().clone()));
            }
        }
        preview
    }

    fn others(&self, call: &Call) -> impl Iterator<Item = &(&'a Call, PatternContext<'a>)> {
        self.calls.iter().filter(|(other, _)| other.id() != call.id())
    }
}
