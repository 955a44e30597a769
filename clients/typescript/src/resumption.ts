// Chooses the call id if the caller gives none, and finds the call of an earlier process that was killed.
//
// The id starts with a hash of place, tool and arguments: the same call by another program is another call. The first
// such call of a process looks for a call with the same prefix that is still open, and resumes it.
import { CountersignError } from "./errors.js";
import { ExactNumber, type JsonValue } from "./json_value.js";
import { writeJson } from "./json_writer.js";
import { listQuery, type ServerOperations } from "./operations.js";
import type { ProgramPlace } from "./place.js";
import type { CallState } from "./types.js";

/** How many of the thread's last calls of the tool to search for a call to resume. */
const LOOK_BACK = 100;
const OPEN_STATES: ReadonlySet<CallState> = new Set(["pending", "allowed", "running", "unknown"]);

/** A new random id. */
export function newId(prefix = "call_"): string {
  return prefix + randomHex(12);
}

export function randomHex(bytes: number): string {
  return hexText(crypto.getRandomValues(new Uint8Array(bytes)));
}

function hexText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The JSON text of a value with object members sorted by code point. */
function sortedText(value: JsonValue): string {
  if (Array.isArray(value)) {
    return `[${value.map(sortedText).join(",")}]`;
  }
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return writeJson(value);
  }
  const sorted = Object.entries(value).sort(([one], [other]) => comparePoints(one, other));
  return `{${sorted.map(([key, member]) => `${writeJson(key)}:${sortedText(member)}`).join(",")}}`;
}

function comparePoints(one: string, other: string): number {
  const [points, others] = [Array.from(one), Array.from(other)];
  for (let at = 0; at < Math.min(points.length, others.length); at += 1) {
    const difference = (points[at]?.codePointAt(0) ?? 0) - (others[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return points.length - others.length;
}

/**
 * The id prefix for calls of this tool with these arguments in this place. `undefined` in a page without a secure
 * connection, where browsers offer no hashes.
 */
export async function idPrefix(
  place: ProgramPlace, name: string, argumentsValue: JsonValue,
): Promise<string | undefined> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) {
    return undefined;
  }
  const named = Object.entries(place).filter(([, text]) => typeof text === "string") as [string, string][];
  const text = sortedText([Object.fromEntries(named), name, argumentsValue]);
  const hash = await subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `call_${hexText(new Uint8Array(hash)).slice(0, 24)}_`;
}

/** What makes two calls the same call. */
export interface CallContent {
  place: ProgramPlace;
  name: string;
  argumentsValue: JsonValue;
}

/** A chosen id. `end` notes that the call has ended for this process, or that it is open and the next may resume it. */
export interface ChosenId {
  id: string;
  end(isOpen: boolean): void;
}

/** This process's calls without an id of their own, and the calls of earlier processes that it may resume. */
export class CallRegister {
  readonly #resumable = new Map<string, string[]>();
  readonly #own = new Set<string>();

  /** Returns the id of an open call to resume, or a new id. */
  async chooseId(
    operations: ServerOperations, thread: string, content: CallContent, signal: AbortSignal | undefined,
  ): Promise<ChosenId> {
    const { place, name, argumentsValue } = content;
    const prefix = await idPrefix(place, name, argumentsValue);
    if (prefix === undefined) {
      return { id: newId(), end: () => undefined };
    }
    const key = JSON.stringify([thread, prefix]);
    if (!this.#resumable.has(key)) {
      const found = await findOpenCalls(operations, thread, name, prefix, signal);
      // A call that this process has made meanwhile is not to resume.
      const others = found.filter((id) => !this.#own.has(JSON.stringify([thread, id])));
      this.#resumable.set(key, this.#resumable.get(key) ?? others);
    }
    const id = this.#resumable.get(key)?.shift() ?? prefix + randomHex(8);
    const own = JSON.stringify([thread, id]);
    this.#own.add(own);
    return {
      id,
      end: (isOpen) => {
        this.#own.delete(own);
        if (isOpen) {
          this.#resumable.get(key)?.push(id);
        }
      },
    };
  }
}

/** The thread's open calls whose id starts with `prefix`, the oldest first. */
async function findOpenCalls(
  operations: ServerOperations, thread: string, name: string, prefix: string, signal: AbortSignal | undefined,
): Promise<string[]> {
  try {
    const page = await operations.calls(thread, listQuery({ tool: name, limit: LOOK_BACK }), signal);
    const open = page.calls.filter((call) => OPEN_STATES.has(call.state) && call.id.startsWith(prefix));
    return open.map((call) => call.id).reverse();
  } catch (error) {
    if (error instanceof CountersignError && (error.code === "unknown_thread" || error.code === "unknown_tool")) {
      return [];
    }
    throw error;
  }
}
