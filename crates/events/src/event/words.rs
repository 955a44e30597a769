//! The words that events use. One that a newer version may have added reads as `Other`, which allows
//! nothing.

use serde::{Deserialize, Serialize};

/// A word that this version does not know. In the log it may be a newer one; in a request it is an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown value {given:?}; use one of {known}")]
pub struct UnknownWord {
    /// The word that was given.
    pub given: String,
    /// The known words.
    pub known: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)*
            /// A word of a newer version.
            #[serde(other, rename = "other")]
            Other,
        }

        impl $name {
            /// The words of this version.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::Other => "other" }
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let known = Self::ALL.iter().find(|word| word.as_str() == text);
                known.copied().ok_or_else(|| UnknownWord {
                    given: text.to_owned(),
                    known: [$($text),*].join(", "),
                })
            }
        }
    };
}

words! {
    /// A decision on a call.
    Decision {
        /// This call may run.
        AllowOnce = "allow_once",
        /// This call may run, and so may later calls of its tool in its thread.
        AllowSession = "allow_session",
        /// This call may not run.
        Deny = "deny",
    }
}

impl Decision {
    /// True if the call may run.
    #[must_use]
    pub const fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowSession)
    }
}

words! {
    /// Where a decision came from.
    Source {
        /// A person.
        Approver = "approver",
        /// A rule of the policy.
        Policy = "policy",
        /// An earlier decision of a person, remembered: a grant, a denial, or an approval that was not used.
        Grant = "grant",
        /// The thread's mode.
        Mode = "mode",
        /// The request expired.
        Expiry = "expiry",
        /// The call was withdrawn.
        Cancellation = "cancellation",
    }
}

words! {
    /// The part of the policy that gave a verdict.
    Basis {
        /// A rule.
        Rule = "rule",
        /// A zone of paths.
        Zone = "zone",
        /// The tool's own definition.
        Tool = "tool",
        /// Nothing matched.
        Default = "default",
    }
}

words! {
    /// How a call ended.
    Status {
        /// It ran.
        Success = "success",
        /// It ran and failed.
        Error = "error",
        /// It was not allowed to run.
        Denied = "denied",
        /// It expired without a decision.
        Expired = "expired",
        /// It was withdrawn.
        Cancelled = "cancelled",
    }
}

words! {
    /// How bad it would be.
    RiskLevel {
        /// Easily lived with.
        Low = "low",
        /// Worth a look.
        Medium = "medium",
        /// Hurts.
        High = "high",
        /// Hurts for long.
        Critical = "critical",
    }
}

words! {
    /// The agents whose later calls a grant answers.
    GrantAgents {
        /// The agent that proposed the call.
        Proposer = "proposer",
        /// Every agent of the thread.
        Any = "any",
    }
}

words! {
    /// A thread's own rule for a tool.
    ToolPolicy {
        /// Do not ask.
        Allow = "allow",
        /// Ask.
        RequireApproval = "require-approval",
        /// Refuse.
        Deny = "deny",
        /// The policy decides, as if the thread had no setting.
        Default = "default",
    }
}

words! {
    /// How a thread answers what is asked.
    Mode {
        /// People decide.
        Interactive = "interactive",
        /// An `ask` is allowed.
        ApproveAll = "approve_all",
        /// An `ask` is denied.
        AutoDeny = "auto_deny",
    }
}

words! {
    /// The decision on a request at its expiry.
    OnExpiry {
        /// It is denied.
        Deny = "deny",
        /// It is allowed, where a rule says so in as many words.
        Allow = "allow",
    }
}
