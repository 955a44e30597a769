//! Policy settings: everything in a policy besides its rules.

use crate::{annotation::HintTrust, approvers::ApproverDirectory, tools::OperandMapping};
use countersign_events::{RiskLevel, Verdict};
use countersign_redaction::Redactor;
use std::time::Duration;

/// How long a proposer may be absent before its call is withdrawn, unless the policy says otherwise.
const WITHDRAW_AFTER: Duration = Duration::from_mins(10);

/// The shortest such time. Presence is written every 20 seconds.
pub const SHORTEST_WITHDRAWAL: Duration = Duration::from_mins(1);

/// How long a denial or an unused approval is remembered, unless the policy says otherwise.
const REMEMBER: Duration = Duration::from_mins(5);

/// The keywords that mark a tool as dangerous, unless the policy names its own.
const DANGEROUS: [&str; 6] = ["execute", "command", "delete", "remove", "write", "shell"];

/// The maximum number of calls that may be pending at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingLimits {
    /// In one thread.
    pub per_thread: u32,
    /// Proposed by one agent, in all threads.
    pub per_agent: u32,
}

impl Default for PendingLimits {
    /// More than people can decide, and few enough that their lists stay usable.
    fn default() -> Self {
        Self { per_thread: 100, per_agent: 1_000 }
    }
}

/// The people who may register the keys of approvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRegistrars {
    /// Each approver registers its first key alone, and further ones with a proof by an earlier key.
    Approvers,
    /// An admin registers each key.
    Admins,
}

/// What happens when other arguments ran than were approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MismatchAction {
    /// The log records it, and people see it.
    Record,
    /// The thread is also stopped: each further call is blocked until a person sets another mode.
    Stop,
}

/// Everything that a policy says besides its rules.
#[derive(Debug, Clone)]
pub(crate) struct PolicySettings {
    pub(crate) default: Verdict,
    pub(crate) expires: Option<Duration>,
    pub(crate) lapses: Option<Duration>,
    pub(crate) remember: Duration,
    /// How long a proposer may be absent; `None` without a limit.
    pub(crate) withdraw_after: Option<Duration>,
    pub(crate) pending_limits: PendingLimits,
    pub(crate) approvers: ApproverDirectory,
    pub(crate) key_registrars: KeyRegistrars,
    pub(crate) tools: Vec<OperandMapping>,
    pub(crate) trust: HintTrust,
    /// Words in lower case. People are asked about a tool whose name or description contains one.
    pub(crate) dangerous: Vec<String>,
    pub(crate) redactor: Redactor,
    /// Whether people are asked about a tool whose definition has changed also where a rule allows.
    pub(crate) asks_changed_tools: bool,
    pub(crate) on_mismatch: MismatchAction,
    /// Folders that count as a part of each call's project, absolute and in normal form.
    pub(crate) project_folders: Vec<String>,
    /// Whether a call that would be asked is allowed, and the verdict only recorded.
    pub(crate) observes: bool,
    /// The claimed risks of calls that a notification may allow.
    pub(crate) notified_allow: Vec<RiskLevel>,
    /// Whether the settings were read from a log, which records neither scopes nor idempotent tools.
    pub(crate) is_recorded: bool,
}

impl Default for PolicySettings {
    fn default() -> Self {
        Self {
            default: Verdict::Ask,
            expires: None,
            lapses: None,
            remember: REMEMBER,
            withdraw_after: Some(WITHDRAW_AFTER),
            pending_limits: PendingLimits::default(),
            approvers: ApproverDirectory::default(),
            key_registrars: KeyRegistrars::Approvers,
            tools: Vec::new(),
            project_folders: Vec::new(),
            observes: false,
            trust: HintTrust::default(),
            dangerous: DANGEROUS.map(str::to_owned).to_vec(),
            redactor: Redactor::default(),
            asks_changed_tools: false,
            on_mismatch: MismatchAction::Record,
            notified_allow: Vec::new(),
            is_recorded: false,
        }
    }
}
