/** The parts of the API that the browser interface uses. `docs/openapi.json` describes every field. */

import type { CountersignClient } from "./countersign.js";
import type { InboxStore } from "./inbox-store.js";
import type { LogFeed } from "./log-feed.js";

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
  expiresAt?: string | null;
  solo: boolean;
}

/** What a page gets from the application around it. */
export interface AppContext {
  client: CountersignClient;
  /** The stream of the log, which all pages share. */
  feed: LogFeed;
  /** All pending calls that the caller may see. */
  inbox: InboxStore;
  /** Who is signed in; null until the server has answered. */
  caller: Caller | null;
  /** Opens a page of the application. */
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
  /** The choices of a person about the look of the pages (`appearance.js`). */
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
