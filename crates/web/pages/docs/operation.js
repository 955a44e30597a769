// Shows one operation: who may call it, its request, its responses and errors, and how to send it.

import { curlLine, exampleBody, parametersOf } from "./curl.js";
import { codeBlock, create, inline, lazyDetails, prose } from "./dom.js";
import { examplesOf, resolve, showField, showSchema, typeOf } from "./schema.js";
import { showForm } from "./try.js";

const PLACES = { path: "Path", query: "Query", header: "Headers", cookie: "Cookies" };

// The type of errors.
const PROBLEM = "application/problem+json";

const section = (title, ...content) => create("section", {}, create("h2", { textContent: title }), ...content);
const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

export function badge(method) {
  return create("span", { className: `method ${method}`, textContent: method.toUpperCase() });
}

function describeAccess({ operation }) {
  const access = operation["x-access"];
  if (!operation.security) return create("p", { className: "access" }, "Who may call it: everyone, without a credential.");
  const names = access?.roles ?? [];
  const roles = names.flatMap((role, at) => [at ? ", " : "", create("code", { textContent: role })]);
  const end = access?.allThreads ? "; the credential must be for all threads." : ".";
  return create("p", { className: "access" }, `Who may call it: a caller with ${names.length > 1 ? "one of the roles" : "the role"} `, roles, end);
}

function showParameters(api, entry) {
  const all = parametersOf(api, entry);
  const groups = Object.entries(PLACES).map(([place, title]) => [title, all.filter((parameter) => parameter.in === place)]);
  return groups.filter(([, group]) => group.length).map(([title, group]) => section(`${title} parameters`.replace("Headers parameters", "Headers"),
    create("ul", { className: "fields" }, group.map((one) =>
      showField(api, one.name, one.schema, { isRequired: one.required, description: one.description })))));
}

// A schema as a whole: its type, and its fields if it has some.
function showWhole(api, schema, kind) {
  const head = create("p", { className: "field" }, create("code", { textContent: kind }), " ", create("span", { className: "type", textContent: typeOf(api, schema) }));
  const about = prose(resolve(api, schema).description);
  const inner = showSchema(api, schema);
  return [head, ...about, ...(inner ? [inner()] : [])];
}

function showBody(api, { operation }) {
  const body = resolve(api, operation.requestBody);
  const kinds = Object.entries(body.content ?? {});
  if (!kinds.length) return [];
  return [section(`Body${body.required ? "" : " (optional)"}`, prose(body.description), kinds.flatMap(([kind, { schema }]) => showWhole(api, schema, kind)))];
}

function showHeaders(api, headers) {
  const rows = Object.entries(headers ?? {}).map(([name, header]) => {
    const { schema, description } = resolve(api, header);
    return showField(api, name, schema, { description });
  });
  return rows.length ? [lazyDetails(`${rows.length === 1 ? "1 header" : `${rows.length} headers`}`, () => create("ul", { className: "fields" }, rows))] : [];
}

function showResponse(api, status, response) {
  const kinds = Object.entries(response.content ?? {});
  const shown = kinds.map(([kind, { schema }]) => lazyDetails([create("code", { textContent: kind }), ` ${typeOf(api, schema)}`], () => showWhole(api, schema, kind).slice(1)));
  return [create("h3", {}, create("span", { className: "status", textContent: status }), " ", inline(response.description)), ...shown, ...showHeaders(api, response.headers)];
}

// One line for each error code; its example opens.
export function listCodes(api, responses) {
  const examples = responses.flatMap((response) => Object.entries(response.content?.[PROBLEM]?.examples ?? {}));
  const rows = examples.map(([code, example]) => {
    const { summary, value } = resolve(api, example);
    const title = [create("span", { className: "status refused", textContent: value.status }), " ", create("code", { textContent: code }), " ", ...inline(summary ?? "")];
    return create("li", {}, lazyDetails(title, () => codeBlock(`Example of ${code}`, pretty(value))));
  });
  return create("ul", { className: "codes" }, rows);
}

function showResponses(api, { operation }) {
  const responses = Object.entries(operation.responses).map(([status, response]) => [status, resolve(api, response)]);
  const isError = ([, response]) => Boolean(response.content?.[PROBLEM]);
  const errors = responses.filter(isError);
  const own = errors.filter(([status]) => status !== "default").map(([, response]) => response);
  const common = errors.filter(([status]) => status === "default").map(([, response]) => response);
  const parts = [section("Responses", responses.filter((response) => !isError(response)).flatMap(([status, response]) => showResponse(api, status, response)))];
  const shown = [];
  if (own.length) shown.push(listCodes(api, own));
  if (common.length) shown.push(lazyDetails("Errors that every operation can return", () => listCodes(api, common)));
  if (shown.length) parts.push(section("Errors", create("p", {}, "Each is a problem (RFC 9457) with a stable ", create("code", { textContent: "code" }), "."), ...shown));
  return parts;
}

// The examples beside the description.
function showExamples(api, entry) {
  const { operation } = entry;
  const responses = Object.entries(operation.responses).map(([status, response]) => [status, resolve(api, response)]);
  const contents = responses.filter(([status]) => status.startsWith("2")).flatMap(([status, response]) =>
    Object.entries(response.content ?? {}).map(([kind, content]) => [status, kind, content]));
  const kinds = new Set(contents.map(([, kind]) => kind));
  const blocks = [];
  if (kinds.size < 2) blocks.push(codeBlock("Request with curl", curlLine(api, entry)));
  // A type that the server does not send without being asked needs a header.
  else for (const kind of kinds) blocks.push(codeBlock(`Request with curl: ${kind}`, curlLine(api, entry, kind)));
  for (const [status, kind, content] of contents) {
    const [example] = examplesOf(api, content);
    if (example !== undefined) blocks.push(codeBlock(`Response ${status}: ${kind}`, pretty(example)));
  }
  return create("aside", { attributes: { "aria-label": "Examples" } }, blocks);
}

// The page of an operation. `position` has its neighbours in the list.
export function showOperation(api, entry, { before, after }) {
  const { method, path, operation, id } = entry;
  const heading = create("h1", { textContent: operation.summary ?? id, tabIndex: -1 });
  const route = create("p", { className: "route" }, badge(method), " ", create("code", { textContent: path }));
  const link = ([words, neighbour]) => neighbour && create("a", { href: `#${neighbour.id}` }, create("small", { textContent: words }), neighbour.id);
  const text = create("div", { className: "text" },
    prose(operation.description), describeAccess(entry), showParameters(api, entry), showBody(api, entry), showResponses(api, entry),
    section("Try it", lazyDetails("Send it to this server", () => showForm(api, entry, exampleBody(api, operation)))));
  const steps = [["Before", before], ["Next", after]].map(link).filter(Boolean);
  return create("article", {},
    create("p", { className: "place" }, (operation.tags ?? []).join(", "), " / ", create("a", { href: `#${id}`, textContent: id })),
    heading, route, create("div", { className: "columns" }, text, showExamples(api, entry)),
    create("nav", { className: "steps", attributes: { "aria-label": "Neighbours" } }, steps));
}
