/** The parts of the API that the browser interface uses. `docs/openapi.json` describes every field. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Decision = "allow_once" | "allow_session" | "deny";

export type CallState = "pending" | "allowed" | "denied" | "running" | "finished" | "cancelled" | "unknown";

export interface Vote {
  principal: string;
  at: string;
  decision: Decision;
  counts: boolean;
  comment?: string | null;
}

export interface SuggestedScope {
  scope: Json;
  says: string;
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
  sameCall?: { id: string; allowedAt: string } | null;
  proof?: "any" | "ssh" | "passkey" | null;
}

export interface ApprovalResponse {
  decision: Decision;
  source: string;
  principal: string;
  at: string;
  comment?: string | null;
  rule?: string | null;
  changes?: { path: string; from?: Json; to?: Json }[];
}

export interface Impact {
  message?: string;
  riskLevel?: "low" | "medium" | "high" | "critical";
  reversible?: boolean;
  affectedResources?: string[];
  estimatedImpact?: string;
}

export interface Call {
  threadId: string;
  id: string;
  name: string;
  state: CallState;
  arguments: Json;
  argumentsHash: string;
  description?: string | null;
  impact?: Impact | null;
  proposal: { seq: number; principal: string; at: string };
  proposerGone?: boolean;
  proposerLastSeenAt?: string | null;
  request?: ApprovalRequest | null;
  response?: ApprovalResponse | null;
  execution?: { executor: string; startedAt: string; leaseExpiresAt?: string | null } | null;
  result?: { status: "success" | "error"; content: Json; at: string } | null;
  released?: { principal: string; at: string } | null;
  redacted?: string[];
  hiddenCharacters?: string[];
  mixedScripts?: string[];
  erased?: object | null;
  definition?: { description?: string | null; inputSchema?: Json } | null;
  alsoDecided?: string[];
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
  groups?: string[];
  threads?: string[];
  solo: boolean;
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
  argumentsHash?: string;
  scope?: Json;
  agents?: "any";
  level?: string;
  andWaiting?: boolean;
}

export interface Problem {
  status: number;
  code: string;
  detail: string;
  tip?: number;
  response?: ApprovalResponse;
  vote?: Vote;
}

export interface CallKey {
  threadId: string;
  id: string;
}

/** JSON.parse with the source text of numbers, and JSON.rawJSON (ECMAScript 2026). */
declare global {
  interface JSON {
    parse(text: string, reviver: (key: string, value: any, context: { source?: string }) => any): any;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}
