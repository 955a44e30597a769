/** The API types that the browser interface uses. `docs/openapi.json` describes every field. */

import type { CountersignClient } from "./countersign.js";
import type { InboxStore } from "./inbox-store.js";
import type { LogFeed } from "./log-feed.js";
import type { DeviceNotifications } from "./shell/device.js";
import type { Notifier } from "./shell/notifier.js";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Decision = "allow_once" | "allow_session" | "deny";

export type CallState = "pending" | "allowed" | "denied" | "running" | "finished" | "cancelled" | "unknown";

export interface Vote {
  principal: string;
  at: string;
  decision: Decision;
  /** The person in whose place the approver voted. */
  onBehalfOf?: string | null;
  counts: boolean;
  comment?: string | null;
  proof?: Proof | null;
}

/** A decision proof: the kind and id of the signing key. */
export interface Proof {
  kind: string;
  key: string;
}

/** A passkey signature over a decision statement. */
export interface ProofBody extends Proof {
  signature: string;
  authenticatorData?: string;
  clientData?: string;
}

/** A part of each day, in minutes after midnight. */
export interface QuietHours {
  startMinute: number;
  endMinute: number;
  utcOffsetMinutes: number;
}

/** A device that gets notifications. */
export interface PushDevice {
  id: string;
  name: string;
  person: string;
  host: string;
  addedAt: string;
  quiet?: QuietHours | null;
  trouble?: string | null;
}

export interface ChatAccount {
  seq: number;
  chat?: string | null;
  account: string;
  name: string;
  person: string;
  linkedAt: string;
  trouble?: string | null;
}

/** One person decides in the place of another one until a moment. */
export interface Delegation {
  seq: number;
  from: string;
  to: string;
  at: string;
  until: string;
  comment?: string | null;
}

export interface ApproverKey {
  id: string;
  approver: string;
  kind: "ssh" | "passkey";
  name?: string | null;
  publicKey: string;
  credentialId?: string | null;
  addedAt: string;
}

export interface SuggestedScope {
  scope: Json;
  says: string;
}

/** A difference between two tool definitions. */
export interface DefinitionDifference {
  path: string;
  from?: Json;
  to?: Json;
}

export interface ApprovalRequest {
  seq: number;
  requestedAt: string;
  options: Decision[];
  reason: string;
  rule?: string | null;
  level?: string | null;
  availableLevels?: string[];
  defaultLevel?: string | null;
  quorum?: number;
  denials?: number;
  expiresAt?: string | null;
  onExpiry?: string | null;
  escalateAt?: string | null;
  escalateTo?: string | null;
  scopes?: SuggestedScope[];
  similarOperationsCount?: number | null;
  votes?: Vote[];
  sameCall?: SameCall | null;
  changedDefinition?: { definitionHash: string; accepted: boolean; changes?: DefinitionDifference[] } | null;
  proof?: "any" | "ssh" | "passkey" | null;
}

/** The same call, proposed earlier. */
export interface SameCall {
  id: string;
  allowedAt: string;
  startedAt?: string | null;
  state?: CallState | null;
}

/** An advisor's advice. Its reason may repeat agent text. */
export interface CallAdvice {
  seq: number;
  at: string;
  advisor: string;
  mode: "advise" | "decide";
  advice: "allow" | "deny" | "ask";
  reason?: string | null;
  confidence?: number | null;
  labels?: string[];
  failure?: string | null;
}

export interface ApprovalResponse {
  decision: Decision;
  source: string;
  principal: string;
  /** The person in whose place the principal decided. */
  onBehalfOf?: string | null;
  at: string;
  comment?: string | null;
  rule?: string | null;
  proof?: Proof | null;
  policyChange?: { seq: number; principal: string } | null;
  setBy?: { seq: number; principal: string } | null;
  grantOrigin?: { principal: string; at: string; toolCallId: string; says: string } | null;
  proposerLastSeenAt?: string | null;
  lapsesAt?: string | null;
  scope?: Json;
  note?: string | null;
  changes?: { path: string; from?: Json; to?: Json }[];
}

export interface Impact {
  message?: string;
  riskLevel?: "low" | "medium" | "high" | "critical";
  reversible?: boolean;
  affectedResources?: string[];
  estimatedImpact?: string;
}

/** Where a call runs. */
export interface Place {
  server?: string;
  address?: string;
  program?: string;
  folder?: string;
  project?: string;
  host?: string;
  linkTargets?: string[];
  branch?: string;
  defaultBranch?: string;
  agent?: string;
}

/** One question of a call. */
export interface Question {
  text: string;
  header?: string;
  hint?: string;
  options: { label: string; description?: string; preview?: string }[];
  multiple: boolean;
  freeText: boolean;
  number?: "number" | "integer";
  required: boolean;
  preset?: string[];
}

/** What a call asks people. */
export interface QuestionForm {
  kind: "questions" | "plan";
  message?: string;
  source?: string;
  questions: Question[];
  isComplete: boolean;
}

export interface Call {
  threadId: string;
  id: string;
  name: string;
  state: CallState;
  arguments: Json;
  argumentsHash: string;
  question?: QuestionForm | null;
  description?: string | null;
  place?: Place;
  impact?: Impact | null;
  proposal: { seq: number; principal: string; at: string };
  proposerGone?: boolean;
  proposerLastSeenAt?: string | null;
  lookAlikes?: { name: string; likeness: string }[];
  /** What the call does, in words. */
  effects?: string[];
  request?: ApprovalRequest | null;
  advice?: CallAdvice[];
  response?: ApprovalResponse | null;
  /** What ran instead of the approved arguments, or without an approval. */
  mismatch?: { principal: string; at: string; arguments: Json; redacted?: string[] };
  flags?: { principal: string; at: string; comment?: string | null }[];
  execution?: { executor: string; startedAt: string; leaseExpiresAt?: string | null } | null;
  result?: { status: "success" | "error" | "denied" | "expired" | "cancelled"; content: Json; at: string } | null;
  /** What became of the call, in one sentence. */
  outcome?: string | null;
  released?: { principal: string; at: string } | null;
  takenBack?: { principal: string; at: string; comment?: string | null } | null;
  redacted?: string[];
  hiddenCharacters?: string[];
  mixedScripts?: string[];
  padded?: string[];
  erased?: object | null;
  archived?: object | null;
  definition?: { description?: string | null; inputSchema?: Json } | null;
  alsoDecided?: string[];
}

export interface ThreadSummary {
  threadId: string;
  firstEventAt: string;
  lastEventAt: string;
  calls: number;
  pending: number;
  mode: string;
  closedAt?: string | null;
}

export interface Grant {
  seq: number;
  tool: string;
  principal: string;
  at: string;
  toolCallId: string;
  decision: Decision;
  says: string;
  agent?: string | null;
  until?: string | null;
  uses?: number | null;
  used?: number | null;
}

/** The limits of a remembered decision. */
export interface GrantLimits {
  expiresInSeconds?: number;
  uses?: number;
}

export interface Message {
  seq: number;
  position: number;
  type: string;
  principal: string;
  at: string;
  format: string;
  message: Json;
  text?: string;
  proposes?: string[];
  reports?: string[];
  differs?: string[];
}

export interface ThreadTool {
  tool: string;
  policy: string;
}

export interface LogEvent {
  seq: number;
  threadId: string;
  type: string;
  timestamp: string;
  principal: string;
  data: { [key: string]: Json };
}

export interface Caller {
  person?: string | null;
  agent?: string | null;
  roles: string[];
  level?: string | null;
  decidesAt?: string | null;
  groups?: string[];
  threads?: string[];
  expiresAt?: string | null;
  solo: boolean;
}

/** What a page gets from the application around it. */
export interface AppContext {
  client: CountersignClient;
  /** The log stream, which all pages share. */
  feed: LogFeed;
  /** All pending calls that the caller may see. */
  inbox: InboxStore;
  /** Who is signed in; null until the server has answered. */
  caller: Caller | null;
  notifier: Notifier;
  device: DeviceNotifications;
  /** Opens an application page. */
  navigate(path: string, options?: { replace?: boolean }): void;
}

export interface ScopePreview {
  description: string;
  earlier: { compared: number; allows: number; denies: number; masked?: number };
  waiting: { allows: string[]; denies: string[] };
}

export interface DecisionBody {
  decision: Decision;
  comment?: string;
  arguments?: Json;
  answers?: string[][];
  argumentsHash?: string;
  scope?: Json;
  agents?: "any";
  expiresInSeconds?: number;
  uses?: number;
  level?: string;
  andWaiting?: boolean;
  proof?: ProofBody;
  onBehalfOf?: string;
}

export interface Problem {
  status: number;
  code: string;
  detail: string;
  tip?: number;
  /** The text to sign, with `proof_required`. */
  statement?: string;
  response?: ApprovalResponse;
  vote?: Vote;
}

export interface CallKey {
  threadId: string;
  id: string;
}

/** JSON.parse with the source text of numbers, and JSON.rawJSON (ECMAScript 2026). */
declare global {
  /** A person's appearance settings (`appearance.js`). */
  var countersignAppearance: {
    choices: Record<string, string[]>;
    read(name: string): string;
    write(name: string, value: string): void;
  };
  interface JSON {
    parse(text: string, reviver: (key: string, value: any, context: { source?: string }) => any): any;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** An advisor in the active policy. */
export interface Advisor {
  name: string;
  protocol: string;
  target: string;
  policyMode: string;
  /** The mode in effect, and the reason for it. */
  mode: string;
  why: string;
  maxOverruled: number;
  report?: AdvisorReport | null;
  drift: AdvisorDrift;
}

/** How often people contradicted an advisor's recent answers. */
export interface AdvisorDrift {
  answered: number;
  overruled: number;
  complaints: number;
  share: number;
  exceeds: boolean;
}

/** An advisor's answers, compared with people's decisions on the same calls. */
export interface AdvisorReport {
  at: string;
  principal: string;
  counts: { source: string; cases: number; agreed: number; falseAllows: number; falseDenials: number; asked: number; failed?: number };
}

/** The number of calls with each outcome. */
export interface CallCounts {
  calls: number;
  asked: number;
  answeredByAdvisors: number;
  askedAllowed: number;
  allowed: number;
  denied: number;
  expired: number;
  cancelled: number;
  abandoned: number;
  waiting: number;
  askedDenied: number;
  notDecided: number;
  timeToDecide?: { medianMs: number; p90Ms: number; p99Ms: number; maxMs: number };
  /** How many decisions took how many milliseconds. */
  decisionTimes?: Record<string, number>;
}

export interface DayCounts extends CallCounts {
  date: string;
}

export type Verdict = "allow" | "ask" | "block";

export interface RuleHits {
  rule?: string;
  basis?: string;
  verdict: Verdict;
  calls: number;
}

export interface Statistics {
  total: CallCounts;
  tools: (CallCounts & { tool: string })[];
  rules?: RuleHits[];
  days?: DayCounts[];
  touched?: TouchedThing[];
  next: number | null;
}

export interface TouchedThing {
  kind: string;
  access?: string;
  target: string;
  calls: number;
}

export interface PolicyInForce {
  seq: number;
  at: string;
  principal: string;
  hash: string;
  source: string;
  text: string;
  layers?: { name: string; text: string }[];
}

export interface ListedRule {
  rule: string;
  file?: string;
  line: number;
  verdict: Verdict;
  reason?: string;
  shadow: boolean;
  zone: boolean;
  managed: boolean;
}

export interface PolicyRules {
  policy: string;
  default: Verdict;
  rules: ListedRule[];
  warnings: string[];
  trouble?: string;
}

export interface PolicyVerdict {
  verdict: Verdict;
  basis: string;
  rule: string | null;
  reason: string;
  terms: { level: string | null; quorum: number; approvers: string[][] };
  matched: { rule: string; verdict: Verdict; why: string; shadow: boolean }[];
  warnings?: PolicyWarning[];
}

/** Something in a valid policy that is probably a mistake. */
export interface PolicyWarning {
  file?: string;
  line: number;
  column: number;
  text: string;
  neverMatches: boolean;
}

export interface AnalysisExtent {
  complete: boolean;
  fromSeq: number;
  throughSeq: number;
  unreadable: number;
}

export interface SuggestedRule {
  name: string;
  tool: string;
  toml: string;
  prompts: number;
  saves: number;
  arguments: number;
  threads: number;
  people: string[];
  proposers: string[];
  first: string;
  last: string;
  nearMisses: number;
  suchAs: string[];
}

export interface Suggestions {
  log: AnalysisExtent;
  prompts: number;
  saved: number;
  rules: SuggestedRule[];
}

/** A call of a reviewed day, with its repetitions. */
export interface ReviewedCall {
  threadId: string;
  id: string;
  principal: string;
  arguments: Json;
  calls: number;
}

/** A rule that would have saved prompts of the day. `saves` counts those of the day alone. */
export interface DailyRule extends Omit<SuggestedRule, "proposers"> {
  calls: ReviewedCall[];
}

export interface DailyReview {
  log: AnalysisExtent;
  date: string;
  since: string;
  policy: string;
  calls: number;
  asked: number;
  askedAllowed: number;
  askedDenied: number;
  saved: number;
  refused: number;
  rules: DailyRule[];
  withheld: { name: string; wouldSave: number; refused: number; suchAs: string[] }[];
  observed: number;
  wouldAsk: { tool: string; rule: string; calls: number; example: ReviewedCall }[];
}

export interface ReplayedCall {
  seq: number;
  threadId: string;
  id: string;
  name: string;
  arguments: Json;
  principal: string;
  at: string;
  then: { by?: string; source?: string; comment?: string; changed?: boolean; denied?: boolean };
  now: { verdict: Verdict; rule?: string; reason: string; terms?: string };
}

export interface AnswerCounts {
  asked: number;
  allowed: number;
  blocked: number;
  answered: number;
}

export interface ReplayAnswer {
  log: AnalysisExtent;
  calls: number;
  masked: number;
  unsettled: number;
  then: AnswerCounts;
  now: AnswerCounts;
  unchanged: number;
  saved: { allowed: number; blocked: number };
  added: number;
  allowedThoughDenied: { count: number; calls: ReplayedCall[] };
  blockedThoughRun: { count: number; calls: ReplayedCall[] };
  askedThoughRun: { count: number; calls: ReplayedCall[] };
  askedOtherwise: { count: number; calls: ReplayedCall[] };
}
