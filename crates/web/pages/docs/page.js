// The reference of the API, made from /openapi.json: a list with a search, and one operation at a time. The address names
// the operation, so that links lead to it.

import { curlLine, parametersOf } from "./curl.js";
import { codeBlock, create, inline, prose } from "./dom.js";
import { badge, listCodes, showOperation } from "./operation.js";
import { flatten, resolve } from "./schema.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const ERRORS = "errors";
const byId = (id) => document.getElementById(id);

// The operations in the order of the document's tags: those of /v1 come before those of other systems.
function readOperations(api) {
  const all = Object.entries(api.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method]).map((method) => {
    const operation = item[method];
    return { path, item, method, operation, id: operation.operationId, tag: operation.tags?.[0] ?? "other" };
  }));
  const order = new Map((api.tags ?? []).map((tag, at) => [tag.name, at]));
  return all.sort((one, other) => (order.get(one.tag) ?? order.size) - (order.get(other.tag) ?? order.size));
}

const groupsOf = (entries) => [...Map.groupBy(entries, (entry) => entry.tag)];

// All that the search finds an operation by.
function searchText(api, { method, path, operation, id, item }) {
  const fields = Object.values(resolve(api, operation.requestBody).content ?? {}).flatMap(({ schema }) => Object.keys(flatten(api, schema).properties ?? {}));
  const codes = Object.entries(operation.responses).filter(([status]) => status !== "default").flatMap(([, response]) =>
    Object.keys(resolve(api, response).content?.["application/problem+json"]?.examples ?? {}));
  const parameters = parametersOf(api, { item, operation }).map((parameter) => parameter.name);
  return [method, path, id, operation.summary, operation.description, ...fields, ...codes, ...parameters].join(" ").toLowerCase();
}

function link(entry) {
  return create("a", { href: `#${entry.id}`, title: `${entry.method.toUpperCase()} ${entry.path}` }, badge(entry.method), create("span", { textContent: entry.id }));
}

// The list beside the operation.
function buildList(api, entries) {
  const texts = new Map(entries.map((entry) => [entry.id, searchText(api, entry)]));
  const links = new Map(entries.map((entry) => [entry.id, create("li", {}, link(entry))]));
  const groups = groupsOf(entries).map(([tag, group]) => [group, create("section", {}, create("h2", { textContent: tag }),
    create("ul", {}, group.map((entry) => links.get(entry.id))))]);
  byId("groups").append(create("ul", {}, create("li", {}, create("a", { href: "#", textContent: "Overview" })),
    create("li", {}, create("a", { href: `#${ERRORS}`, textContent: "All errors" }))), ...groups.map(([, section]) => section));
  const search = byId("search");
  const matches = (id) => search.value.toLowerCase().split(/\s+/).every((word) => texts.get(id).includes(word));
  const show = () => {
    let count = 0;
    for (const [group, section] of groups) {
      const found = group.filter((entry) => matches(entry.id));
      for (const entry of group) links.get(entry.id).hidden = !found.includes(entry);
      section.hidden = !found.length;
      count += found.length;
    }
    byId("found").textContent = search.value.trim() ? `${count} of ${entries.length} operations` : `${entries.length} operations`;
  };
  search.addEventListener("input", show);
  search.addEventListener("keydown", (event) => {
    const first = entries.find((entry) => matches(entry.id));
    if (event.key === "Enter" && first) location.hash = first.id;
    if (event.key === "Escape") { search.value = ""; show(); }
  });
  show();
}

function showOverview(api, entries) {
  const accepted = entries.find((entry) => entry.operation.security)?.operation.security.flatMap(Object.keys) ?? [];
  const schemes = accepted.map((name) => create("li", {}, create("strong", { textContent: name }), ": ", inline(api.components.securitySchemes[name].description ?? "")));
  const first = entries.find((entry) => entry.id === "listPending") ?? entries[0];
  const descriptions = new Map((api.tags ?? []).map((tag) => [tag.name, tag.description]));
  const groups = groupsOf(entries).map(([tag, group]) => create("section", {}, create("h2", { textContent: tag }), prose(descriptions.get(tag)),
    create("ul", { className: "index" }, group.map((entry) => create("li", {}, create("a", { href: `#${entry.id}` }, badge(entry.method), " ",
      create("code", { textContent: entry.path })), create("span", {}, inline(entry.operation.summary ?? "")))))));
  return create("article", {}, create("h1", { textContent: `${api.info.title} API`, tabIndex: -1 }),
    create("p", { className: "place" }, `Version ${api.info.version}, at `, create("code", { textContent: location.origin }), ". OpenAPI: ",
      create("a", { href: "/openapi.json", textContent: "/openapi.json" })),
    prose(api.info.description),
    create("section", {}, create("h2", { textContent: "Credentials" }), create("ul", {}, schemes),
      prose("The command lines of this page take the token from the variable `COUNTERSIGN_TOKEN`. An agent's token proposes and runs calls, a person's token decides: none does both."),
      codeBlock("A first request", curlLine(api, first))),
    ...groups);
}

// Every error code, once.
function showErrors(api) {
  const found = new Map();
  const responses = [...Object.values(api.components.responses ?? {}), ...Object.values(api.paths).flatMap((item) => METHODS.flatMap((method) => Object.values(item[method]?.responses ?? {})))];
  for (const response of responses) {
    const examples = resolve(api, response).content?.["application/problem+json"]?.examples ?? {};
    for (const [code, example] of Object.entries(examples)) if (!found.has(code)) found.set(code, example);
  }
  const sorted = [...found].sort(([one, a], [other, b]) => a.value.status - b.value.status || one.localeCompare(other));
  const all = { content: { "application/problem+json": { examples: Object.fromEntries(sorted) } } };
  return create("article", {}, create("h1", { textContent: "All errors", tabIndex: -1 }),
    prose("An error is a problem (RFC 9457) of type `application/problem+json`. Programs switch on `code`; `detail` is for people."), listCodes(api, [all]));
}

// Shows what the address names.
function show(api, entries) {
  const name = decodeURIComponent(location.hash.slice(1));
  const at = entries.findIndex((entry) => entry.id === name);
  const page = at >= 0 ? showOperation(api, entries[at], { before: entries[at - 1], after: entries[at + 1] })
    : name === ERRORS ? showErrors(api) : showOverview(api, entries);
  byId("main").replaceChildren(page);
  document.title = at >= 0 ? `${name} – Countersign API` : "Countersign API";
  for (const other of byId("groups").querySelectorAll("a")) {
    const isThis = other.hash.slice(1) === (at >= 0 || name === ERRORS ? name : "");
    if (isThis) other.setAttribute("aria-current", "page");
    else other.removeAttribute("aria-current");
  }
  byId("groups").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  setMenu(false);
  window.scrollTo(0, 0);
}

// On a narrow screen, the list opens over the page.
function setMenu(isOpen) {
  byId("menu").setAttribute("aria-expanded", String(isOpen));
  byId("list").classList.toggle("open", isOpen);
}

function offerThemes() {
  const { choices, read, write } = globalThis.countersignAppearance;
  const select = byId("theme");
  select.append(...choices.theme.map((theme) => create("option", { value: theme, textContent: theme, selected: theme === read("theme") })));
  select.addEventListener("change", () => write("theme", select.value));
}

async function start() {
  offerThemes();
  document.querySelector(".skip").addEventListener("click", (event) => {
    // The address keeps the name of the operation.
    event.preventDefault();
    byId("main").focus();
  });
  byId("menu").addEventListener("click", () => setMenu(byId("menu").getAttribute("aria-expanded") !== "true"));
  const api = await (await fetch("/openapi.json")).json();
  const entries = readOperations(api);
  buildList(api, entries);
  show(api, entries);
  window.addEventListener("hashchange", () => {
    show(api, entries);
    // The heading says to a screen reader which operation this is.
    byId("main").querySelector("h1").focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setMenu(true);
    byId("search").focus();
  });
}

start().catch((error) => byId("main").append(create("p", { attributes: { role: "alert" }, textContent: String(error) })));
