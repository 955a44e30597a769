// Writes a tool's value or error as result content. It never fails: the tool has run.
import { ExactNumber } from "./json_value.js";
import { MAX_DEPTH } from "./json_reader.js";
import { isPlainObject, typeName, writeJson } from "./json_writer.js";

const MAX_ERROR_CHARACTERS = 16 * 1024;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The tool's return value as JSON text. A part that JSON cannot hold is converted to a string. */
export function resultContent(value: unknown): string {
  try {
    return writeJson(plainValue(value, []));
  } catch {
    return writeJson(textOf(value));
  }
}

/** The tool's error as JSON text, for the model and for people who read the log. */
export function errorContent(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : textOf(error);
  return writeJson(replaceSurrogates(text.slice(0, MAX_ERROR_CHARACTERS)));
}

function plainValue(value: unknown, outer: readonly object[]): unknown {
  if (value === undefined) {
    return null;
  }
  if (typeof value === "string") {
    return replaceSurrogates(value);
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : String(value);
  }
  if (value === null || typeof value === "boolean" || typeof value === "bigint" || value instanceof ExactNumber) {
    return value;
  }
  if (typeof value !== "object") {
    return textOf(value);
  }
  if (outer.includes(value)) {
    return "[contains itself]";
  }
  return outer.length >= MAX_DEPTH ? textOf(value) : plainObject(value, [...outer, value]);
}

function plainObject(value: object, outer: readonly object[]): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function" && !(value instanceof Uint8Array)) {
    return plainValue(toJSON.call(value, ""), outer);
  }
  if (Array.isArray(value)) {
    return value.map((item) => plainValue(item, outer));
  }
  if (value instanceof Set) {
    return [...value].map((item) => plainValue(item, outer));
  }
  if (value instanceof Map) {
    return plainMembers([...value].map(([key, member]) => [textOf(key), member]), outer);
  }
  if (value instanceof Error) {
    return textOf(value);
  }
  if (value instanceof Uint8Array) {
    return new TextDecoder().decode(value);
  }
  const members = Object.entries(value);
  return isPlainObject(value) || members.length > 0 ? plainMembers(members, outer) : textOf(value);
}

function plainMembers(members: readonly (readonly [string, unknown])[], outer: readonly object[]): object {
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of members) {
    if (member !== undefined && typeof member !== "function") {
      plain[replaceSurrogates(key)] = plainValue(member, outer);
    }
  }
  return plain;
}

function textOf(value: unknown): string {
  try {
    return replaceSurrogates(String(value));
  } catch {
    return typeof value === "object" && value !== null ? `[${typeName(value)}]` : "[value]";
  }
}

function replaceSurrogates(text: string): string {
  return text.replace(LONE_SURROGATES, "\ufffd");
}
