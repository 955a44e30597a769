"""The types of requests and responses. Generated from docs/openapi.json by scripts/generate.py: do not edit."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

__all__ = [
    "AdviceFailure",
    "AdviceVerdict",
    "AdvisorMode",
    "AnswerSetting",
    "ApprovalRequest",
    "ApprovalResponse",
    "ApprovalVote",
    "ArgumentChange",
    "Basis",
    "BulkDecisionItem",
    "BulkDecisionRequest",
    "BulkDecisionResponse",
    "BulkDecisionResult",
    "Call",
    "CallAdvice",
    "CallArchive",
    "CallErasure",
    "CallExecution",
    "CallFlag",
    "CallId",
    "CallMismatch",
    "CallPage",
    "CallProposal",
    "CallResult",
    "CallState",
    "CallerView",
    "CancelRequest",
    "ClaimRequest",
    "Decision",
    "DecisionChannel",
    "DecisionProof",
    "DecisionRequest",
    "DefinitionChange",
    "Event",
    "EventMark",
    "EventPage",
    "EventType",
    "ExecutionRelease",
    "GrantAgents",
    "GrantOrigin",
    "Json",
    "Likeness",
    "LookAlike",
    "NumberKind",
    "OnExpiry",
    "PendingPage",
    "Place",
    "PolicyChange",
    "Principal",
    "Problem",
    "ProofKind",
    "ProofRequest",
    "ProofRequirement",
    "ProposeRequest",
    "ProposedDefinition",
    "ProposedImpact",
    "ProposedPlace",
    "Question",
    "QuestionForm",
    "QuestionKind",
    "QuestionOption",
    "ReadinessReport",
    "RenewRequest",
    "ResultRequest",
    "RiskLevel",
    "Role",
    "SameCall",
    "Sha256",
    "ShadowVerdict",
    "Source",
    "Status",
    "SuggestedScope",
    "TakenBackApproval",
    "ThreadId",
    "Timestamp",
    "ToolDefinition",
    "ToolName",
    "Verdict",
]

AdviceFailure: TypeAlias = Literal["timeout", "unreachable", "failed", "malformed", "too_large", "not_permitted", "overloaded", "undefined", "not_built", "bad_configuration", "off"]
"""The reason why an advisor gave no valid answer. The advice is then `ask`."""

AdviceVerdict: TypeAlias = Literal["allow", "deny", "ask"]
"""The answer of an advisor. Only `allow` and `deny` can answer a request."""

AdvisorMode: TypeAlias = Literal["shadow", "advise", "decide"]
"""The use of an advisor's advice: `shadow` records it only, `advise` shows it to approvers, `decide` may
answer requests of rules that name the advisor.
"""


class AnswerSetting(TypedDict):
    """A setting that answered a call: its event, and the person who made it."""

    principal: Principal
    """The person who made it."""

    seq: int
    """The event's `seq`."""


class ApprovalRequest(TypedDict):
    """The approval request for a call."""

    advisor: NotRequired[str | None]
    """The advisor that may answer instead of people, if it decides."""

    approvers: NotRequired[list[list[str]]]
    """Lists of eligible approvers. An approver must be in each list; without lists, every person may decide."""

    availableLevels: NotRequired[list[str]]
    """The levels at which a decision can be made, the lowest first. Only in single calls and lists of pending
    calls.
    """

    basis: NotRequired[Basis | None]
    """The policy part that asks."""

    changedDefinition: NotRequired[DefinitionChange | None]
    """The change of the tool definition, if no person had accepted this call's definition."""

    decideIn: NotRequired[list[DecisionChannel]]
    """The surfaces on which it may be decided besides those that show the whole card."""

    defaultLevel: NotRequired[str | None]
    """The decision level if the approver does not name one."""

    denials: NotRequired[int]
    """The number of denials that deny the call."""

    escalateAt: NotRequired[Timestamp | None]
    """The time at which the request moves to a higher level."""

    escalateTo: NotRequired[str | None]
    """The level to which the request moves."""

    escalated: NotRequired[EventMark | None]
    """The escalation, once it was written."""

    expiresAt: NotRequired[Timestamp | None]
    """The time at which the request expires."""

    level: NotRequired[str | None]
    """The level that an approver needs now; absent if no level is needed."""

    onExpiry: NotRequired[OnExpiry | None]
    """The decision at expiry."""

    options: list[Decision]
    """The decisions that are offered."""

    policy: Sha256
    """The hash of the policy that asked for approval."""

    proof: NotRequired[ProofRequirement | None]
    """The proof that each approval needs; absent if none is needed."""

    quorum: NotRequired[int]
    """The number of approvals that allow the call. An older server does not send it and needs one approval."""

    reason: str
    """The reason why people are asked."""

    remindAt: NotRequired[Timestamp | None]
    """The time at which people are reminded."""

    reminded: NotRequired[EventMark | None]
    """The reminder, once it was written."""

    requestedAt: Timestamp
    """The request time."""

    rule: NotRequired[str | None]
    """The policy rule that asks."""

    sameCall: NotRequired[SameCall | None]
    """The same call, proposed earlier, if it was allowed and had no result when this one was proposed."""

    scopes: NotRequired[list[SuggestedScope]]
    """The scopes in which a decision may be remembered, the narrowest first. Only in single calls and lists
    of pending calls. `previewScope` counts the calls that a scope would have answered.
    """

    seq: int
    """The event's `seq`."""

    shadow: NotRequired[list[ShadowVerdict]]
    """The verdicts of shadow rules."""

    similarOperationsCount: NotRequired[int | None]
    """The number of calls of the same tool among the thread's recent calls. Only in single calls and lists of
    pending calls.
    """

    votes: NotRequired[list[ApprovalVote]]
    """The votes so far, the oldest first."""

    withdrawAfterSeconds: NotRequired[int | None]
    """The time in seconds after which the call is withdrawn if its proposer is absent; absent if it waits on."""


class ApprovalResponse(TypedDict):
    """The decision on a call."""

    at: Timestamp
    """The decision time."""

    basis: NotRequired[Basis | None]
    """The policy part that decided, if no person was asked."""

    changes: NotRequired[list[ArgumentChange]]
    """The changes that an approver made to the arguments."""

    channel: NotRequired[DecisionChannel | None]
    """The surface on which the person decided, if it shows only a part of the call."""

    comment: NotRequired[str | None]
    """The approver's comment."""

    decision: Decision
    """The decision."""

    expiresAt: NotRequired[Timestamp | None]
    """When a remembered decision ends, as it was decided; absent if it ends with its thread. A person may
    have prolonged it.
    """

    grant: NotRequired[int | None]
    """The `seq` of the earlier decision that answered this call."""

    grantOrigin: NotRequired[GrantOrigin | None]
    """That earlier decision: its person, time, call and scope. An error that quotes a response leaves it out."""

    lapsesAt: NotRequired[Timestamp | None]
    """The time at which the approval lapses if it is unused."""

    level: NotRequired[str | None]
    """The level at which the approver decided."""

    note: NotRequired[str | None]
    """A note for the model, to be sent with the result: a person changed the call's arguments."""

    onBehalfOf: NotRequired[Principal | None]
    """The person in whose place the principal decided, by a delegation. With several approvers, that of the
    last vote.
    """

    policy: NotRequired[Sha256 | None]
    """The hash of the active policy at the decision."""

    policyChange: NotRequired[PolicyChange | None]
    """The policy change that answered the call while it waited for people, and its author."""

    principal: Principal
    """The principal that decided."""

    proof: NotRequired[DecisionProof | None]
    """The proof that the approver made the decision. With several approvers, each vote has its own."""

    proposerLastSeenAt: NotRequired[Timestamp | None]
    """The last time at which the proposer was seen, if the call was withdrawn because it was gone."""

    rule: NotRequired[str | None]
    """The policy rule that decided, or that asked people."""

    scope: NotRequired[Json]
    """The scope in which the decision is remembered; `"once"` if an unused approval of an identical call
    moved here.
    """

    seq: int
    """The event's `seq`."""

    setBy: NotRequired[AnswerSetting | None]
    """The setting that answered without asking people, if a person made it: the thread's mode, its own policy
    for the tool, or the active policy.
    """

    shadow: NotRequired[list[ShadowVerdict]]
    """The verdicts of shadow rules, if no person was asked."""

    source: Source
    """The decision's source."""

    uses: NotRequired[int | None]
    """The number of later calls that a remembered decision answers, as it was decided; absent for any number."""


class ApprovalVote(TypedDict):
    """The vote of one approver, if a request needs several."""

    arguments: NotRequired[Json]
    """The arguments, if this approver changed them."""

    at: Timestamp
    """The vote time."""

    comment: NotRequired[str | None]
    """The approver's comment."""

    counts: bool
    """Whether the vote is valid. Changed arguments void earlier votes."""

    decision: Decision
    """The decision that the approver votes for."""

    level: NotRequired[str | None]
    """The level at which the approver voted."""

    onBehalfOf: NotRequired[Principal | None]
    """The person in whose place the approver votes, by a delegation. The vote counts as that of both people."""

    principal: Principal
    """The approver."""

    proof: NotRequired[DecisionProof | None]
    """The proof that the approver gave."""

    scope: NotRequired[Json]
    """The scope in which the approver wants to remember the decision."""

    seq: int
    """The event's `seq`."""


ArgumentChange = TypedDict(
    "ArgumentChange",
    {
        "from": "NotRequired[Json]",
        "path": "str",
        "to": "NotRequired[Json]",
    },
)
"""One value in the arguments that an approver changed."""

Basis: TypeAlias = Literal["rule", "zone", "tool", "default"]
"""The part of the policy that gave a verdict."""


class BulkDecisionItem(TypedDict):
    """A decision on one of several calls."""

    agents: NotRequired[GrantAgents | None]
    """The agents whose later calls `allow_session` answers, as in a single decision."""

    andWaiting: NotRequired[bool]
    """Whether the decision also decides the calls that wait, as in a single decision."""

    answers: NotRequired[list[list[str]] | None]
    """The answers to the questions of the call, as in a single decision."""

    arguments: NotRequired[Json]
    """The arguments that run instead of the proposed ones; only with `allow_once`."""

    argumentsHash: NotRequired[Sha256 | None]
    """The hash of the arguments that the approver saw. The decision is refused if the arguments have another
    hash.
    """

    channel: NotRequired[DecisionChannel | None]
    """The surface on which the person decides, as in a single decision."""

    comment: NotRequired[str | None]
    """The reason. The log keeps it, and the model gets a denial's reason."""

    decision: Decision
    """`allow_once`, `allow_session` or `deny`."""

    expiresInSeconds: NotRequired[int | None]
    """How long the decision is remembered, in seconds, as in a single decision."""

    id: CallId
    """The call's id."""

    level: NotRequired[str | None]
    """The level at which the approver decides, as in a single decision."""

    onBehalfOf: NotRequired[Principal | None]
    """The person in whose place the approver decides, as in a single decision."""

    proof: NotRequired[ProofRequest | None]
    """The proof that the approver made this decision, as in a single decision. Each call needs its own."""

    scope: NotRequired[Json]
    """The scope in which the decision is remembered, as in a single decision."""

    threadId: ThreadId
    """The call's thread."""

    uses: NotRequired[int | None]
    """The number of later calls that the decision answers, as in a single decision."""


class BulkDecisionRequest(TypedDict):
    """Decisions on several calls. Each decision names its call, so that only calls that the approver saw are
    decided.
    """

    decisions: list[BulkDecisionItem]
    """The decisions, 1 to 1000."""


class BulkDecisionResponse(TypedDict):
    """The outcome of each decision, in request order."""

    results: list[BulkDecisionResult]
    """One result for each decision."""


class BulkDecisionResult(TypedDict):
    """The outcome of one of several decisions: either the call or the problem."""

    call: NotRequired[Call | None]
    """The call, if the decision was accepted."""

    id: CallId
    """The call's id."""

    problem: NotRequired[Problem | None]
    """The problem, if the decision was refused."""

    threadId: ThreadId
    """The call's thread."""


class Call(TypedDict):
    """A call in its current state."""

    advice: NotRequired[list[CallAdvice]]
    """The advice of advisors that people see, the oldest first."""

    alsoDecided: NotRequired[list[CallId]]
    """The waiting calls of the thread that the decision also decided, the oldest first. Only the first answer
    to a decision has them: a repeated decision decides nothing.
    """

    annotations: NotRequired[Json]
    """Hints about the tool, as MCP defines them."""

    archived: NotRequired[CallArchive | None]
    """The archive file that has the call's content. `arguments` and the result content are then `null`, as if
    they were erased.
    """

    arguments: Json
    """The arguments that run: as proposed, or as an approver changed them."""

    argumentsHash: Sha256
    """SHA-256 of the canonical `arguments`."""

    definition: NotRequired[ToolDefinition | None]
    """The tool definition when the call was proposed."""

    definitionHash: NotRequired[Sha256 | None]
    """SHA-256 of the canonical definition and annotations."""

    description: NotRequired[str | None]
    """The call's purpose, as the agent describes it."""

    effects: NotRequired[list[str]]
    """What the call does to files, hosts, Git branches, clusters and databases, in words, as far as its
    arguments show it, 20 at most. Only while the call is pending, in single calls and lists of pending
    calls.
    """

    erased: NotRequired[CallErasure | None]
    """The erasure of the call's content. `arguments` and the result content are then `null`, and `impact`,
    `description` and comments are absent.
    """

    execution: NotRequired[CallExecution | None]
    """The claim, once an executor has claimed the call."""

    flags: NotRequired[list[CallFlag]]
    """Complaints that the call was allowed, the oldest first."""

    hiddenCharacters: NotRequired[list[str]]
    """The locations of strings with hidden characters, as JSON pointers into the call, 20 at most: control
    characters except line breaks and tabs, and characters that are invisible, change the direction of text
    or look like a space. A display must escape them.
    """

    id: CallId
    """The call's id, unique in its thread."""

    impact: NotRequired[Json]
    """The impact that the agent claims."""

    lookAlikes: NotRequired[list[LookAlike]]
    """The tools whose names people may take for this one. Only while the call is pending, in single calls and
    lists of pending calls.
    """

    lost: NotRequired[list[CallExecution]]
    """Earlier claims whose lease lapsed before another executor took over, the oldest first."""

    mismatch: NotRequired[CallMismatch | None]
    """The report that other arguments ran than were approved, or that the call ran without being allowed."""

    mixedScripts: NotRequired[list[str]]
    """The locations of strings with a word that mixes letters from several scripts, such as a Cyrillic letter
    in a Latin word, as JSON pointers into the call, 20 at most.
    """

    name: ToolName
    """The tool's name."""

    outcome: NotRequired[str | None]
    """What became of the call, in one sentence for people; absent while it is open or runs."""

    padded: NotRequired[list[str]]
    """The locations of strings in which many blanks or empty lines push a part out of sight, as JSON pointers
    into the call, 20 at most.
    """

    place: NotRequired[Place | None]
    """Where the call runs, if the proposer said so."""

    proposal: CallProposal
    """The proposer and the proposal time."""

    proposerGone: NotRequired[bool]
    """Whether the proposer was seen, but not during the last 30 seconds: it may never run the call."""

    proposerLastSeenAt: NotRequired[Timestamp | None]
    """The last time at which the proposer waited for the decision or sent a heartbeat; absent if it never
    did. On a pending call, and in the answer to a decision that allows it.
    """

    question: NotRequired[QuestionForm | None]
    """What the call asks people, if it asks something. `answers` of an approval answers it. Only while the
    call is pending.
    """

    redacted: NotRequired[list[str]]
    """JSON pointers to the masked values in `arguments`. `argumentsHash` covers the unmasked arguments."""

    released: NotRequired[ExecutionRelease | None]
    """The release by a person, which lets another executor take over."""

    replaces: NotRequired[CallId | None]
    """The earlier call that this one replaces."""

    request: NotRequired[ApprovalRequest | None]
    """The request, if people were asked."""

    response: NotRequired[ApprovalResponse | None]
    """The decision, once it is made."""

    result: NotRequired[CallResult | None]
    """The result, once the call has ended."""

    state: CallState
    """The current state."""

    takenBack: NotRequired[TakenBackApproval | None]
    """The end of the call's approval by a person. The call does not run."""

    threadId: ThreadId
    """The call's thread."""


class CallAdvice(TypedDict):
    """An advisor's advice on a call. Approvers never see advice from an advisor in the mode `shadow`: it
    would influence the decisions that it is compared with.
    """

    advice: AdviceVerdict
    """The answer."""

    advisor: str
    """The advisor's name."""

    at: Timestamp
    """The time at which it was recorded."""

    cached: NotRequired[bool]
    """Whether the answer to an earlier equal question was used."""

    confidence: NotRequired[float]
    """How sure the advisor is, from 0 to 1."""

    elapsedMillis: int
    """The time from the question to the answer."""

    failure: NotRequired[AdviceFailure | None]
    """The reason why there is no valid answer. The advice is then `ask`."""

    labels: NotRequired[list[str]]
    """The advisor's short comment on the call."""

    mode: AdvisorMode
    """The advisor mode then."""

    reason: NotRequired[str | None]
    """The reason that the advisor gives. It may repeat agent content, so a display must escape it."""

    seq: int
    """The event's `seq`."""


class CallArchive(TypedDict):
    """The move of a call's content to an archive file."""

    at: Timestamp
    """The time."""

    digest: Sha256
    """The archive digest, which `countersign verify --archive` compares."""

    file: str
    """The file's name, without its folder."""

    principal: Principal
    """The person who archived the thread."""

    seq: int
    """The event's `seq`."""


class CallErasure(TypedDict):
    """The erasure of a call's content."""

    at: Timestamp
    """The erasure time."""

    principal: Principal
    """The person who erased the content."""

    reason: str
    """The reason."""

    seq: int
    """The event's `seq`."""


class CallExecution(TypedDict):
    """An executor's claim on a call."""

    executor: str
    """The name that the executor gave itself."""

    leaseExpiresAt: NotRequired[Timestamp | None]
    """When the lease ends: from then on the outcome is unknown, unless there is a result."""

    principal: Principal
    """The principal that claimed the call."""

    renewed: NotRequired[EventMark | None]
    """The last renewal of the lease, if there was one."""

    seq: int
    """The event's `seq`."""

    startedAt: Timestamp
    """The claim time."""


class CallFlag(TypedDict):
    """A person's complaint about a call that was allowed."""

    at: Timestamp
    """The time."""

    comment: NotRequired[str | None]
    """The complaint."""

    principal: Principal
    """The person."""

    seq: int
    """The event's `seq`."""

CallId: TypeAlias = str
"""The id of a tool call, unique only within its thread: up to 512 bytes of UTF-8 in one script, without
blanks around it or invisible characters, and neither `.` nor `..`.
"""


class CallMismatch(TypedDict):
    """What ran instead of the approved arguments."""

    arguments: Json
    """The arguments that ran, with masked secrets."""

    argumentsHash: Sha256
    """SHA-256 of their canonical form."""

    at: Timestamp
    """The report time."""

    executor: NotRequired[str | None]
    """The executor that ran it, if it has a name."""

    principal: Principal
    """The principal that reported it."""

    redacted: NotRequired[list[str]]
    """Where in the arguments something was masked: JSON pointers."""

    seq: int
    """The event's `seq`."""


class CallPage(TypedDict):
    """A page of calls in any state."""

    calls: list[Call]
    """The calls, the newest proposal first."""

    next: NotRequired[int | None]
    """The next page's cursor; `null` at the end. A short page may still have a next page."""


class CallProposal(TypedDict):
    """The proposal of a call."""

    at: Timestamp
    """The proposal time."""

    principal: Principal
    """The proposer."""

    seq: int
    """The event's `seq`."""


class CallResult(TypedDict):
    """A call result."""

    at: Timestamp
    """The report time."""

    content: Json
    """The result's content, for the model."""

    principal: Principal
    """The principal that reported the result."""

    seq: int
    """The event's `seq`."""

    status: Status
    """The result kind."""

CallState: TypeAlias = Literal["pending", "allowed", "denied", "running", "finished", "unknown", "cancelled"]
"""The state of a call. `unknown`: the executor's lease lapsed without a result."""


class CallerView(TypedDict):
    """The caller of a request, as its credential describes it."""

    agent: NotRequired[Principal | None]
    """The principal as which the caller executes calls, if it may."""

    decidesAt: NotRequired[str | None]
    """The level up to which the person may decide: the policy's or the credential's, whichever is higher.
    Only in the answer of `GET /v1/me`.
    """

    expiresAt: NotRequired[Timestamp | None]
    """The time from which the credential is not accepted."""

    groups: NotRequired[list[str]]
    """The groups that the credential gives an approver."""

    level: NotRequired[str | None]
    """The level that the credential gives an approver."""

    person: NotRequired[Principal | None]
    """The principal as which the caller reads, decides and administers, if it may."""

    roles: list[Role]
    """The roles. Only a caller of a server in solo mode has several."""

    solo: bool
    """Whether the server runs in solo mode and the caller sent no credential: one caller may then both
    propose and decide.
    """

    threads: NotRequired[list[str]]
    """The globs over thread ids; empty for all threads."""

    token: NotRequired[str | None]
    """The token or session id."""


class CancelRequest(TypedDict):
    """A request to withdraw a call."""

    reason: NotRequired[str | None]
    """The reason, for the log's readers."""


class ClaimRequest(TypedDict):
    """A request to claim a call."""

    arguments: NotRequired[Json]
    """The unmasked arguments. Needed only if the log has masked some of them and a newer policy depends on
    the masked values.
    """

    argumentsHash: Sha256
    """The hash of the arguments that will run."""

    definitionHash: NotRequired[Sha256 | None]
    """The hash of the tool's current definition. The claim is refused if the approved definition had another
    hash.
    """

    executor: str
    """The executor's name. Use a new name for each attempt, so that an executor that lost the response can
    distinguish its own claim from another one.
    """

    leaseSeconds: NotRequired[int | None]
    """The lease: the number of seconds after which the outcome is unknown without a result. The default is
    900. An executor that runs longer renews its lease.
    """

Decision: TypeAlias = Literal["allow_once", "allow_session", "deny"]
"""A decision on a call. A decision that this version does not know, from a log that a newer version wrote, is
read as `other`.
"""

DecisionChannel: TypeAlias = Literal["notification", "chat"]
"""The surface on which a person decided, if it shows only a part of the call."""


class DecisionProof(TypedDict):
    """The proof that a person made a decision: a signature by a key of that person."""

    authenticatorData: NotRequired[str | None]
    """The passkey's authenticator data in base64url."""

    clientData: NotRequired[str | None]
    """The passkey's client data in base64url: the JSON that the browser signed."""

    key: str
    """The key's id."""

    kind: ProofKind
    """The key kind."""

    signature: str
    """The output of `ssh-keygen -Y sign`, or a passkey signature in base64url."""


class DecisionRequest(TypedDict):
    """A decision on a call."""

    agents: NotRequired[GrantAgents | None]
    """The agents whose later calls `allow_session` answers: `proposer`, which is the default, or `any`."""

    andWaiting: NotRequired[bool]
    """Whether the decision also decides the thread's waiting calls, as far as it would answer them if they
    were proposed now. Only for a decision with a scope. The scope preview counts these calls, and the
    answer names them in `alsoDecided`.
    """

    answers: NotRequired[list[list[str]] | None]
    """The answers to the questions of a call that asks people something, one list for each question: the
    labels of the chosen options, and free text where the question takes it. They become a part of the
    arguments; only with `allow_once`.
    """

    arguments: NotRequired[Json]
    """The arguments that run instead of the proposed ones; only with `allow_once`."""

    argumentsHash: NotRequired[Sha256 | None]
    """The hash of the arguments that the approver saw. The decision is refused if the arguments have another
    hash.
    """

    channel: NotRequired[DecisionChannel | None]
    """The surface on which the person decides, if it shows only a part of the call. In a notification,
    `allow_once` is refused unless the policy lets notifications allow the call's risk. `argumentsHash` is
    then required.
    """

    comment: NotRequired[str | None]
    """The reason. The log keeps it, and the model gets a denial's reason."""

    decision: Decision
    """`allow_once`, `allow_session` or `deny`."""

    expiresInSeconds: NotRequired[int | None]
    """How long the decision is remembered, in seconds: up to 30 days. Absent for as long as its thread is
    open. Only for a decision with a scope.
    """

    level: NotRequired[str | None]
    """The level at which the approver decides; without it, the level that the request asks for."""

    onBehalfOf: NotRequired[Principal | None]
    """The person in whose place the approver decides, such as `user:ada`. It takes an active delegation from
    that person to the caller, and what the decision takes from each of the two.
    """

    proof: NotRequired[ProofRequest | None]
    """The proof that the approver made the decision. A rule may ask for one; the error `proof_required` then
    has the statement to sign.
    """

    scope: NotRequired[Json]
    """The scope in which the decision is remembered in this thread: `"exact"`, `"tool"`, or a pattern such as
    `{"command": "git status **"}`. `allow_session` requires a scope. Without one, `deny` applies to this
    call.
    """

    uses: NotRequired[int | None]
    """The number of later calls that the decision answers: up to 1,000. Absent for any number. Only for a
    decision with a scope.
    """


class DefinitionChange(TypedDict):
    """A change of a tool definition."""

    accepted: NotRequired[bool]
    """Whether a person has accepted the definition since. Only in single calls and lists of pending calls."""

    acceptedHash: Sha256
    """The hash of the last accepted definition when the call was proposed."""

    changes: NotRequired[list[ArgumentChange]]
    """The differences in `/description`, `/inputSchema` and `/annotations`. Only in single calls and lists of
    pending calls, and only up to 16 KiB; `getTool` has all.
    """

    definitionHash: Sha256
    """The hash of the call's definition."""


class Event(TypedDict):
    """One row of the log, the same for every reader."""

    data: dict[str, Any]
    """The event body. It keeps the fields that a newer version wrote."""

    hash: NotRequired[Sha256]

    principal: Principal

    seq: int
    """Position in the log: 1, 2, 3, … without a gap, in commit order."""

    threadId: str
    """The thread of the event; empty for a `POLICY_SET`, which belongs to the log as a whole."""

    timestamp: Timestamp

    type: EventType


class EventMark(TypedDict):
    """An event's `seq` and time."""

    at: Timestamp
    """The event time."""

    seq: int
    """The event's `seq`."""


class EventPage(TypedDict):
    """A log page."""

    events: list[Event]
    """The events, in order."""

    next: NotRequired[int | None]
    """The next page's cursor; `null` at the log's current end. A short page may still have a next page,
    because one request does not search the whole log for a rare match.
    """

    tip: int
    """The last `seq` of the log, or of the thread; 0 without events."""

EventType: TypeAlias = Literal["TOOL_CALL", "TOOL_APPROVAL_REQUEST", "TOOL_APPROVAL_VOTE", "TOOL_APPROVAL_REMINDER", "TOOL_APPROVAL_ESCALATED", "TOOL_APPROVAL_ADVICE", "TOOL_APPROVAL_RESPONSE", "TOOL_APPROVAL_TAKEN_BACK", "TOOL_EXECUTION_STARTED", "TOOL_EXECUTION_RENEWED", "TOOL_EXECUTION_RELEASED", "TOOL_EXECUTION_TAKEN_OVER", "TOOL_EXECUTION_MISMATCH", "TOOL_RESULT", "CALL_FLAGGED", "CALL_ERASED", "POLICY_SET", "TOOL_POLICY_SET", "GRANT_REVOKED", "GRANT_USED", "GRANT_ENDED", "GRANT_PROLONGED", "THREAD_MODE_SET", "THREAD_CLOSED", "THREAD_ARCHIVED", "TOKEN_CREATED", "TOKEN_USED", "TOKEN_REVOKED", "APPROVER_KEY_ADDED", "APPROVER_KEY_REMOVED", "PUSH_DEVICE_SET", "PUSH_DEVICE_REMOVED", "CHAT_ACCOUNT_LINKED", "CHAT_ACCOUNT_UNLINKED", "DELEGATION_SET", "DELEGATION_ENDED", "WEBHOOK_ADDED", "WEBHOOK_REMOVED", "WEBHOOK_DELIVERED", "WEBHOOK_PARKED", "WEBHOOK_RETRIED", "WEBHOOK_SECRET_SET", "DEFINITION_SEEN", "DEFINITION_CHANGED", "DEFINITION_ACCEPTED", "ADVISOR_REPORTED", "ADVISOR_MODE_SET", "USER_MESSAGE", "AGENT_MESSAGE", "SYSTEM_PROMPT", "USER_SYSTEM_PROMPT", "LOCAL_SYSTEM_MESSAGE", "COMPACTION"]
"""The type of an event. A newer version may have written events of other types, in capitals, digits and `_`."""


class ExecutionRelease(TypedDict):
    """The release of a call whose outcome is unknown, by a person. Another executor may then take over."""

    at: Timestamp
    """The release time."""

    claim: int
    """The `seq` of the claim whose lease lapsed."""

    comment: NotRequired[str | None]
    """The reason."""

    principal: Principal
    """The person who released the call."""

    seq: int
    """The event's `seq`."""

GrantAgents: TypeAlias = Literal["proposer", "any"]
"""The agents whose later calls a grant answers."""


class GrantOrigin(TypedDict):
    """A person's earlier decision that answered a call."""

    at: Timestamp
    """The decision time."""

    decision: Decision
    """The decision."""

    principal: Principal
    """The person who decided."""

    says: str
    """The scope description."""

    scope: Json
    """Its scope: `"exact"`, `"tool"` or a pattern; `"once"` if it was for one call."""

    toolCallId: CallId
    """The call on which the person decided."""

Json: TypeAlias = Any
"""Any JSON value, stored byte for byte. Objects must not repeat a key; at most 256 levels deep and 4 MiB
long.
"""

Likeness: TypeAlias = Literal["sameLook", "oneEdit", "sameTool", "other"]
"""How two names are alike."""


class LookAlike(TypedDict):
    """A tool whose name people may take for another one."""

    likeness: Likeness
    """How the names are alike."""

    name: ToolName
    """The name."""

NumberKind: TypeAlias = Literal["number", "integer", "other"]
"""The number that an answer must be."""

OnExpiry: TypeAlias = Literal["deny", "allow"]
"""The outcome of a request that expires unanswered."""


class PendingPage(TypedDict):
    """A page of pending calls."""

    next: NotRequired[int | None]
    """The next page's cursor; `null` at the end."""

    pending: list[Call]
    """The calls, the oldest request first."""


class Place(TypedDict):
    """Where a call runs: an MCP server, a folder, a program. An approval holds only in an equal place. The
    proposer names it, like everything else about the call.
    """

    address: NotRequired[str | None]
    """The MCP server's command line, or the origin and path of its URL."""

    agent: NotRequired[str | None]
    """The agent as its own software names it: its kind, and behind a slash the sub-agent, such as `claude-
    code/explore`.
    """

    branch: NotRequired[str | None]
    """The Git branch that is checked out in the folder, if the call changes it without naming it."""

    defaultBranch: NotRequired[str | None]
    """The default branch of the Git repository, if the call may change a branch."""

    digest: NotRequired[Sha256 | None]
    """SHA-256 of the place's canonical form before a secret in it was masked. Only Countersign sets it:
    places that differ in a secret alone stay different.
    """

    folder: NotRequired[str | None]
    """The folder in which the call runs."""

    host: NotRequired[str | None]
    """The machine on which the call runs."""

    linkTargets: NotRequired[list[str]]
    """Where symbolic links on the paths that the call names lead, as far as that is outside of the project.
    `inside` looks at them.
    """

    program: NotRequired[str | None]
    """The script or package that runs the call."""

    project: NotRequired[str | None]
    """The folder of the project in which a coding agent works. Rules with `inside = "project"` are about it."""

    server: NotRequired[str | None]
    """The MCP server's name."""


class PolicyChange(TypedDict):
    """A policy change: the `POLICY_SET` event, and its author."""

    principal: Principal
    """The principal that changed the policy."""

    seq: int
    """The event's `seq`."""

Principal: TypeAlias = str
"""The actor that caused an event: `kind:name`, up to 512 bytes of UTF-8. The name of a person or an agent is
in one script, without blanks around it or invisible characters.
"""


class Problem(TypedDict):
    """An error, sent as `application/problem+json`. Programs switch on `code`; `detail` is for people."""

    check: NotRequired[str | None]
    """The failed check: `database`, `log`, `feed` or `gate`. Only with `not_ready`."""

    code: str
    """The stable code of the error."""

    column: NotRequired[int | None]
    """The column of the mistake in its line, in bytes."""

    detail: str
    """The mistake in this request, and the remedy."""

    execution: NotRequired[CallExecution | None]
    """The earlier claim that the request conflicts with."""

    line: NotRequired[int | None]
    """The line number of the mistake in the body, from 1."""

    parameter: NotRequired[str | None]
    """The invalid parameter or header."""

    reason: NotRequired[str]
    """Why the database is unavailable: `busy`, `full`, `lost` and others. Only with `database_unavailable`."""

    requestId: NotRequired[str | None]
    """The request id in the server log."""

    response: NotRequired[ApprovalResponse | None]
    """The earlier decision that the request conflicts with. If a grant made it, `grantOrigin` names the
    person who gave the grant, as in a call.
    """

    result: NotRequired[CallResult | None]
    """The earlier result that the request conflicts with."""

    statement: NotRequired[str | None]
    """The statement that the approver must sign. Only with `proof_required`."""

    status: int
    """The HTTP status."""

    tip: NotRequired[int | None]
    """The log's last `seq`. Only with `bad_cursor`."""

    title: str
    """The HTTP status name."""

    vote: NotRequired[ApprovalVote | None]
    """The earlier vote that the request conflicts with."""

ProofKind: TypeAlias = Literal["ssh", "passkey"]
"""The kind of a proof, and of the key that makes it: `ssh` for a signature of `ssh-keygen -Y sign`, `passkey`
for an assertion of WebAuthn.
"""


class ProofRequest(TypedDict):
    """The proof that a person made a decision: a signature by a key of that person over the decision's
    statement.
    """

    authenticatorData: NotRequired[str | None]
    """The authenticator data of a passkey in base64url."""

    clientData: NotRequired[str | None]
    """The client data of a passkey in base64url."""

    key: str
    """The key's id."""

    kind: ProofKind
    """The key kind."""

    signature: str
    """The output of `ssh-keygen -Y sign -n countersign`, or a passkey signature in base64url."""

ProofRequirement: TypeAlias = Literal["any", "ssh", "passkey"]
"""The proof that an approval needs: of `any` kind, or of this one."""


class ProposeRequest(TypedDict):
    """A request to propose a call."""

    annotations: NotRequired[Json]
    """Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …)."""

    arguments: Json
    """The arguments: any JSON, kept byte for byte."""

    definition: NotRequired[ProposedDefinition | None]
    """The tool's definition. The policy may use it, changed arguments must satisfy its schema, and a claim
    may require by its hash that it has not changed.
    """

    description: NotRequired[str | None]
    """The call's purpose, as the agent describes it to approvers."""

    expiresInSeconds: NotRequired[int | None]
    """The time that people have to decide, in seconds. If the policy gives less time, the shorter time
    applies.
    """

    id: CallId
    """The call's id, unique in its thread; for example the id that the model chose."""

    impact: NotRequired[ProposedImpact | None]
    """The impact that the agent claims."""

    name: ToolName
    """The tool's name."""

    place: NotRequired[ProposedPlace | None]
    """Where the call runs: MCP server, program, folder, project, machine, agent. People see it, policies
    select by it, and an approval holds only there. All strings together have at most 4,096 bytes.
    """

    replaces: NotRequired[CallId | None]
    """An earlier call of the same agent that this one replaces. If that call is allowed and has not started,
    and both are alike, its approval moves here.
    """

    withdrawWhenGone: NotRequired[bool]
    """Whether the call is withdrawn if the proposer has waited for it and is then absent for as long as the
    policy says. For an agent that does not come back later with the same id.
    """


class ProposedDefinition(TypedDict):
    """A tool definition in a proposal. Unlike the definition in an event, it rejects unknown fields."""

    description: NotRequired[str | None]
    """The tool's description."""

    inputSchema: NotRequired[Json]
    """The JSON Schema of its arguments."""

    needsApproval: NotRequired[bool | None]
    """Whether the tool itself wants people to be asked about this call."""


class ProposedImpact(TypedDict):
    """A call impact, as the agent claims it."""

    affectedResources: NotRequired[list[str]]
    """The resources that the call would affect."""

    estimatedImpact: NotRequired[str | None]
    """The estimated extent of the impact."""

    message: NotRequired[str | None]
    """The impact in one sentence."""

    reversible: NotRequired[bool | None]
    """Whether the effect can be undone."""

    riskLevel: NotRequired[RiskLevel | None]
    """The level of risk."""


class ProposedPlace(TypedDict):
    """A place in a proposal. Unlike the place in an event, it rejects unknown fields, and has no digest."""

    address: NotRequired[str | None]
    """The MCP server's command line, or the origin and path of its URL."""

    agent: NotRequired[str | None]
    """The agent as its own software names it: its kind, and behind a slash the sub-agent, such as `claude-
    code/explore`. The proposer's principal does not change.
    """

    branch: NotRequired[str | None]
    """The Git branch that is checked out in the folder, if the call changes it without naming it, such as
    `git push`.
    """

    defaultBranch: NotRequired[str | None]
    """The default branch of the Git repository, if the call may change a branch."""

    folder: NotRequired[str | None]
    """The folder in which the call runs."""

    host: NotRequired[str | None]
    """The machine on which the call runs."""

    linkTargets: NotRequired[list[str] | None]
    """Where symbolic links on the paths that the call names lead, as far as that is outside of the project."""

    program: NotRequired[str | None]
    """The script or package that runs the call."""

    project: NotRequired[str | None]
    """The folder of the project in which a coding agent works."""

    server: NotRequired[str | None]
    """The MCP server's name."""


class Question(TypedDict):
    """One question."""

    freeText: bool
    """Whether the answer may be, or contain, free text that is no option."""

    header: NotRequired[str | None]
    """Its title, in a few words."""

    hint: NotRequired[str | None]
    """What the answer should be like."""

    multiple: bool
    """Whether the answer may have several parts."""

    number: NotRequired[NumberKind | None]
    """Whether free text must be a number."""

    options: NotRequired[list[QuestionOption]]
    """The options."""

    preset: NotRequired[list[str]]
    """The answer that the program suggests."""

    required: bool
    """Whether the question needs an answer."""

    text: str
    """The question."""


class QuestionForm(TypedDict):
    """What a call asks people."""

    isComplete: bool
    """Whether the form says everything that is in the arguments. If not, a display must show the arguments,
    too.
    """

    kind: QuestionKind
    """What is asked."""

    message: NotRequired[str | None]
    """The text above the questions: the plan, or the server's message."""

    questions: NotRequired[list[Question]]
    """The questions, in their order. A plan has none."""

    source: NotRequired[str | None]
    """Where it comes from: the file of the plan, or the name of the server."""

QuestionKind: TypeAlias = Literal["questions", "plan", "other"]
"""What a form asks."""


class QuestionOption(TypedDict):
    """One option of a question."""

    description: NotRequired[str | None]
    """What it means."""

    label: str
    """Its name, which an answer repeats."""

    preview: NotRequired[str | None]
    """What choosing it would give, such as a piece of code."""


class ReadinessReport(TypedDict):
    """The report on a successful readiness check: the log accepts writes and reads, and the feed keeps up
    with it.
    """

    certificateExpiresAt: NotRequired[Timestamp | None]
    """When the server's TLS certificate expires; absent without TLS."""

    certificateTrouble: NotRequired[str | None]
    """Why the newest TLS certificate is not in use, or that it has expired; absent if all is well."""

    checkpointAt: NotRequired[Timestamp | None]
    """The time at which this server last found its newest checkpoint at the log's end, or signed one; absent
    if it signs none.
    """

    checkpointTrouble: NotRequired[str | None]
    """Why this server could not sign the last checkpoint; absent if all is well."""

    events: int
    """The number of events in the log."""

    open: int
    """The number of open requests."""

    policy: Sha256
    """The active policy's hash."""

    policyTrouble: NotRequired[str | None]
    """Why a newer policy file cannot be read and is not active; absent if the newest file is active."""

    rules: int
    """The number of rules in the policy."""

    status: str
    """Always `ready`."""

    version: str
    """The program's version."""

    webhookTrouble: NotRequired[str | None]
    """The webhooks with messages that could not be delivered; absent if there are none."""


class RenewRequest(TypedDict):
    """An executor's message that it still runs the call."""

    executor: str
    """The executor's name, as in its claim."""

    leaseSeconds: NotRequired[int | None]
    """The lease from now on, in seconds; 900 without it. 0 ends the lease at once: the executor cannot know
    how the call ended, and its outcome is unknown.
    """


class ResultRequest(TypedDict):
    """A request to report a call result."""

    content: Json
    """The result's content: any JSON, kept byte for byte."""

    executor: NotRequired[str | None]
    """The executor's name. If present, it must be the executor that claimed the call. It is required for a
    call that another executor took over.
    """

    ranArguments: NotRequired[Json]
    """The arguments that ran, if the executor knows them. If they are not the approved ones, the log records
    a mismatch. The proposer may also report a call that ran without a claim.
    """

    status: Literal["success", "error", "cancelled"]

RiskLevel: TypeAlias = Literal["low", "medium", "high", "critical"]
"""The risk of a call."""

Role: TypeAlias = Literal["agent", "approver", "auditor", "admin"]
"""What the holder of a token may do: an `agent` proposes, waits, claims, finishes and cancels; an `approver`
reads and decides; an `auditor` reads; an `admin` sets policies, modes and tokens.
"""


class SameCall(TypedDict):
    """The same call, proposed earlier."""

    allowedAt: Timestamp
    """The time of its approval."""

    id: CallId
    """Its id."""

    startedAt: NotRequired[Timestamp | None]
    """The time of its start, if it had started when this call was proposed."""

    state: NotRequired[CallState | None]
    """Its state now. Only in single calls and lists of pending calls."""

Sha256: TypeAlias = str
"""A SHA-256 in hexadecimal digits."""


class ShadowVerdict(TypedDict):
    """The verdict that a shadow rule would have given if it were active."""

    rule: str
    """The rule."""

    verdict: Verdict
    """Its verdict."""

Source: TypeAlias = Literal["approver", "policy", "grant", "mode", "expiry", "cancellation", "advisor"]
"""The source of a decision."""

Status: TypeAlias = Literal["success", "error", "denied", "expired", "cancelled"]
"""The outcome of a call."""


class SuggestedScope(TypedDict):
    """A pattern that is suggested for a remembered decision."""

    says: str
    """The scope in words."""

    scope: Json
    """The scope, as a decision names it."""


class TakenBackApproval(TypedDict):
    """A person took the call's approval back before an executor used it."""

    at: Timestamp
    """The time."""

    comment: NotRequired[str | None]
    """The reason."""

    principal: Principal
    """The person who took it back."""

    seq: int
    """The event's `seq`."""

ThreadId: TypeAlias = str
"""The id of one conversation of one agent, chosen by the program that runs the agent: up to 512 bytes of
UTF-8 in one script, without blanks around it or invisible characters, and neither `.` nor `..`.
"""

Timestamp: TypeAlias = str
"""A moment in UTC, to the millisecond (RFC 3339)."""


class ToolDefinition(TypedDict):
    """The definition that a tool gives of itself."""

    description: NotRequired[str | None]
    """The tool's description."""

    inputSchema: NotRequired[Json]
    """The JSON Schema of its arguments, which edited ones must satisfy too."""

    needsApproval: NotRequired[bool | None]
    """Whether the tool itself wants people to be asked about this call."""

ToolName: TypeAlias = str
"""The name of the tool that a call asks to run: up to 512 bytes of UTF-8 in one script, without blanks around
it or invisible characters.
"""

Verdict: TypeAlias = Literal["allow", "ask", "block"]
"""The policy's verdict on a call."""
