//! Hook settings.

use super::message::HookOrigin;
use countersign_api::Call;
use std::time::Duration;

/// Hook settings.
#[derive(Clone, Copy)]
pub struct HookTerms<'a> {
    /// How long to wait for a person's decision. It must be less than the agent's time-out.
    pub wait: Duration,
    /// The claim lease, in seconds. The agent does not renew it.
    pub lease_seconds: u32,
    /// The answer to a call that a rule allows, without a person.
    pub rule_answer: RuleAllowance,
    /// The agent behind the hook, and where it works.
    pub origin: HookOrigin<'a>,
    /// Whether the agent that runs this hook is known to ignore changed arguments, for example because it borrows the hooks of
    /// another agent.
    pub ignores_edits: bool,
    /// True to answer `defer` instead of a denial if no person has decided in time. Only Claude Code knows it.
    pub defers: bool,
    /// Where the agent's own questions are answered.
    pub prompts: PromptTerms,
    /// Where a person decides on a call, in words: the address of its page, or a command.
    pub decision_place: &'a (dyn Fn(&Call) -> String + Send + Sync),
}

/// How a hook answers a call that a rule allows, without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleAllowance {
    /// The agent runs the call, whatever its own rules say.
    Allow,
    /// The agent runs the call, except in a mode that refuses what its own rules do not allow, or if the policy only observes.
    UnlessRefused,
    /// No decision: the agent's own rules still apply, and may ask or deny.
    None,
}

/// Where the questions of an agent are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptTerms {
    /// Whether the agent's user sits in front of it.
    pub is_attended: bool,
    /// How long a question waits in the agent's own window before people see it in the inbox, too. `None` if people are asked
    /// instead of the agent's user.
    pub own_time: Option<Duration>,
}

impl PromptTerms {
    /// Whether the agent's own window asks first.
    pub(crate) const fn asks_own_user(self) -> bool {
        self.is_attended && self.own_time.is_some()
    }
}
