//! The keywords that events use. A keyword that a newer version added reads as `Other`, which allows nothing. Requests also accept
//! aliases. No alias gives more than it says: `allow` means one call, and the mode that allows everything has no short name.

use serde::{Deserialize, Serialize};

/// A keyword that this version does not know. In the log it may be a newer one; in a request it is an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown value {given:?}; use one of {known}")]
pub struct UnknownWord {
    /// The given keyword.
    pub given: String,
    /// The known keywords.
    pub known: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal $(| $alias:literal)*,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)*
            /// A keyword from a newer version.
            #[serde(other, rename = "other")]
            Other,
        }

        impl $name {
            /// The keywords in this version.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::Other => "other" }
            }

            /// Other keywords that people use for it elsewhere. Requests accept them; events never contain them.
            #[must_use]
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($alias),*],)* Self::Other => &[] }
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let means = |word: &&Self| word.as_str() == text || word.aliases().contains(&text);
                let known = Self::ALL.iter().find(means);
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
        AllowOnce = "allow_once" | "allow-once" | "allow" | "once",
        /// This call may run, and so may later calls of its tool in its thread.
        AllowSession = "allow_session" | "allow-session" | "session",
        /// This call may not run.
        Deny = "deny" | "block",
    }
}

impl Decision {
    /// Returns true if the call may run.
    #[must_use]
    pub const fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowSession)
    }
}

words! {
    /// The surface on which a person decided, if it shows only a part of the call.
    DecisionChannel {
        /// An action on a notification.
        Notification = "notification",
        /// A button in a chat.
        Chat = "chat",
    }
}

words! {
    /// What a token holder may do. No role may both propose and decide.
    Role {
        /// Propose, wait, claim, finish and cancel.
        Agent = "agent",
        /// Read and decide.
        Approver = "approver",
        /// Read, and decide nothing.
        Auditor = "auditor",
        /// Set policies, modes and tokens.
        Admin = "admin",
    }
}

words! {
    /// The kind of token.
    TokenKind {
        /// A token that its holder keeps.
        Token = "token",
        /// A link that signs a person in once.
        Link = "link",
        /// A browser session.
        Session = "session",
    }
}

words! {
    /// The kind of proof, and of the key that makes it.
    ProofKind {
        /// A signature of `ssh-keygen -Y sign`, by an SSH key or a FIDO key.
        Ssh = "ssh",
        /// A passkey assertion (WebAuthn).
        Passkey = "passkey",
    }
}

words! {
    /// The format of webhook messages.
    WebhookFormat {
        /// JSON with a signature, as standardwebhooks.com describes it.
        Standard = "standard",
        /// An incoming webhook of Slack.
        Slack = "slack",
        /// A workflow of Microsoft Teams.
        Teams = "teams",
        /// A Discord channel webhook.
        Discord = "discord",
        /// A topic of ntfy.
        Ntfy = "ntfy",
        /// The Events API of `PagerDuty`.
        PagerDuty = "pagerduty",
        /// The Alert API of Opsgenie, or of Jira Service Management.
        Opsgenie = "opsgenie",
        /// An automation rule of Jira.
        Jira = "jira",
        /// A Slack app, whose buttons decide.
        SlackApp = "slack-app",
        /// A Telegram bot, whose buttons decide.
        Telegram = "telegram",
        /// A Discord app, whose buttons decide.
        DiscordApp = "discord-app",
        /// A Mattermost bot, whose buttons decide.
        Mattermost = "mattermost",
    }
}

words! {
    /// A conversation message's format.
    MessageFormat {
        /// The Chat Completions API of OpenAI.
        OpenAi = "openai",
        /// Anthropic's Messages API.
        Anthropic = "anthropic",
        /// Google's Gemini API.
        Google = "google",
        /// Countersign's own form: a role and a string.
        Plain = "plain",
        /// The items of OpenAI's Responses API.
        OpenAiResponses = "openai-responses",
        /// The items of OpenAI's Agents SDK.
        OpenAiAgents = "openai-agents",
        /// UI messages of the AI SDK.
        AiSdkUi = "ai-sdk-ui",
        /// Model messages of the AI SDK.
        AiSdk = "ai-sdk",
        /// The messages of LangChain, with one interrupt for all pending calls.
        LangChain = "langchain" | "langgraph",
        /// The messages of LangChain, with one interrupt for each pending call.
        LangChainPerCall = "langchain-per-call",
        /// The messages of LangChain, with the interrupts of Agent Inbox.
        AgentInbox = "agent-inbox",
        /// The messages of AG-UI.
        AgUi = "ag-ui",
        /// The function calls of HumanLayer.
        HumanLayer = "humanlayer",
    }
}

words! {
    /// The proof that an approval needs.
    ProofRequirement {
        /// One of any kind.
        Any = "any",
        /// One of an SSH key.
        Ssh = "ssh",
        /// One of a passkey.
        Passkey = "passkey",
    }
}

impl ProofRequirement {
    /// Returns true if a proof of this kind is enough. A requirement from a newer version is never met.
    #[must_use]
    pub const fn accepts(self, kind: ProofKind) -> bool {
        match self {
            Self::Any => !matches!(kind, ProofKind::Other),
            Self::Ssh => matches!(kind, ProofKind::Ssh),
            Self::Passkey => matches!(kind, ProofKind::Passkey),
            Self::Other => false,
        }
    }

    /// The proof in words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Any => "an SSH key or a passkey",
            Self::Ssh => "an SSH key",
            Self::Passkey => "a passkey",
            Self::Other => "a kind that this version does not know",
        }
    }

    /// The order of strictness: of several requirements, the highest applies. A passkey also verifies the person.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::Any => 1,
            Self::Ssh => 2,
            Self::Passkey => 3,
            Self::Other => 4,
        }
    }
}

words! {
    /// What a webhook message is about.
    WebhookTopic {
        /// The policy asks people about a call.
        Opened = "opened",
        /// People are reminded of a pending call.
        Reminded = "reminded",
        /// A pending call needs a higher level from now on.
        Escalated = "escalated",
        /// One approver of several has voted.
        Voted = "voted",
        /// A pending call was decided.
        Decided = "decided",
        /// A pending call expired.
        Expired = "expired",
        /// An executor's lease lapsed without a result, so it is unknown whether the call ran.
        OutcomeUnknown = "outcome_unknown",
        /// An advisor whose advice people see has answered.
        Advised = "advised",
        /// A person complains that a call was allowed.
        Flagged = "flagged",
        /// A call ran other arguments than were approved, or without an approval.
        Mismatch = "mismatch",
        /// An advisor may decide from now on, or only advises.
        AdvisorMode = "advisor_mode",
    }
}

words! {
    /// Where a decision came from.
    Source {
        /// A person.
        Approver = "approver",
        /// A policy rule.
        Policy = "policy",
        /// An earlier decision of a person, remembered: a grant, a denial, or an approval that was not used.
        Grant = "grant",
        /// The thread's mode.
        Mode = "mode",
        /// The request expired.
        Expiry = "expiry",
        /// The call was withdrawn.
        Cancellation = "cancellation",
        /// An advisor, a program that the policy lets answer the request.
        Advisor = "advisor",
    }
}

words! {
    /// The way in which an advisor is asked.
    AdvisorProtocol {
        /// Countersign's own JSON, over HTTP or to a command.
        Countersign = "countersign",
        /// The Open Policy Agent REST API.
        Opa = "opa",
        /// Cedar policies, evaluated in the process.
        Cedar = "cedar",
        /// A chat endpoint as OpenAI defines it.
        Chat = "chat",
        /// The facts that the log has about the call, judged in the process.
        Facts = "facts",
    }
}

words! {
    /// How advice is used.
    AdvisorMode {
        /// The advice is recorded, and approvers do not see it.
        Shadow = "shadow",
        /// Approvers see the advice.
        Advise = "advise",
        /// The advice may answer requests of rules that name the advisor.
        Decide = "decide",
    }
}

words! {
    /// An advisor's answer to one question.
    AdviceVerdict {
        /// The call should run.
        Allow = "allow",
        /// The call should not run.
        Deny = "deny",
        /// People should decide.
        Ask = "ask",
    }
}

words! {
    /// The reason why an advisor gave no valid answer. The advice is then `ask`.
    AdviceFailure {
        /// It did not answer in time.
        Timeout = "timeout",
        /// It could not be reached or started.
        Unreachable = "unreachable",
        /// It answered with an error.
        Failed = "failed",
        /// Its answer could not be read.
        Malformed = "malformed",
        /// The question or the answer was too large.
        TooLarge = "too_large",
        /// The server may not ask it: commands are not permitted, or its address is not.
        NotPermitted = "not_permitted",
        /// Too many questions waited for it.
        Overloaded = "overloaded",
        /// It has no answer to this question.
        Undefined = "undefined",
        /// Its protocol is not part of this program.
        NotBuilt = "not_built",
        /// Its settings are invalid, for example its policies.
        BadConfiguration = "bad_configuration",
        /// It is turned off.
        Off = "off",
    }
}

words! {
    /// The data behind an advisor report.
    ReportSource {
        /// Calls of the past, about which the advisor was asked later.
        Replay = "replay",
        /// Advice that was recorded when the calls were pending.
        Shadow = "shadow",
    }
}

words! {
    /// The policy part that gave a verdict.
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
    /// What ended a grant.
    GrantLimit {
        /// Its time has passed.
        Time = "time",
        /// It has answered as many calls as it may.
        Uses = "uses",
    }
}

words! {
    /// A thread rule for a tool.
    ToolPolicy {
        /// Do not ask.
        Allow = "allow",
        /// Ask.
        RequireApproval = "require-approval" | "require_approval" | "ask",
        /// Refuse.
        Deny = "deny" | "block",
        /// The policy decides, as if the thread had no setting.
        Default = "default",
    }
}

words! {
    /// How a thread answers what is asked.
    Mode {
        /// People decide.
        Interactive = "interactive" | "ask",
        /// An `ask` is allowed.
        ApproveAll = "approve_all" | "approve-all",
        /// An `ask` is denied.
        AutoDeny = "auto_deny" | "auto-deny" | "deny" | "block",
        /// Every call is blocked, also one that the policy allows.
        Stopped = "stopped" | "stop",
    }
}

words! {
    /// The decision on a request at its expiry.
    OnExpiry {
        /// It is denied.
        Deny = "deny",
        /// It is allowed, where a rule explicitly says so.
        Allow = "allow",
    }
}

#[cfg(test)]
mod tests;
