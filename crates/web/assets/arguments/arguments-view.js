// A call's complete arguments, each rendered by its kind: a command, a file change, an address, JSON, or text.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { renderText } from "../hidden-text.js";
import { MOST, divideCommandLine } from "./command-line.js";
import { compareLines } from "./line-diff.js";
import { findTelling } from "./telling.js";

/** @import { Json } from "../types.d.ts" */

/** The names of arguments that hold a command line, as the policy has them. */
const COMMANDS = new Set(["command", "cmd", "script"]);
/** Pairs of arguments that hold a value before and after a change. */
const CHANGES = [
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["oldText", "newText"],
  ["old_content", "new_content"],
  ["before", "after"],
];
/** Argument names that hold a file's new content. */
const CONTENTS = new Set(["content", "file_text", "contents"]);

/** From this number of characters on, the arguments are folded. */
export const LONG = 2_400;
/** From this number of lines on, the arguments are folded. */
export const MANY_LINES = 30;

/** Returns true if the arguments stay folded until a person unfolds them. @param {Json} value */
export function isLong(value) {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONG || text.split("\\n").length > MANY_LINES;
}

/** @param {Json} value @returns {value is { [key: string]: Json }} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** From this number of characters on, an argument stands below the others, so that it pushes none of them out of sight. */
const TALL = 400;

/**
 * Place fields, in reading order, with their labels.
 * @type {[Exclude<keyof import("../types.js").Place, "linkTargets">, string][]}
 */
const PLACE_FIELDS = [
  ["server", "on server"], ["address", "server address"], ["program", "in program"], ["folder", "in folder"], ["project", "in project"],
  ["host", "on machine"], ["branch", "on branch"], ["defaultBranch", "default branch"], ["agent", "by agent"],
];

/** The place without a project that is the folder, and an agent that is the proposer, whom the card shows. @param {import("../types.js").Call} call */
export function shownPlace({ place, proposal }) {
  if (!place) return place;
  const { project, agent, ...rest } = place;
  return {
    ...rest,
    ...(project !== place.folder && { project }),
    ...(proposal.principal !== `agent:${agent}` && { agent }),
  };
}

/** Renders where the call runs, which changes what its arguments do. @param {Json} value @param {import("../types.js").Place | undefined} place */
function renderPlace(value, place) {
  const isArgument = (/** @type {string} */ text) => isObject(value) && Object.values(value).includes(text);
  const renderRow = (/** @type {string} */ label, /** @type {string} */ text) =>
    html`<div class="argument plain place"><dt>${label}</dt><dd><code>${renderText(text)}</code></dd></div>`;
  const fields = PLACE_FIELDS.map(([name, label]) => {
    const text = place?.[name];
    return !text || (name === "folder" && isArgument(text)) ? nothing : renderRow(label, text);
  });
  return [...fields, ...(place?.linkTargets ?? []).map((target) => renderRow("with a link to", target))];
}

/**
 * Renders all arguments, and the call's place.
 * @param {Json} value @param {string[]} masked The JSON pointers of masked values. @param {import("../types.js").Place} [place]
 */
export function renderArguments(value, masked = [], place = undefined) {
  const placeRows = renderPlace(value, place);
  if (!isObject(value) || Object.keys(value).length === 0) {
    return html`${renderJson(value, "", masked)}${place ? html`<dl>${placeRows}</dl>` : nothing}`;
  }
  const change = CHANGES.find(([before = "", after = ""]) => {
    return typeof value[before] === "string" && typeof value[after] === "string";
  });
  const telling = findTelling(value);
  const rank = (/** @type {string} */ name) => (telling.includes(name) ? telling.indexOf(name) : telling.length);
  const entries = Object.entries(value).filter(([name]) => change?.[1] !== name).sort(([a], [b]) => rank(a) - rank(b));
  const isRow = (/** @type {[string, Json]} */ [name, part]) => isPlain(name, part) && change?.[0] !== name;
  const isLead = (/** @type {[string, Json]} */ [name, part]) => telling.includes(name) && !isTall(part);
  const blocks = entries.filter((entry) => !isRow(entry));
  const renderBlock = (/** @type {[string, Json]} */ [name, part]) => {
    const isChange = change?.[0] === name;
    const shown = isChange ? renderChange(value, change) : renderPart(name, part, `/${escapePointer(name)}`, masked);
    return html`<div class="argument"><dt>${renderText(isChange ? `${change[0]} → ${change[1]}` : name)}</dt><dd>${shown}</dd></div>`;
  };
  const renderRow = (/** @type {[string, Json]} */ [name, part]) =>
    html`<div class="argument plain"><dt>${renderText(name)}</dt><dd>${renderPart(name, part, `/${escapePointer(name)}`, masked)}</dd></div>`;
  const renderList = (/** @type {unknown[]} */ rows) => (rows.length ? html`<dl>${rows}</dl>` : nothing);
  const inOrder = blocks.filter((entry) => !isLead(entry)).sort(([, a], [, b]) => Number(isTall(a)) - Number(isTall(b)));
  return html`<div class="arguments">
    ${renderList(blocks.filter(isLead).map(renderBlock))}
    ${renderList([...placeRows, ...entries.filter(isRow).map(renderRow)])}
    ${renderList(inOrder.map(renderBlock))}
  </div>`;
}

/** @param {Json} part */
const isTall = (part) => (JSON.stringify(part) ?? "").length > TALL;

/** The longest text that stands in the table of keys and values. */
const LONGEST_PLAIN = 160;

/** Whether an argument stands in the table: a number, a truth value, or a short text on one line. @param {string} name @param {Json} part */
function isPlain(name, part) {
  if (typeof part === "string") {
    return part.length <= LONGEST_PLAIN && !part.includes("\n") && !COMMANDS.has(name) && !CONTENTS.has(name) && readAddress(part) === null;
  }
  return typeof part !== "object" || part === null || JSON.isRawJSON(part);
}

/** @param {string} name */
const escapePointer = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** @param {string} name @param {Json} part @param {string} pointer @param {string[]} masked */
function renderPart(name, part, pointer, masked) {
  if (masked.includes(pointer)) return renderMasked(part);
  if (typeof part !== "string") return renderJson(part, pointer, masked);
  if (COMMANDS.has(name)) return renderCommand(part);
  const address = readAddress(part);
  if (address) return renderAddress(part, address);
  if (CONTENTS.has(name)) return renderLines(part.split("\n").map((text) => ({ sign: "+", text })));
  return part.includes("\n") ? html`<pre class="text">${renderText(part)}</pre>` : html`<code>${renderText(part)}</code>`;
}

/** @param {{ [key: string]: Json }} value @param {string[]} change */
function renderChange(value, [before = "", after = ""]) {
  return renderLines(compareLines(String(value[before]), String(value[after])));
}

/** The differences between two tool definitions. @param {import("../types.d.ts").DefinitionDifference[]} differences */
export function renderDifferences(differences) {
  const print = (/** @type {Json | undefined} */ value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");
  return html`<dl class="arguments">
    ${differences.map(({ path, from, to }) => {
      const lines = compareLines(print(from), print(to)).filter(({ text }) => text !== "");
      return html`<div class="argument"><dt>${renderText(path)}</dt><dd>${renderLines(lines, "change of a tool")}</dd></div>`;
    })}
  </dl>`;
}

/** @param {{ sign: string, text: string }[]} lines */
function renderLines(lines, label = "change of a file") {
  const kinds = /** @type {Record<string, string>} */ ({ "+": "added", "-": "removed", " ": "same" });
  return html`<div class="diff" role="group" aria-label=${label}>
    ${lines.map(
      ({ sign, text }) =>
        html`<div class="line ${kinds[sign]}"><span class="sign">${sign}</span><span>${renderText(text)}</span></div>`,
    )}
  </div>`;
}

/** @param {string} text */
export function renderCommand(text) {
  if (text.length > MOST) return html`<pre class="text">${renderText(text)}</pre>`;
  const lines = divideCommandLine(text);
  return html`<div class="command">
    ${lines.map(
      (pieces) =>
        html`<div class="line">${pieces.map(({ kind, text: piece }) => html`<span class=${kind}>${renderText(piece)}</span>`)}</div>`,
    )}
  </div>`;
}

/** @param {string} text */
function readAddress(text) {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Marks the host that a browser would connect to. @param {string} text @param {URL} address */
function renderAddress(text, address) {
  const host = address.host;
  const at = text.toLowerCase().indexOf(host);
  const isPlain = at > 0 && text.slice(0, at).endsWith("://") && !address.username;
  const whole = isPlain
    ? html`${renderText(text.slice(0, at))}<strong class="host">${renderText(host)}</strong>${renderText(text.slice(at + host.length))}`
    : renderText(text);
  const warning = isPlain
    ? nothing
    : html`<p class="note warning">The real host is <strong class="host">${renderText(host)}</strong>.</p>`;
  return html`<code class="address">${whole}</code>${warning}`;
}

/** @param {Json} value */
function renderMasked(value) {
  return html`<span class="masked" title="a secret that was masked before it was written">${renderText(String(value))}</span>`;
}

/** Renders JSON as a tree. @param {Json} value @param {string} pointer @param {string[]} masked @returns {unknown} */
export function renderJson(value, pointer = "", masked = []) {
  if (masked.includes(pointer)) return renderMasked(value);
  if (typeof value === "string") return html`<code class="string">"${renderText(value)}"</code>`;
  if (typeof value !== "object" || value === null) return html`<code class="literal">${String(value)}</code>`;
  if (JSON.isRawJSON(value)) return html`<code class="literal">${/** @type {any} */ (value).rawJSON}</code>`;
  const parts = Array.isArray(value) ? value.map((part, n) => [String(n), part]) : Object.entries(value);
  if (parts.length === 0) return html`<code class="literal">${Array.isArray(value) ? "[]" : "{}"}</code>`;
  return html`<ul class="tree">
    ${parts.map(
      ([name, part]) =>
        html`<li>
          <span class="name">${renderText(/** @type {string} */ (name))}</span>
          ${renderJson(/** @type {Json} */ (part), `${pointer}/${escapePointer(/** @type {string} */ (name))}`, masked)}
        </li>`,
    )}
  </ul>`;
}
