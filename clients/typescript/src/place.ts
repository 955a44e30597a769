// Where the calls of this program run: an approval holds only there.
import { readMachine } from "./node_platform.js";
import type { Place } from "./types.js";

/** The place fields that a program may name. */
export type ProgramPlace = Omit<Place, "digest">;

/** The longest program name, in characters. A place has 4,096 bytes in all. */
const MAX_PROGRAM = 1_000;

/** The script, the folder in which it started, and the machine; in a browser, the page. */
export function programPlace(): ProgramPlace {
  const page = (globalThis as { location?: { origin?: string; pathname?: string } }).location;
  const { script, folder, host } = readMachine();
  const program = script ?? (page?.origin === undefined ? "javascript" : `${page.origin}${page.pathname ?? ""}`);
  return { program: printable(program).slice(0, MAX_PROGRAM), ...(folder ? { folder } : {}), ...(host ? { host } : {}) };
}

/** The text without control characters, which a place must not have. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

/** The default thread of a program: one for this program in this folder on this machine. */
export function threadOf(place: ProgramPlace): string {
  const name = (place.program ?? "").split("/").pop()?.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  return `${(name || "javascript").slice(0, 40)}-${shortHash(placeText(place))}`;
}

/** The place as one text that is equal for equal places. */
function placeText(place: ProgramPlace): string {
  return JSON.stringify([place.server, place.address, place.program, place.folder, place.host].map((text) => text ?? null));
}

/** FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). It only tells names apart; WebCrypto has no synchronous hash. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0").slice(0, 12);
}
