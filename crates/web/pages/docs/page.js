// Lists the operations of /openapi.json, each with a form that sends it. All content is set as text, never as HTML.

import { sessionHeaders } from "/assets/countersign.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

function create(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Follows a reference within the document.
function resolve(api, node) {
  if (!node || !node.$ref) return node || {};
  const steps = node.$ref.split("/").slice(1);
  const unescape = (step) => step.replaceAll("~1", "/").replaceAll("~0", "~");
  return resolve(api, steps.reduce((found, step) => (found || {})[unescape(step)], api));
}

// A schema's example: its own example, or its required members.
function exampleOf(api, schema, depth = 0) {
  const node = resolve(api, schema);
  if (node.example !== undefined) return node.example;
  if (node.examples && node.examples.length) return node.examples[0];
  if (node.default !== undefined) return node.default;
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  const choice = (node.oneOf || node.anyOf || []).find((one) => one.type !== "null");
  if (choice) return exampleOf(api, choice, depth + 1);
  if (node.allOf) return Object.assign({}, ...node.allOf.map((part) => exampleOf(api, part, depth + 1)));
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  if (type === "array") return [];
  if (type === "integer" || type === "number") return node.minimum || 0;
  if (type === "boolean") return false;
  if (type === "string") return "";
  const members = Object.entries(node.properties || {});
  const required = members.filter(([name]) => (node.required || []).includes(name));
  if (depth > 4) return {};
  return Object.fromEntries(required.map(([name, member]) => [name, exampleOf(api, member, depth + 1)]));
}

function field(name, about, isRequired, input) {
  const title = create("span", { textContent: name, className: isRequired ? "required" : "" });
  return create("label", {}, title, create("small", { textContent: about || "" }), input);
}

// The form for an operation. Each request's result replaces the one before.
function form(api, method, path, operation, parameters) {
  const inputs = parameters.map((parameter) => [parameter, create("input", { autocomplete: "off" })]);
  const content = Object.entries((resolve(api, operation.requestBody).content) || {})[0];
  const body = content && create("textarea", { rows: 8, spellcheck: false });
  if (body) body.value = JSON.stringify(exampleOf(api, content[1].schema), null, 2);
  const result = create("pre", { hidden: true });
  const send = create("button", { textContent: "Send", type: "submit" });
  const fields = inputs.map(([parameter, input]) =>
    field(`${parameter.name} (${parameter.in})`, parameter.description, parameter.required, input));
  if (body) fields.push(field(`body (${content[0]})`, "", true, body));
  const whole = create("form", {}, ...fields, send, result);
  whole.addEventListener("submit", async (event) => {
    event.preventDefault();
    result.hidden = false;
    result.textContent = "…";
    try {
      result.textContent = await request(method, path, inputs, body && [content[0], body.value]);
    } catch (error) {
      result.textContent = String(error);
    }
  });
  return whole;
}

// Sends a request and describes the response.
async function request(method, path, inputs, body) {
  const query = new URLSearchParams();
  const headers = new Headers({ ...sessionHeaders(), ...(body ? { "content-type": body[0] } : {}) });
  let target = path;
  for (const [parameter, input] of inputs) {
    if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value === "") continue;
    else if (parameter.in === "query") query.append(parameter.name, input.value);
    else if (parameter.in === "header") headers.set(parameter.name, input.value);
  }
  if (query.size) target += `?${query}`;
  const response = await fetch(target, { method: method.toUpperCase(), headers, body: body && body[1] });
  const lines = [`${method.toUpperCase()} ${target}`, `${response.status} ${response.statusText}`];
  for (const [name, value] of response.headers) lines.push(`${name}: ${value}`);
  if ((response.headers.get("content-type") || "").startsWith("text/event-stream")) {
    await response.body.cancel();
    return [...lines, "", "A stream of events begins here; this page does not read it."].join("\n");
  }
  const text = await response.text();
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch { /* The response is not JSON. */ }
  return [...lines, "", shown].join("\n");
}

async function start() {
  const api = await (await fetch("/openapi.json")).json();
  const groups = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((method) => item[method])) {
      const operation = item[method];
      const parameters = [...(item.parameters || []), ...(operation.parameters || [])].map((one) => resolve(api, one));
      const head = create("summary", {}, create("b", { textContent: method.toUpperCase() }),
        create("code", { textContent: path }), ` ${operation.summary || ""}`);
      const about = create("p", { textContent: operation.description || "" });
      const whole = create("details", { className: method }, head, about);
      whole.addEventListener("toggle", () => whole.append(form(api, method, path, operation, parameters)), { once: true });
      const tag = (operation.tags || ["other"])[0];
      groups.set(tag, [...(groups.get(tag) || []), whole]);
    }
  }
  const main = document.getElementById("operations");
  for (const [tag, operations] of groups) main.append(create("h2", { textContent: tag }), ...operations);
}

start().catch((error) => document.getElementById("operations").append(String(error)));
