// The form that sends an operation to this server.

import { sessionHeaders } from "/assets/countersign.js";
import { exampleOfParameter, parametersOf } from "./curl.js";
import { create } from "./dom.js";

function field(label, isRequired, input) {
  return create("label", {}, create("span", { textContent: `${label}${isRequired ? ", required" : ""}` }), input);
}

export function showForm(api, { method, path, item, operation }, body) {
  const inputs = parametersOf(api, { item, operation }).map((parameter) => {
    const placeholder = exampleOfParameter(api, parameter);
    return [parameter, create("input", { autocomplete: "off", placeholder, required: Boolean(parameter.required) })];
  });
  const text = body && create("textarea", { rows: 8, spellcheck: false, value: JSON.stringify(body.value, null, 2) });
  const fields = inputs.map(([parameter, input]) => field(`${parameter.name} (${parameter.in})`, parameter.required, input));
  if (text) fields.push(field(`body (${body.kind})`, true, text));
  const result = create("pre", { hidden: true, tabIndex: 0, attributes: { role: "status" } });
  const form = create("form", {},
    create("p", {}, "The request has its real effect. It is sent with the session of this browser."),
    ...fields, create("button", { type: "submit", textContent: "Send" }), result);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    result.hidden = false;
    result.textContent = "…";
    result.textContent = await send(method, path, inputs, text && [body.kind, text.value]).catch(String);
  });
  return form;
}

// Sends a request and describes the response.
async function send(method, path, inputs, body) {
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
  const response = await fetch(target, { method: method.toUpperCase(), headers, body: body?.[1] });
  const lines = [`${method.toUpperCase()} ${target}`, `${response.status} ${response.statusText}`];
  for (const [name, value] of response.headers) lines.push(`${name}: ${value}`);
  if ((response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
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
