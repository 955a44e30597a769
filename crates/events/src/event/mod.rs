//! The log rows, and what each event type says. Each group of types has one file, which describes them once: their
//! names, bodies, uniqueness and erasable content. [`EventType`] and [`Body`] are derived from these files.

mod access;
mod advisor;
mod body;
mod call;
mod conversation;
mod definition;
mod grant_limits;
mod kind;
mod newer;
mod place;
mod policy;
mod quiet_hours;
#[cfg(test)]
mod reference;
mod state;
mod thread;
mod verdict;
mod webhook;
mod words;

pub use access::*;
pub use advisor::*;
pub use body::Body;
pub use call::*;
pub use conversation::ConversationMessage;
pub use definition::*;
pub use grant_limits::GrantLimits;
pub use kind::{EventGroup, EventType, NewerType, UnknownType};
pub use newer::NewerEvent;
pub use place::Place;
pub use policy::*;
pub use quiet_hours::QuietHours;
pub use state::{CallState, CallStateFilter};
pub use thread::*;
pub use verdict::Verdict;
pub use webhook::*;
pub use words::{
    AdviceFailure, AdviceVerdict, AdvisorMode, AdvisorProtocol, Basis, Decision, DecisionChannel,
    GrantAgents, GrantLimit, MessageFormat, Mode, OnExpiry, ProofKind, ProofRequirement, ReportSource,
    RiskLevel, Role, Source, Status, TokenKind, ToolPolicy, UnknownWord, WebhookFormat, WebhookTopic,
};

use crate::{Json, Principal, Sha256, ThreadId, Timestamp};
use serde::{Deserialize, Serialize};

/// One row of `events`, as every reader gets it. `data` is the column's own text: fields that a newer
/// version wrote are still in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Position in the log: 1, 2, 3, … without a gap, in commit order.
    pub seq: i64,
    /// The thread to which the event belongs; [`ThreadId::whole_log`] for a log-wide event.
    #[serde(deserialize_with = "ThreadId::deserialize_of_event")]
    pub thread_id: ThreadId,
    /// The event's type.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The time, by the clock of the process that wrote the row.
    pub timestamp: Timestamp,
    /// Who caused it.
    pub principal: Principal,
    /// The facts, an object in camelCase; [`Body::read`] gives them types.
    pub data: Json,
    /// The [chain](crate::chain) link; absent on a row inserted by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Sha256>,
}
