// Reads JSON without changing a number.
import { readDecimal, readInteger, type JsonObject, type JsonValue } from "./json_value.js";

/** The server refuses values that are nested deeper. */
export const MAX_DEPTH = 256;
// A server response surrounds a value with some levels of its own.
const MAX_TEXT_DEPTH = MAX_DEPTH + 64;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SURROGATE = /\p{Surrogate}/u;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'], ["\\", "\\"], ["/", "/"], ["b", "\b"], ["f", "\f"], ["n", "\n"], ["r", "\r"], ["t", "\t"],
]);

/**
 * Reads JSON text. Throws a `SyntaxError` if it is not JSON, repeats a key of an object, has a string that is not Unicode, or
 * is nested too deeply.
 */
export function readJson(text: string): JsonValue {
  return new JsonReader(text).readText();
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readText(): JsonValue {
    if (SURROGATE.test(this.#text)) {
      throw this.#mistake("the text is not valid Unicode: it has half of a surrogate pair");
    }
    const value = this.#readValue();
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      throw this.#mistake("the text goes on after its end");
    }
    return value;
  }

  #readValue(): JsonValue {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#readNested(() => this.#readObject());
      case "[":
        return this.#readNested(() => this.#readArray());
      case '"':
        return this.#readString();
      case "t":
        return this.#readWord("true", true);
      case "f":
        return this.#readWord("false", false);
      case "n":
        return this.#readWord("null", null);
      default:
        return this.#readNumber();
    }
  }

  #readNested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_TEXT_DEPTH) {
      throw this.#mistake("the text is nested too deeply");
    }
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #readObject(): JsonObject {
    const object: JsonObject = {};
    if (this.#takeIfNext("}")) {
      return object;
    }
    do {
      this.#skipSpace();
      const key = this.#readString();
      if (Object.hasOwn(object, key)) {
        throw this.#mistake(`an object has the key ${JSON.stringify(key)} twice`);
      }
      this.#expect(":");
      const value = this.#readValue();
      if (key === "__proto__") {
        // An assignment would set the prototype.
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      } else {
        object[key] = value;
      }
    } while (this.#takeIfNext(","));
    this.#expect("}");
    return object;
  }

  #readArray(): JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#takeIfNext("]")) {
      return items;
    }
    do {
      items.push(this.#readValue());
    } while (this.#takeIfNext(","));
    this.#expect("]");
    return items;
  }

  #readString(): string {
    this.#expect('"');
    const parts: string[] = [];
    let hasEscapes = false;
    for (;;) {
      parts.push(this.#match(PLAIN)?.[0] ?? "");
      const next = this.#text[this.#at];
      this.#at += 1;
      if (next === '"') {
        break;
      }
      if (next !== "\\") {
        throw this.#mistake("a string has no end, or a control character");
      }
      hasEscapes = true;
      parts.push(this.#readEscape());
    }
    const text = parts.join("");
    if (hasEscapes && SURROGATE.test(text)) {
      throw this.#mistake("a string is not valid Unicode: it has half of a surrogate pair");
    }
    return text;
  }

  #readEscape(): string {
    const kind = this.#text[this.#at] ?? "";
    this.#at += 1;
    const plain = ESCAPES.get(kind);
    if (plain !== undefined) {
      return plain;
    }
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (kind !== "u" || !/^[0-9a-fA-F]{4}$/.test(digits)) {
      throw this.#mistake("a string has an invalid escape");
    }
    this.#at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  #readWord<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) {
      throw this.#mistake("a value is missing or invalid");
    }
    this.#at += word.length;
    return value;
  }

  #readNumber(): JsonValue {
    const match = this.#match(NUMBER);
    if (!match || match[0] === "") {
      throw this.#mistake("a value is missing or invalid");
    }
    try {
      return match[1] === undefined && match[2] === undefined ? readInteger(match[0]) : readDecimal(match[0]);
    } catch (error) {
      throw this.#mistake(error instanceof Error ? error.message : String(error));
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) {
      this.#at = pattern.lastIndex;
    }
    return match;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #takeIfNext(character: string): boolean {
    this.#skipSpace();
    const isNext = this.#text[this.#at] === character;
    this.#at += isNext ? 1 : 0;
    return isNext;
  }

  #expect(character: string): void {
    if (!this.#takeIfNext(character)) {
      throw this.#mistake(`${JSON.stringify(character)} is missing`);
    }
  }

  #mistake(what: string): SyntaxError {
    return new SyntaxError(`${what} (at character ${this.#at + 1} of the JSON text)`);
  }
}
