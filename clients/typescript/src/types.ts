// The types of requests and responses. Generated from docs/openapi.json by scripts/generate.js: do not edit.
import type { JsonValue } from "./json_value.js";

/** The reason why an advisor gave no valid answer. The advice is then `ask`. */
export type AdviceFailure = "timeout" | "unreachable" | "failed" | "malformed" | "too_large" | "not_permitted" | "overloaded" | "undefined" | "not_built" | "bad_configuration" | "off";

/** The answer of an advisor. Only `allow` and `deny` can answer a request. */
export type AdviceVerdict = "allow" | "deny" | "ask";

/**
 * The use of an advisor's advice: `shadow` records it only, `advise` shows it to approvers, `decide` may answer
 * requests of rules that name the advisor.
 */
export type AdvisorMode = "shadow" | "advise" | "decide";

/** A setting that answered a call: its event, and the person who made it. */
export interface AnswerSetting {
  /** The person who made it. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/** The approval request for a call. */
export interface ApprovalRequest {
  /** The advisor that may answer instead of people, if it decides. */
  advisor?: string | null | undefined;
  /** Lists of eligible approvers. An approver must be in each list; without lists, every person may decide. */
  approvers?: string[][] | undefined;
  /**
   * The levels at which a decision can be made, the lowest first. Only in single calls and lists of pending
   * calls.
   */
  availableLevels?: string[] | undefined;
  /** The policy part that asks. */
  basis?: Basis | null | undefined;
  /** The change of the tool definition, if no person had accepted this call's definition. */
  changedDefinition?: DefinitionChange | null | undefined;
  /** The surfaces on which it may be decided besides those that show the whole card. */
  decideIn?: DecisionChannel[] | undefined;
  /** The decision level if the approver does not name one. */
  defaultLevel?: string | null | undefined;
  /** The number of denials that deny the call. */
  denials?: number | undefined;
  /** The time at which the request moves to a higher level. */
  escalateAt?: Timestamp | null | undefined;
  /** The level to which the request moves. */
  escalateTo?: string | null | undefined;
  /** The escalation, once it was written. */
  escalated?: EventMark | null | undefined;
  /** The time at which the request expires. */
  expiresAt?: Timestamp | null | undefined;
  /** The level that an approver needs now; absent if no level is needed. */
  level?: string | null | undefined;
  /** The decision at expiry. */
  onExpiry?: OnExpiry | null | undefined;
  /** The decisions that are offered. */
  options: Decision[];
  /** The hash of the policy that asked for approval. */
  policy: Sha256;
  /** The proof that each approval needs; absent if none is needed. */
  proof?: ProofRequirement | null | undefined;
  /** The number of approvals that allow the call. An older server does not send it and needs one approval. */
  quorum?: number | undefined;
  /** The reason why people are asked. */
  reason: string;
  /** The time at which people are reminded. */
  remindAt?: Timestamp | null | undefined;
  /** The reminder, once it was written. */
  reminded?: EventMark | null | undefined;
  /** The request time. */
  requestedAt: Timestamp;
  /** The policy rule that asks. */
  rule?: string | null | undefined;
  /** The same call, proposed earlier, if it was allowed and had no result when this one was proposed. */
  sameCall?: SameCall | null | undefined;
  /**
   * The scopes in which a decision may be remembered, the narrowest first. Only in single calls and lists of
   * pending calls. `previewScope` counts the calls that a scope would have answered.
   */
  scopes?: SuggestedScope[] | undefined;
  /** The event's `seq`. */
  seq: number;
  /** The verdicts of shadow rules. */
  shadow?: ShadowVerdict[] | undefined;
  /**
   * The number of calls of the same tool among the thread's recent calls. Only in single calls and lists of
   * pending calls.
   */
  similarOperationsCount?: number | null | undefined;
  /** The votes so far, the oldest first. */
  votes?: ApprovalVote[] | undefined;
  /** The time in seconds after which the call is withdrawn if its proposer is absent; absent if it waits on. */
  withdrawAfterSeconds?: number | null | undefined;
}

/** The decision on a call. */
export interface ApprovalResponse {
  /** The decision time. */
  at: Timestamp;
  /** The policy part that decided, if no person was asked. */
  basis?: Basis | null | undefined;
  /** The changes that an approver made to the arguments. */
  changes?: ArgumentChange[] | undefined;
  /** The surface on which the person decided, if it shows only a part of the call. */
  channel?: DecisionChannel | null | undefined;
  /** The approver's comment. */
  comment?: string | null | undefined;
  /** The decision. */
  decision: Decision;
  /**
   * When a remembered decision ends, as it was decided; absent if it ends with its thread. A person may have
   * prolonged it.
   */
  expiresAt?: Timestamp | null | undefined;
  /** The `seq` of the earlier decision that answered this call. */
  grant?: number | null | undefined;
  /** That earlier decision: its person, time, call and scope. An error that quotes a response leaves it out. */
  grantOrigin?: GrantOrigin | null | undefined;
  /** The time at which the approval lapses if it is unused. */
  lapsesAt?: Timestamp | null | undefined;
  /** The level at which the approver decided. */
  level?: string | null | undefined;
  /** A note for the model, to be sent with the result: a person changed the call's arguments. */
  note?: string | null | undefined;
  /**
   * The person in whose place the principal decided, by a delegation. With several approvers, that of the last
   * vote.
   */
  onBehalfOf?: Principal | null | undefined;
  /** The hash of the active policy at the decision. */
  policy?: Sha256 | null | undefined;
  /** The policy change that answered the call while it waited for people, and its author. */
  policyChange?: PolicyChange | null | undefined;
  /** The principal that decided. */
  principal: Principal;
  /** The proof that the approver made the decision. With several approvers, each vote has its own. */
  proof?: DecisionProof | null | undefined;
  /** The last time at which the proposer was seen, if the call was withdrawn because it was gone. */
  proposerLastSeenAt?: Timestamp | null | undefined;
  /** The policy rule that decided, or that asked people. */
  rule?: string | null | undefined;
  /**
   * The scope in which the decision is remembered; `"once"` if an unused approval of an identical call moved
   * here.
   */
  scope?: Json | undefined;
  /** The event's `seq`. */
  seq: number;
  /**
   * The setting that answered without asking people, if a person made it: the thread's mode, its own policy for
   * the tool, or the active policy.
   */
  setBy?: AnswerSetting | null | undefined;
  /** The verdicts of shadow rules, if no person was asked. */
  shadow?: ShadowVerdict[] | undefined;
  /** The decision's source. */
  source: Source;
  /** The number of later calls that a remembered decision answers, as it was decided; absent for any number. */
  uses?: number | null | undefined;
}

/** The vote of one approver, if a request needs several. */
export interface ApprovalVote {
  /** The arguments, if this approver changed them. */
  arguments?: Json | undefined;
  /** The vote time. */
  at: Timestamp;
  /** The approver's comment. */
  comment?: string | null | undefined;
  /** Whether the vote is valid. Changed arguments void earlier votes. */
  counts: boolean;
  /** The decision that the approver votes for. */
  decision: Decision;
  /** The level at which the approver voted. */
  level?: string | null | undefined;
  /** The person in whose place the approver votes, by a delegation. The vote counts as that of both people. */
  onBehalfOf?: Principal | null | undefined;
  /** The approver. */
  principal: Principal;
  /** The proof that the approver gave. */
  proof?: DecisionProof | null | undefined;
  /** The scope in which the approver wants to remember the decision. */
  scope?: Json | undefined;
  /** The event's `seq`. */
  seq: number;
}

/** One value in the arguments that an approver changed. */
export interface ArgumentChange {
  /** The proposed value; absent if the approver added the member. */
  from?: Json | undefined;
  /** The JSON pointer to the value (RFC 6901). */
  path: string;
  /** The new value; absent if the approver removed the member. */
  to?: Json | undefined;
}

/** The part of the policy that gave a verdict. */
export type Basis = "rule" | "zone" | "tool" | "default";

/** A decision on one of several calls. */
export interface BulkDecisionItem {
  /** The agents whose later calls `allow_session` answers, as in a single decision. */
  agents?: GrantAgents | null | undefined;
  /** Whether the decision also decides the calls that wait, as in a single decision. */
  andWaiting?: boolean | undefined;
  /** The answers to the questions of the call, as in a single decision. */
  answers?: string[][] | null | undefined;
  /** The arguments that run instead of the proposed ones; only with `allow_once`. */
  arguments?: unknown | undefined;
  /** The hash of the arguments that the approver saw. The decision is refused if the arguments have another hash. */
  argumentsHash?: Sha256 | null | undefined;
  /** The surface on which the person decides, as in a single decision. */
  channel?: DecisionChannel | null | undefined;
  /** The reason. The log keeps it, and the model gets a denial's reason. */
  comment?: string | null | undefined;
  /** `allow_once`, `allow_session` or `deny`. */
  decision: Decision;
  /** How long the decision is remembered, in seconds, as in a single decision. */
  expiresInSeconds?: number | null | undefined;
  /** The call's id. */
  id: CallId;
  /** The level at which the approver decides, as in a single decision. */
  level?: string | null | undefined;
  /** The person in whose place the approver decides, as in a single decision. */
  onBehalfOf?: Principal | null | undefined;
  /** The proof that the approver made this decision, as in a single decision. Each call needs its own. */
  proof?: ProofRequest | null | undefined;
  /** The scope in which the decision is remembered, as in a single decision. */
  scope?: unknown | undefined;
  /** The call's thread. */
  threadId: ThreadId;
  /** The number of later calls that the decision answers, as in a single decision. */
  uses?: number | null | undefined;
}

/**
 * Decisions on several calls. Each decision names its call, so that only calls that the approver saw are
 * decided.
 */
export interface BulkDecisionRequest {
  /** The decisions, 1 to 1000. */
  decisions: BulkDecisionItem[];
}

/** The outcome of each decision, in request order. */
export interface BulkDecisionResponse {
  /** One result for each decision. */
  results: BulkDecisionResult[];
}

/** The outcome of one of several decisions: either the call or the problem. */
export interface BulkDecisionResult {
  /** The call, if the decision was accepted. */
  call?: Call | null | undefined;
  /** The call's id. */
  id: CallId;
  /** The problem, if the decision was refused. */
  problem?: Problem | null | undefined;
  /** The call's thread. */
  threadId: ThreadId;
}

/** A call in its current state. */
export interface Call {
  /** The advice of advisors that people see, the oldest first. */
  advice?: CallAdvice[] | undefined;
  /**
   * The waiting calls of the thread that the decision also decided, the oldest first. Only the first answer to a
   * decision has them: a repeated decision decides nothing.
   */
  alsoDecided?: CallId[] | undefined;
  /** Hints about the tool, as MCP defines them. */
  annotations?: Json | undefined;
  /**
   * The archive file that has the call's content. `arguments` and the result content are then `null`, as if they
   * were erased.
   */
  archived?: CallArchive | null | undefined;
  /** The arguments that run: as proposed, or as an approver changed them. */
  arguments: Json;
  /** SHA-256 of the canonical `arguments`. */
  argumentsHash: Sha256;
  /** The tool definition when the call was proposed. */
  definition?: ToolDefinition | null | undefined;
  /** SHA-256 of the canonical definition and annotations. */
  definitionHash?: Sha256 | null | undefined;
  /** The call's purpose, as the agent describes it. */
  description?: string | null | undefined;
  /**
   * What the call does to files, hosts, Git branches, clusters and databases, in words, as far as its arguments
   * show it, 20 at most. Only while the call is pending, in single calls and lists of pending calls.
   */
  effects?: string[] | undefined;
  /**
   * The erasure of the call's content. `arguments` and the result content are then `null`, and `impact`,
   * `description` and comments are absent.
   */
  erased?: CallErasure | null | undefined;
  /** The claim, once an executor has claimed the call. */
  execution?: CallExecution | null | undefined;
  /** Complaints that the call was allowed, the oldest first. */
  flags?: CallFlag[] | undefined;
  /**
   * The locations of strings with hidden characters, as JSON pointers into the call, 20 at most: control
   * characters except line breaks and tabs, and characters that are invisible, change the direction of text or
   * look like a space. A display must escape them.
   */
  hiddenCharacters?: string[] | undefined;
  /** The call's id, unique in its thread. */
  id: CallId;
  /** The impact that the agent claims. */
  impact?: Json | undefined;
  /**
   * The tools whose names people may take for this one. Only while the call is pending, in single calls and
   * lists of pending calls.
   */
  lookAlikes?: LookAlike[] | undefined;
  /** Earlier claims whose lease lapsed before another executor took over, the oldest first. */
  lost?: CallExecution[] | undefined;
  /** The report that other arguments ran than were approved, or that the call ran without being allowed. */
  mismatch?: CallMismatch | null | undefined;
  /**
   * The locations of strings with a word that mixes letters from several scripts, such as a Cyrillic letter in a
   * Latin word, as JSON pointers into the call, 20 at most.
   */
  mixedScripts?: string[] | undefined;
  /** The tool's name. */
  name: ToolName;
  /** What became of the call, in one sentence for people; absent while it is open or runs. */
  outcome?: string | null | undefined;
  /**
   * The locations of strings in which many blanks or empty lines push a part out of sight, as JSON pointers into
   * the call, 20 at most.
   */
  padded?: string[] | undefined;
  /** Where the call runs, if the proposer said so. */
  place?: Place | null | undefined;
  /** The proposer and the proposal time. */
  proposal: CallProposal;
  /** Whether the proposer was seen, but not during the last 30 seconds: it may never run the call. */
  proposerGone?: boolean | undefined;
  /**
   * The last time at which the proposer waited for the decision or sent a heartbeat; absent if it never did. On
   * a pending call, and in the answer to a decision that allows it.
   */
  proposerLastSeenAt?: Timestamp | null | undefined;
  /**
   * What the call asks people, if it asks something. `answers` of an approval answers it. Only while the call is
   * pending.
   */
  question?: QuestionForm | null | undefined;
  /** JSON pointers to the masked values in `arguments`. `argumentsHash` covers the unmasked arguments. */
  redacted?: string[] | undefined;
  /** The release by a person, which lets another executor take over. */
  released?: ExecutionRelease | null | undefined;
  /** The earlier call that this one replaces. */
  replaces?: CallId | null | undefined;
  /** The request, if people were asked. */
  request?: ApprovalRequest | null | undefined;
  /** The decision, once it is made. */
  response?: ApprovalResponse | null | undefined;
  /** The result, once the call has ended. */
  result?: CallResult | null | undefined;
  /** The current state. */
  state: CallState;
  /** The end of the call's approval by a person. The call does not run. */
  takenBack?: TakenBackApproval | null | undefined;
  /** The call's thread. */
  threadId: ThreadId;
}

/**
 * An advisor's advice on a call. Approvers never see advice from an advisor in the mode `shadow`: it would
 * influence the decisions that it is compared with.
 */
export interface CallAdvice {
  /** The answer. */
  advice: AdviceVerdict;
  /** The advisor's name. */
  advisor: string;
  /** The time at which it was recorded. */
  at: Timestamp;
  /** Whether the answer to an earlier equal question was used. */
  cached?: boolean | undefined;
  /** How sure the advisor is, from 0 to 1. */
  confidence?: number | undefined;
  /** The time from the question to the answer. */
  elapsedMillis: number;
  /** The reason why there is no valid answer. The advice is then `ask`. */
  failure?: AdviceFailure | null | undefined;
  /** The advisor's short comment on the call. */
  labels?: string[] | undefined;
  /** The advisor mode then. */
  mode: AdvisorMode;
  /** The reason that the advisor gives. It may repeat agent content, so a display must escape it. */
  reason?: string | null | undefined;
  /** The event's `seq`. */
  seq: number;
}

/** The move of a call's content to an archive file. */
export interface CallArchive {
  /** The time. */
  at: Timestamp;
  /** The archive digest, which `countersign verify --archive` compares. */
  digest: Sha256;
  /** The file's name, without its folder. */
  file: string;
  /** The person who archived the thread. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/** The erasure of a call's content. */
export interface CallErasure {
  /** The erasure time. */
  at: Timestamp;
  /** The person who erased the content. */
  principal: Principal;
  /** The reason. */
  reason: string;
  /** The event's `seq`. */
  seq: number;
}

/** An executor's claim on a call. */
export interface CallExecution {
  /** The name that the executor gave itself. */
  executor: string;
  /** When the lease ends: from then on the outcome is unknown, unless there is a result. */
  leaseExpiresAt?: Timestamp | null | undefined;
  /** The principal that claimed the call. */
  principal: Principal;
  /** The last renewal of the lease, if there was one. */
  renewed?: EventMark | null | undefined;
  /** The event's `seq`. */
  seq: number;
  /** The claim time. */
  startedAt: Timestamp;
}

/** A person's complaint about a call that was allowed. */
export interface CallFlag {
  /** The time. */
  at: Timestamp;
  /** The complaint. */
  comment?: string | null | undefined;
  /** The person. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/**
 * The id of a tool call, unique only within its thread: up to 512 bytes of UTF-8 in one script, without blanks
 * around it or invisible characters, and neither `.` nor `..`.
 */
export type CallId = string;

/** What ran instead of the approved arguments. */
export interface CallMismatch {
  /** The arguments that ran, with masked secrets. */
  arguments: Json;
  /** SHA-256 of their canonical form. */
  argumentsHash: Sha256;
  /** The report time. */
  at: Timestamp;
  /** The executor that ran it, if it has a name. */
  executor?: string | null | undefined;
  /** The principal that reported it. */
  principal: Principal;
  /** Where in the arguments something was masked: JSON pointers. */
  redacted?: string[] | undefined;
  /** The event's `seq`. */
  seq: number;
}

/** A page of calls in any state. */
export interface CallPage {
  /** The calls, the newest proposal first. */
  calls: Call[];
  /** The next page's cursor; `null` at the end. A short page may still have a next page. */
  next?: number | null | undefined;
}

/** The proposal of a call. */
export interface CallProposal {
  /** The proposal time. */
  at: Timestamp;
  /** The proposer. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/** A call result. */
export interface CallResult {
  /** The report time. */
  at: Timestamp;
  /** The result's content, for the model. */
  content: Json;
  /** The principal that reported the result. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
  /** The result kind. */
  status: Status;
}

/** The state of a call. `unknown`: the executor's lease lapsed without a result. */
export type CallState = "pending" | "allowed" | "denied" | "running" | "finished" | "unknown" | "cancelled";

/** The caller of a request, as its credential describes it. */
export interface CallerView {
  /** The principal as which the caller executes calls, if it may. */
  agent?: Principal | null | undefined;
  /**
   * The level up to which the person may decide: the policy's or the credential's, whichever is higher. Only in
   * the answer of `GET /v1/me`.
   */
  decidesAt?: string | null | undefined;
  /** The time from which the credential is not accepted. */
  expiresAt?: Timestamp | null | undefined;
  /** The groups that the credential gives an approver. */
  groups?: string[] | undefined;
  /** The level that the credential gives an approver. */
  level?: string | null | undefined;
  /** The principal as which the caller reads, decides and administers, if it may. */
  person?: Principal | null | undefined;
  /** The roles. Only a caller of a server in solo mode has several. */
  roles: Role[];
  /**
   * Whether the server runs in solo mode and the caller sent no credential: one caller may then both propose and
   * decide.
   */
  solo: boolean;
  /** The globs over thread ids; empty for all threads. */
  threads?: string[] | undefined;
  /** The token or session id. */
  token?: string | null | undefined;
}

/** A request to withdraw a call. */
export interface CancelRequest {
  /** The reason, for the log's readers. */
  reason?: string | null | undefined;
}

/** A request to claim a call. */
export interface ClaimRequest {
  /**
   * The unmasked arguments. Needed only if the log has masked some of them and a newer policy depends on the
   * masked values.
   */
  arguments?: unknown | undefined;
  /** The hash of the arguments that will run. */
  argumentsHash: Sha256;
  /** The hash of the tool's current definition. The claim is refused if the approved definition had another hash. */
  definitionHash?: Sha256 | null | undefined;
  /**
   * The executor's name. Use a new name for each attempt, so that an executor that lost the response can
   * distinguish its own claim from another one.
   */
  executor: string;
  /**
   * The lease: the number of seconds after which the outcome is unknown without a result. The default is 900. An
   * executor that runs longer renews its lease.
   */
  leaseSeconds?: number | null | undefined;
}

/**
 * A decision on a call. A decision that this version does not know, from a log that a newer version wrote, is
 * read as `other`.
 */
export type Decision = "allow_once" | "allow_session" | "deny";

/** The surface on which a person decided, if it shows only a part of the call. */
export type DecisionChannel = "notification" | "chat";

/** The proof that a person made a decision: a signature by a key of that person. */
export interface DecisionProof {
  /** The passkey's authenticator data in base64url. */
  authenticatorData?: string | null | undefined;
  /** The passkey's client data in base64url: the JSON that the browser signed. */
  clientData?: string | null | undefined;
  /** The key's id. */
  key: string;
  /** The key kind. */
  kind: ProofKind;
  /** The output of `ssh-keygen -Y sign`, or a passkey signature in base64url. */
  signature: string;
}

/** A decision on a call. */
export interface DecisionRequest {
  /** The agents whose later calls `allow_session` answers: `proposer`, which is the default, or `any`. */
  agents?: GrantAgents | null | undefined;
  /**
   * Whether the decision also decides the thread's waiting calls, as far as it would answer them if they were
   * proposed now. Only for a decision with a scope. The scope preview counts these calls, and the answer names
   * them in `alsoDecided`.
   */
  andWaiting?: boolean | undefined;
  /**
   * The answers to the questions of a call that asks people something, one list for each question: the labels of
   * the chosen options, and free text where the question takes it. They become a part of the arguments; only
   * with `allow_once`.
   */
  answers?: string[][] | null | undefined;
  /** The arguments that run instead of the proposed ones; only with `allow_once`. */
  arguments?: unknown | undefined;
  /** The hash of the arguments that the approver saw. The decision is refused if the arguments have another hash. */
  argumentsHash?: Sha256 | null | undefined;
  /**
   * The surface on which the person decides, if it shows only a part of the call. In a notification,
   * `allow_once` is refused unless the policy lets notifications allow the call's risk. `argumentsHash` is then
   * required.
   */
  channel?: DecisionChannel | null | undefined;
  /** The reason. The log keeps it, and the model gets a denial's reason. */
  comment?: string | null | undefined;
  /** `allow_once`, `allow_session` or `deny`. */
  decision: Decision;
  /**
   * How long the decision is remembered, in seconds: up to 30 days. Absent for as long as its thread is open.
   * Only for a decision with a scope.
   */
  expiresInSeconds?: number | null | undefined;
  /** The level at which the approver decides; without it, the level that the request asks for. */
  level?: string | null | undefined;
  /**
   * The person in whose place the approver decides, such as `user:ada`. It takes an active delegation from that
   * person to the caller, and what the decision takes from each of the two.
   */
  onBehalfOf?: Principal | null | undefined;
  /**
   * The proof that the approver made the decision. A rule may ask for one; the error `proof_required` then has
   * the statement to sign.
   */
  proof?: ProofRequest | null | undefined;
  /**
   * The scope in which the decision is remembered in this thread: `"exact"`, `"tool"`, or a pattern such as
   * `{"command": "git status **"}`. `allow_session` requires a scope. Without one, `deny` applies to this call.
   */
  scope?: unknown | undefined;
  /**
   * The number of later calls that the decision answers: up to 1,000. Absent for any number. Only for a decision
   * with a scope.
   */
  uses?: number | null | undefined;
}

/** A change of a tool definition. */
export interface DefinitionChange {
  /** Whether a person has accepted the definition since. Only in single calls and lists of pending calls. */
  accepted?: boolean | undefined;
  /** The hash of the last accepted definition when the call was proposed. */
  acceptedHash: Sha256;
  /**
   * The differences in `/description`, `/inputSchema` and `/annotations`. Only in single calls and lists of
   * pending calls, and only up to 16 KiB; `getTool` has all.
   */
  changes?: ArgumentChange[] | undefined;
  /** The hash of the call's definition. */
  definitionHash: Sha256;
}

/** One row of the log, the same for every reader. */
export interface Event {
  /** The event body. It keeps the fields that a newer version wrote. */
  data: { [name: string]: JsonValue };
  hash?: Sha256 | undefined;
  principal: Principal;
  /** Position in the log: 1, 2, 3, … without a gap, in commit order. */
  seq: number;
  /** The thread of the event; empty for a `POLICY_SET`, which belongs to the log as a whole. */
  threadId: string;
  timestamp: Timestamp;
  type: EventType;
}

/** An event's `seq` and time. */
export interface EventMark {
  /** The event time. */
  at: Timestamp;
  /** The event's `seq`. */
  seq: number;
}

/** A log page. */
export interface EventPage {
  /** The events, in order. */
  events: Event[];
  /**
   * The next page's cursor; `null` at the log's current end. A short page may still have a next page, because
   * one request does not search the whole log for a rare match.
   */
  next?: number | null | undefined;
  /** The last `seq` of the log, or of the thread; 0 without events. */
  tip: number;
}

/** The type of an event. A newer version may have written events of other types, in capitals, digits and `_`. */
export type EventType = "TOOL_CALL" | "TOOL_APPROVAL_REQUEST" | "TOOL_APPROVAL_VOTE" | "TOOL_APPROVAL_REMINDER" | "TOOL_APPROVAL_ESCALATED" | "TOOL_APPROVAL_ADVICE" | "TOOL_APPROVAL_RESPONSE" | "TOOL_APPROVAL_TAKEN_BACK" | "TOOL_EXECUTION_STARTED" | "TOOL_EXECUTION_RENEWED" | "TOOL_EXECUTION_RELEASED" | "TOOL_EXECUTION_TAKEN_OVER" | "TOOL_EXECUTION_MISMATCH" | "TOOL_RESULT" | "CALL_FLAGGED" | "CALL_ERASED" | "POLICY_SET" | "TOOL_POLICY_SET" | "GRANT_REVOKED" | "GRANT_USED" | "GRANT_ENDED" | "GRANT_PROLONGED" | "THREAD_MODE_SET" | "THREAD_CLOSED" | "THREAD_ARCHIVED" | "TOKEN_CREATED" | "TOKEN_USED" | "TOKEN_REVOKED" | "APPROVER_KEY_ADDED" | "APPROVER_KEY_REMOVED" | "PUSH_DEVICE_SET" | "PUSH_DEVICE_REMOVED" | "CHAT_ACCOUNT_LINKED" | "CHAT_ACCOUNT_UNLINKED" | "DELEGATION_SET" | "DELEGATION_ENDED" | "WEBHOOK_ADDED" | "WEBHOOK_REMOVED" | "WEBHOOK_DELIVERED" | "WEBHOOK_PARKED" | "WEBHOOK_RETRIED" | "WEBHOOK_SECRET_SET" | "DEFINITION_SEEN" | "DEFINITION_CHANGED" | "DEFINITION_ACCEPTED" | "ADVISOR_REPORTED" | "ADVISOR_MODE_SET" | "USER_MESSAGE" | "AGENT_MESSAGE" | "SYSTEM_PROMPT" | "USER_SYSTEM_PROMPT" | "LOCAL_SYSTEM_MESSAGE" | "COMPACTION";

/** The release of a call whose outcome is unknown, by a person. Another executor may then take over. */
export interface ExecutionRelease {
  /** The release time. */
  at: Timestamp;
  /** The `seq` of the claim whose lease lapsed. */
  claim: number;
  /** The reason. */
  comment?: string | null | undefined;
  /** The person who released the call. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/** The agents whose later calls a grant answers. */
export type GrantAgents = "proposer" | "any";

/** A person's earlier decision that answered a call. */
export interface GrantOrigin {
  /** The decision time. */
  at: Timestamp;
  /** The decision. */
  decision: Decision;
  /** The person who decided. */
  principal: Principal;
  /** The scope description. */
  says: string;
  /** Its scope: `"exact"`, `"tool"` or a pattern; `"once"` if it was for one call. */
  scope: Json;
  /** The call on which the person decided. */
  toolCallId: CallId;
}

/** Any JSON value, stored byte for byte. Objects must not repeat a key; at most 256 levels deep and 4 MiB long. */
export type Json = JsonValue;

/** How two names are alike. */
export type Likeness = "sameLook" | "oneEdit" | "sameTool" | "other";

/** A tool whose name people may take for another one. */
export interface LookAlike {
  /** How the names are alike. */
  likeness: Likeness;
  /** The name. */
  name: ToolName;
}

/** The number that an answer must be. */
export type NumberKind = "number" | "integer" | "other";

/** The outcome of a request that expires unanswered. */
export type OnExpiry = "deny" | "allow";

/** A page of pending calls. */
export interface PendingPage {
  /** The next page's cursor; `null` at the end. */
  next?: number | null | undefined;
  /** The calls, the oldest request first. */
  pending: Call[];
}

/**
 * Where a call runs: an MCP server, a folder, a program. An approval holds only in an equal place. The proposer
 * names it, like everything else about the call.
 */
export interface Place {
  /** The MCP server's command line, or the origin and path of its URL. */
  address?: string | null | undefined;
  /**
   * The agent as its own software names it: its kind, and behind a slash the sub-agent, such as
   * `claude-code/explore`.
   */
  agent?: string | null | undefined;
  /** The Git branch that is checked out in the folder, if the call changes it without naming it. */
  branch?: string | null | undefined;
  /** The default branch of the Git repository, if the call may change a branch. */
  defaultBranch?: string | null | undefined;
  /**
   * SHA-256 of the place's canonical form before a secret in it was masked. Only Countersign sets it: places
   * that differ in a secret alone stay different.
   */
  digest?: Sha256 | null | undefined;
  /** The folder in which the call runs. */
  folder?: string | null | undefined;
  /** The machine on which the call runs. */
  host?: string | null | undefined;
  /**
   * Where symbolic links on the paths that the call names lead, as far as that is outside of the project.
   * `inside` looks at them.
   */
  linkTargets?: string[] | undefined;
  /** The script or package that runs the call. */
  program?: string | null | undefined;
  /** The folder of the project in which a coding agent works. Rules with `inside = "project"` are about it. */
  project?: string | null | undefined;
  /** The MCP server's name. */
  server?: string | null | undefined;
}

/** A policy change: the `POLICY_SET` event, and its author. */
export interface PolicyChange {
  /** The principal that changed the policy. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/**
 * The actor that caused an event: `kind:name`, up to 512 bytes of UTF-8. The name of a person or an agent is in
 * one script, without blanks around it or invisible characters.
 */
export type Principal = string;

/** An error, sent as `application/problem+json`. Programs switch on `code`; `detail` is for people. */
export interface Problem {
  /** The failed check: `database`, `log`, `feed` or `gate`. Only with `not_ready`. */
  check?: string | null | undefined;
  /** The stable code of the error. */
  code: string;
  /** The column of the mistake in its line, in bytes. */
  column?: number | null | undefined;
  /** The mistake in this request, and the remedy. */
  detail: string;
  /** The earlier claim that the request conflicts with. */
  execution?: CallExecution | null | undefined;
  /** The line number of the mistake in the body, from 1. */
  line?: number | null | undefined;
  /** The invalid parameter or header. */
  parameter?: string | null | undefined;
  /** Why the database is unavailable: `busy`, `full`, `lost` and others. Only with `database_unavailable`. */
  reason?: string | undefined;
  /** The request id in the server log. */
  requestId?: string | null | undefined;
  /**
   * The earlier decision that the request conflicts with. If a grant made it, `grantOrigin` names the person who
   * gave the grant, as in a call.
   */
  response?: ApprovalResponse | null | undefined;
  /** The earlier result that the request conflicts with. */
  result?: CallResult | null | undefined;
  /** The statement that the approver must sign. Only with `proof_required`. */
  statement?: string | null | undefined;
  /** The HTTP status. */
  status: number;
  /** The log's last `seq`. Only with `bad_cursor`. */
  tip?: number | null | undefined;
  /** The HTTP status name. */
  title: string;
  /** The earlier vote that the request conflicts with. */
  vote?: ApprovalVote | null | undefined;
}

/**
 * The kind of a proof, and of the key that makes it: `ssh` for a signature of `ssh-keygen -Y sign`, `passkey`
 * for an assertion of WebAuthn.
 */
export type ProofKind = "ssh" | "passkey";

/** The proof that a person made a decision: a signature by a key of that person over the decision's statement. */
export interface ProofRequest {
  /** The authenticator data of a passkey in base64url. */
  authenticatorData?: string | null | undefined;
  /** The client data of a passkey in base64url. */
  clientData?: string | null | undefined;
  /** The key's id. */
  key: string;
  /** The key kind. */
  kind: ProofKind;
  /** The output of `ssh-keygen -Y sign -n countersign`, or a passkey signature in base64url. */
  signature: string;
}

/** The proof that an approval needs: of `any` kind, or of this one. */
export type ProofRequirement = "any" | "ssh" | "passkey";

/** A request to propose a call. */
export interface ProposeRequest {
  /** Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …). */
  annotations?: unknown | undefined;
  /** The arguments: any JSON, kept byte for byte. */
  arguments: unknown;
  /**
   * The tool's definition. The policy may use it, changed arguments must satisfy its schema, and a claim may
   * require by its hash that it has not changed.
   */
  definition?: ProposedDefinition | null | undefined;
  /** The call's purpose, as the agent describes it to approvers. */
  description?: string | null | undefined;
  /** The time that people have to decide, in seconds. If the policy gives less time, the shorter time applies. */
  expiresInSeconds?: number | null | undefined;
  /** The call's id, unique in its thread; for example the id that the model chose. */
  id: CallId;
  /** The impact that the agent claims. */
  impact?: ProposedImpact | null | undefined;
  /** The tool's name. */
  name: ToolName;
  /**
   * Where the call runs: MCP server, program, folder, project, machine, agent. People see it, policies select by
   * it, and an approval holds only there. All strings together have at most 4,096 bytes.
   */
  place?: ProposedPlace | null | undefined;
  /**
   * An earlier call of the same agent that this one replaces. If that call is allowed and has not started, and
   * both are alike, its approval moves here.
   */
  replaces?: CallId | null | undefined;
  /**
   * Whether the call is withdrawn if the proposer has waited for it and is then absent for as long as the policy
   * says. For an agent that does not come back later with the same id.
   */
  withdrawWhenGone?: boolean | undefined;
}

/** A tool definition in a proposal. Unlike the definition in an event, it rejects unknown fields. */
export interface ProposedDefinition {
  /** The tool's description. */
  description?: string | null | undefined;
  /** The JSON Schema of its arguments. */
  inputSchema?: unknown | undefined;
  /** Whether the tool itself wants people to be asked about this call. */
  needsApproval?: boolean | null | undefined;
}

/** A call impact, as the agent claims it. */
export interface ProposedImpact {
  /** The resources that the call would affect. */
  affectedResources?: string[] | undefined;
  /** The estimated extent of the impact. */
  estimatedImpact?: string | null | undefined;
  /** The impact in one sentence. */
  message?: string | null | undefined;
  /** Whether the effect can be undone. */
  reversible?: boolean | null | undefined;
  /** The level of risk. */
  riskLevel?: RiskLevel | null | undefined;
}

/** A place in a proposal. Unlike the place in an event, it rejects unknown fields, and has no digest. */
export interface ProposedPlace {
  /** The MCP server's command line, or the origin and path of its URL. */
  address?: string | null | undefined;
  /**
   * The agent as its own software names it: its kind, and behind a slash the sub-agent, such as
   * `claude-code/explore`. The proposer's principal does not change.
   */
  agent?: string | null | undefined;
  /**
   * The Git branch that is checked out in the folder, if the call changes it without naming it, such as `git
   * push`.
   */
  branch?: string | null | undefined;
  /** The default branch of the Git repository, if the call may change a branch. */
  defaultBranch?: string | null | undefined;
  /** The folder in which the call runs. */
  folder?: string | null | undefined;
  /** The machine on which the call runs. */
  host?: string | null | undefined;
  /** Where symbolic links on the paths that the call names lead, as far as that is outside of the project. */
  linkTargets?: string[] | null | undefined;
  /** The script or package that runs the call. */
  program?: string | null | undefined;
  /** The folder of the project in which a coding agent works. */
  project?: string | null | undefined;
  /** The MCP server's name. */
  server?: string | null | undefined;
}

/** One question. */
export interface Question {
  /** Whether the answer may be, or contain, free text that is no option. */
  freeText: boolean;
  /** Its title, in a few words. */
  header?: string | null | undefined;
  /** What the answer should be like. */
  hint?: string | null | undefined;
  /** Whether the answer may have several parts. */
  multiple: boolean;
  /** Whether free text must be a number. */
  number?: NumberKind | null | undefined;
  /** The options. */
  options?: QuestionOption[] | undefined;
  /** The answer that the program suggests. */
  preset?: string[] | undefined;
  /** Whether the question needs an answer. */
  required: boolean;
  /** The question. */
  text: string;
}

/** What a call asks people. */
export interface QuestionForm {
  /** Whether the form says everything that is in the arguments. If not, a display must show the arguments, too. */
  isComplete: boolean;
  /** What is asked. */
  kind: QuestionKind;
  /** The text above the questions: the plan, or the server's message. */
  message?: string | null | undefined;
  /** The questions, in their order. A plan has none. */
  questions?: Question[] | undefined;
  /** Where it comes from: the file of the plan, or the name of the server. */
  source?: string | null | undefined;
}

/** What a form asks. */
export type QuestionKind = "questions" | "plan" | "other";

/** One option of a question. */
export interface QuestionOption {
  /** What it means. */
  description?: string | null | undefined;
  /** Its name, which an answer repeats. */
  label: string;
  /** What choosing it would give, such as a piece of code. */
  preview?: string | null | undefined;
}

/** The report on a successful readiness check: the log accepts writes and reads, and the feed keeps up with it. */
export interface ReadinessReport {
  /** When the server's TLS certificate expires; absent without TLS. */
  certificateExpiresAt?: Timestamp | null | undefined;
  /** Why the newest TLS certificate is not in use, or that it has expired; absent if all is well. */
  certificateTrouble?: string | null | undefined;
  /**
   * The time at which this server last found its newest checkpoint at the log's end, or signed one; absent if it
   * signs none.
   */
  checkpointAt?: Timestamp | null | undefined;
  /** Why this server could not sign the last checkpoint; absent if all is well. */
  checkpointTrouble?: string | null | undefined;
  /** The number of events in the log. */
  events: number;
  /** The number of open requests. */
  open: number;
  /** The active policy's hash. */
  policy: Sha256;
  /** Why a newer policy file cannot be read and is not active; absent if the newest file is active. */
  policyTrouble?: string | null | undefined;
  /** The number of rules in the policy. */
  rules: number;
  /** Always `ready`. */
  status: string;
  /** The program's version. */
  version: string;
  /** The webhooks with messages that could not be delivered; absent if there are none. */
  webhookTrouble?: string | null | undefined;
}

/** An executor's message that it still runs the call. */
export interface RenewRequest {
  /** The executor's name, as in its claim. */
  executor: string;
  /**
   * The lease from now on, in seconds; 900 without it. 0 ends the lease at once: the executor cannot know how
   * the call ended, and its outcome is unknown.
   */
  leaseSeconds?: number | null | undefined;
}

/** A request to report a call result. */
export interface ResultRequest {
  /** The result's content: any JSON, kept byte for byte. */
  content: unknown;
  /**
   * The executor's name. If present, it must be the executor that claimed the call. It is required for a call
   * that another executor took over.
   */
  executor?: string | null | undefined;
  /**
   * The arguments that ran, if the executor knows them. If they are not the approved ones, the log records a
   * mismatch. The proposer may also report a call that ran without a claim.
   */
  ranArguments?: unknown | undefined;
  status: "success" | "error" | "cancelled";
}

/** The risk of a call. */
export type RiskLevel = "low" | "medium" | "high" | "critical";

/**
 * What the holder of a token may do: an `agent` proposes, waits, claims, finishes and cancels; an `approver`
 * reads and decides; an `auditor` reads; an `admin` sets policies, modes and tokens.
 */
export type Role = "agent" | "approver" | "auditor" | "admin";

/** The same call, proposed earlier. */
export interface SameCall {
  /** The time of its approval. */
  allowedAt: Timestamp;
  /** Its id. */
  id: CallId;
  /** The time of its start, if it had started when this call was proposed. */
  startedAt?: Timestamp | null | undefined;
  /** Its state now. Only in single calls and lists of pending calls. */
  state?: CallState | null | undefined;
}

/** A SHA-256 in hexadecimal digits. */
export type Sha256 = string;

/** The verdict that a shadow rule would have given if it were active. */
export interface ShadowVerdict {
  /** The rule. */
  rule: string;
  /** Its verdict. */
  verdict: Verdict;
}

/** The source of a decision. */
export type Source = "approver" | "policy" | "grant" | "mode" | "expiry" | "cancellation" | "advisor";

/** The outcome of a call. */
export type Status = "success" | "error" | "denied" | "expired" | "cancelled";

/** A pattern that is suggested for a remembered decision. */
export interface SuggestedScope {
  /** The scope in words. */
  says: string;
  /** The scope, as a decision names it. */
  scope: Json;
}

/** A person took the call's approval back before an executor used it. */
export interface TakenBackApproval {
  /** The time. */
  at: Timestamp;
  /** The reason. */
  comment?: string | null | undefined;
  /** The person who took it back. */
  principal: Principal;
  /** The event's `seq`. */
  seq: number;
}

/**
 * The id of one conversation of one agent, chosen by the program that runs the agent: up to 512 bytes of UTF-8
 * in one script, without blanks around it or invisible characters, and neither `.` nor `..`.
 */
export type ThreadId = string;

/** A moment in UTC, to the millisecond (RFC 3339). */
export type Timestamp = string;

/** The definition that a tool gives of itself. */
export interface ToolDefinition {
  /** The tool's description. */
  description?: string | null | undefined;
  /** The JSON Schema of its arguments, which edited ones must satisfy too. */
  inputSchema?: Json | undefined;
  /** Whether the tool itself wants people to be asked about this call. */
  needsApproval?: boolean | null | undefined;
}

/**
 * The name of the tool that a call asks to run: up to 512 bytes of UTF-8 in one script, without blanks around it
 * or invisible characters.
 */
export type ToolName = string;

/** The policy's verdict on a call. */
export type Verdict = "allow" | "ask" | "block";
