// Writes values as JSON without changing a number.
import { ExactNumber } from "./json_value.js";
import { MAX_DEPTH } from "./json_reader.js";

const SURROGATE = /\p{Surrogate}/u;

/**
 * Writes a value as JSON without blanks. Members of objects without a value (`undefined`) are left out.
 *
 * Throws a `TypeError` that names the first part that JSON cannot hold: a number that is not finite, a string that is not
 * Unicode, a function, a class instance, or a value that contains itself.
 */
export function writeJson(value: unknown): string {
  const parts: string[] = [];
  writeValue(value, parts, "", 0);
  return parts.join("");
}

function writeValue(value: unknown, out: string[], path: string, depth: number): void {
  if (depth > MAX_DEPTH) {
    throw new TypeError(`the value is nested deeper than ${MAX_DEPTH} levels, or contains itself`);
  }
  switch (typeof value) {
    case "string":
      out.push(stringText(value, path));
      return;
    case "number":
      out.push(numberText(value, path));
      return;
    case "bigint":
    case "boolean":
      out.push(String(value));
      return;
    case "object":
      writeObject(value, out, path, depth);
      return;
    default:
      throw new TypeError(`a value of the type ${typeof value} is not JSON${place(path)}`);
  }
}

function writeObject(value: object | null, out: string[], path: string, depth: number): void {
  if (value === null) {
    out.push("null");
  } else if (value instanceof ExactNumber) {
    out.push(value.text);
  } else if (Array.isArray(value)) {
    writeArray(value, out, path, depth);
  } else if (isPlainObject(value)) {
    writeMembers(value, out, path, depth);
  } else {
    throw new TypeError(`a value of the type ${typeName(value)} is not JSON${place(path)}`);
  }
}

function writeArray(items: readonly unknown[], out: string[], path: string, depth: number): void {
  out.push("[");
  for (let index = 0; index < items.length; index += 1) {
    out.push(index > 0 ? "," : "");
    writeValue(items[index], out, `${path}/${index}`, depth + 1);
  }
  out.push("]");
}

function writeMembers(value: object, out: string[], path: string, depth: number): void {
  out.push("{");
  let isFirst = true;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) {
      continue;
    }
    out.push(isFirst ? "" : ",", stringText(key, path), ":");
    isFirst = false;
    writeValue(member, out, `${path}/${key}`, depth + 1);
  }
  out.push("}");
}

/** Returns true for objects without a class, including objects from another realm, such as a `vm` context. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** An object's class name, for messages. */
export function typeName(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  return typeof constructor === "function" && constructor.name ? constructor.name : "object";
}

function stringText(text: string, path: string): string {
  if (SURROGATE.test(text)) {
    throw new TypeError(`a text is not valid Unicode: it has half of a surrogate pair${place(path)}`);
  }
  return JSON.stringify(text);
}

function numberText(value: number, path: string): string {
  if (!Number.isFinite(value)) {
    throw new TypeError(`${value} is not a JSON number${place(path)}`);
  }
  return Object.is(value, -0) ? "-0.0" : String(value);
}

function place(path: string): string {
  return path === "" ? "" : ` (at ${path})`;
}
