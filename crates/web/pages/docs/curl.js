// The line that sends an operation from a shell.

import { examplesOf, resolve } from "./schema.js";

// A body that is longer stands on several lines.
const LONG_BODY = 70;

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// The parameters of an operation, with those of its path.
export const parametersOf = (api, { item, operation }) =>
  [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => resolve(api, one));

export function exampleOfParameter(api, parameter) {
  const schema = resolve(api, parameter.schema);
  return String(schema.examples?.[0] ?? schema.enum?.[0] ?? schema.default ?? schema.minimum ?? "…");
}

// The path with the examples of its parts, and the query that is required.
export function examplePath(api, entry) {
  const parameters = parametersOf(api, entry);
  const encoded = (parameter) => encodeURIComponent(exampleOfParameter(api, parameter));
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const path = parameters.filter((parameter) => parameter.in === "path")
    .reduce((all, parameter) => all.replace(`{${parameter.name}}`, encoded(parameter)), entry.path);
  return path + (query.length ? `?${query.map((parameter) => `${parameter.name}=${encoded(parameter)}`).join("&")}` : "");
}

// The first example of the request's body, with its type.
export function exampleBody(api, operation) {
  const [kind, content] = Object.entries(resolve(api, operation.requestBody).content ?? {})[0] ?? [];
  return kind && { kind, schema: content.schema, value: examplesOf(api, content)[0] };
}

// The command line. `accept` asks for one of several types of response; the shell puts the token in.
export function curlLine(api, entry, accept) {
  const { method, operation } = entry;
  const body = exampleBody(api, operation);
  const isStream = accept === "text/event-stream";
  const usual = body ? "post" : "get";
  const first = ["curl", isStream ? "--no-buffer" : "", method === usual ? "" : `--request ${method.toUpperCase()}`, quote(location.origin + examplePath(api, entry))];
  const lines = [first.filter(Boolean).join(" ")];
  if (operation.security) lines.push('--header "Authorization: Bearer $COUNTERSIGN_TOKEN"');
  if (accept) lines.push(`--header ${quote(`Accept: ${accept}`)}`);
  if (body) {
    const short = JSON.stringify(body.value);
    lines.push(`--header ${quote(`Content-Type: ${body.kind}`)}`);
    lines.push(`--data ${quote(short.length > LONG_BODY ? JSON.stringify(body.value, null, 2) : short)}`);
  }
  return lines.join(" \\\n  ");
}
