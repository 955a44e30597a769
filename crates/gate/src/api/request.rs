//! The question to people, as the gate shows it: what is asked, of whom, who has spoken, and how far each answer
//! would reach.

use crate::{CallId, Json, Principal, Sha256, Timestamp};
use countersign_approvals::{
    Call, Policy,
    call::Fact,
    event::{self, Basis, Decision, OnExpiry, Shadow},
    policy::Effect,
    width::Width as Reached,
};
use serde::{Deserialize, Serialize};

/// How many calls a [`Reach`] names.
const NAMED: usize = 10;

/// The question to people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 2,
        "requestedAt": "2026-01-31T12:00:00.000Z",
        "options": ["allow_once", "allow_session", "deny"],
        "reason": "no rule matches this tool",
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Its event.
    pub seq: i64,
    /// When it was opened.
    pub requested_at: Timestamp,
    /// What may be answered.
    pub options: Vec<Decision>,
    /// Why people are asked.
    pub reason: String,
    /// The rule that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What of the policy asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What shadow rules would have said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<Shadow>,
    /// The level that an approver needs by now; anybody's, if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The levels that a decision may be made at, the lowest first; only where people look at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub available_levels: Vec<String>,
    /// The level at which it is decided if the approver names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_level: Option<String>,
    /// How many have to agree.
    pub quorum: u32,
    /// How many have to deny.
    pub denials: u32,
    /// Who may decide: an approver is in each of the lists; anybody, if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Vec<String>>,
    /// What approvers have said so far, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// When people are told once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Timestamp>,
    /// That they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminded: Option<Happened>,
    /// When it goes to a higher level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_at: Option<Timestamp>,
    /// Which level that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_to: Option<String>,
    /// That it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated: Option<Happened>,
    /// When it lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What becomes of it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// How many of the thread's last thousand calls were of the same tool; only where people look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar_operations_count: Option<usize>,
    /// How far each width would reach, the narrowest first; only where people look at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub would_also_match: Vec<Reach>,
    /// The hash of the policy that asks.
    pub policy: Sha256,
}

/// That something happened, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 5, "at": "2026-01-31T12:05:00.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct Happened {
    /// Its event.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
}

/// What one approver said, where it takes several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 3,
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "decision": "allow_once",
        "counts": true
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Vote {
    /// Its event.
    pub seq: i64,
    /// Who voted.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// What was said.
    pub decision: Decision,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// At which level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is meant.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub matches: Option<Json>,
    /// The arguments as this approver changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// Whether it counts: a change of the arguments voids what was said before it.
    pub counts: bool,
}

/// How wide a decision might be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"match": {"command": "git status *"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Width {
    /// `"exact"`, `"tool"` or a pattern.
    #[serde(rename = "match")]
    pub matches: Json,
}

/// How far a decision would reach if it were remembered that wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "match": {"command": "git status *"},
        "says": "command `git status *`",
        "allows": 3,
        "denies": 3,
        "calls": ["call_1", "call_4", "call_7"],
        "of": 12
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Reach {
    /// The width, as it is chosen.
    #[serde(rename = "match")]
    pub matches: Json,
    /// The width in words.
    pub says: String,
    /// How many earlier calls of this thread it would have allowed.
    pub allows: usize,
    /// How many it would have denied: of a command of several parts a grant needs each to match, a denial any.
    pub denies: usize,
    /// Some of those, the last first.
    pub calls: Vec<CallId>,
    /// How many calls of this thread were looked at.
    pub of: usize,
}

impl Request {
    pub(super) fn of(call: &Call) -> Option<Self> {
        let fact = call.request()?;
        let (asked, round) = (&fact.what, call.course.round());
        Some(Self {
            seq: fact.seq,
            requested_at: fact.at,
            options: asked.options.clone(),
            reason: asked.reason.clone(),
            rule: asked.rule.clone(),
            basis: asked.basis,
            shadow: asked.shadow.clone(),
            level: call.level().map(str::to_owned),
            available_levels: Vec::new(),
            default_level: asked.default_level.clone(),
            quorum: asked.quorum.unwrap_or(1),
            denials: asked.denials.unwrap_or(1),
            approvers: asked.approvers.clone(),
            votes: call.course.votes.iter().map(|vote| Vote::of(vote, round)).collect(),
            remind_at: asked.remind_at,
            reminded: call.course.reminder.as_ref().map(Happened::of),
            escalate_at: asked.escalate_at,
            escalate_to: asked.escalate_to.clone(),
            escalated: call.course.escalation.as_ref().map(Happened::of),
            expires_at: asked.expires_at,
            on_expiry: asked.on_expiry,
            similar_operations_count: None,
            would_also_match: Vec::new(),
            policy: asked.policy,
        })
    }

    /// Adds what people want to know before they choose. `history` are the calls of the thread, the last first.
    pub(crate) fn inform(&mut self, call: &Call, history: &[Call], policy: &Policy) {
        let approvers = policy.approvers();
        let least = self.level.as_deref().and_then(|level| approvers.rank(level)).unwrap_or(0);
        self.available_levels = approvers.levels().iter().skip(least).cloned().collect();
        let preset = self.default_level.take().filter(|level| self.available_levels.contains(level));
        self.default_level =
            preset.or_else(|| self.level.clone()).or_else(|| self.available_levels.first().cloned());
        let others: Vec<_> = history.iter().filter(|other| other.id() != call.id()).collect();
        let alike = others.iter().filter(|other| other.proposal.what.name == call.proposal.what.name);
        self.similar_operations_count = Some(alike.count());
        let widths = Reached::offered(policy, &call.subject());
        self.would_also_match = widths.iter().map(|width| Reach::of(width, call, &others, policy)).collect();
    }
}

impl Reach {
    /// How far that width reaches from that call over the others.
    pub(crate) fn of(width: &Reached, call: &Call, others: &[&Call], policy: &Policy) -> Self {
        let answered = |effect: Effect| {
            let answers = move |other: &&&Call| {
                width.answers(call.made(), &other.subject(), other.arguments_hash(), effect, policy)
            };
            others.iter().filter(answers).map(|other| other.id().clone()).collect::<Vec<_>>()
        };
        let (allows, mut denies) = (answered(Effect::Widen), answered(Effect::Restrict));
        let counts = (allows.len(), denies.len());
        denies.truncate(NAMED);
        Self {
            matches: width.json(),
            says: width.to_string(),
            allows: counts.0,
            denies: counts.1,
            calls: denies,
            of: others.len(),
        }
    }
}

impl Happened {
    fn of<T>(fact: &Fact<T>) -> Self {
        Self { seq: fact.seq, at: fact.at }
    }
}

impl Vote {
    pub(crate) fn of(vote: &Fact<event::Vote>, round: u32) -> Self {
        Self {
            seq: vote.seq,
            principal: vote.by.clone(),
            at: vote.at,
            decision: vote.what.decision,
            comment: vote.what.comment.clone(),
            level: vote.what.level.clone(),
            matches: vote.what.matches.clone(),
            arguments: vote.what.arguments.clone(),
            counts: vote.what.round == round,
        }
    }
}
