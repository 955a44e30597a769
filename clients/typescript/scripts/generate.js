#!/usr/bin/env node
// Generates the TypeScript client's types and error classes from the OpenAPI document.
//
//     clients/typescript/scripts/generate.js            writes the files
//     clients/typescript/scripts/generate.js --check    fails if they differ from the document
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
const documentPath = join(folder, "..", "..", "docs", "openapi.json");
const header = "Generated from docs/openapi.json by scripts/generate.js: do not edit.";
// The client uses these schemas, and those that they refer to.
const roots = [
  "BulkDecisionRequest", "BulkDecisionResponse", "Call", "CallPage", "CallerView", "CancelRequest", "ClaimRequest",
  "DecisionRequest", "EventPage", "PendingPage", "Problem", "ProposeRequest", "ReadinessReport", "RenewRequest",
  "ResultRequest",
];
// Codes that only a client reports, so the document does not have them.
const clientCodes = {
  unreachable: "No server answers.",
  strange_server: "The response is not that of a Countersign server.",
  bad_url: "The address of the server is invalid.",
};

function comment(text, indent) {
  const words = text.replaceAll("*/", "*\\/").split(/\s+/).filter(Boolean);
  const lines = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= 110 - indent.length) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

// The JSON values of these schemas come from the caller, who may hold them as any type.
const isInput = (name) => /^Proposed/.test(name) || name === "BulkDecisionItem" || (roots.includes(name) && /Request$/.test(name));

const joinTypes = (types) => [...new Set(types)].join(" | ");
const refName = (schema) => schema.$ref.split("/").at(-1);

// A schema's type, as it stands after a colon.
function typeOf(schema) {
  if (schema.$ref) {
    return refName(schema);
  }
  if (schema.enum) {
    return joinTypes(schema.enum.map((value) => JSON.stringify(value)));
  }
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) {
    return joinTypes(parts.map(typeOf));
  }
  if (Array.isArray(schema.type)) {
    return joinTypes(schema.type.map((type) => typeOf({ ...schema, type })));
  }
  if (schema.type === "array") {
    const item = typeOf(schema.items ?? {});
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object") {
    const values = schema.additionalProperties;
    return `{ [name: string]: ${values && typeof values === "object" ? typeOf(values) : "JsonValue"} }`;
  }
  const simple = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };
  return simple[schema.type] ?? "JsonValue";
}

function isRecord(schema) {
  return (schema.allOf ?? [schema]).some((part) => part.properties) && !schema.oneOf;
}

// Members that another schema shares are copied, so that one interface shows all of them.
function collectMembers(schema, schemas, members, required) {
  const own = schema.$ref ? schemas[refName(schema)] : schema;
  for (const part of own.allOf ?? []) {
    collectMembers(part, schemas, members, required);
  }
  Object.assign(members, own.properties);
  for (const name of own.required ?? []) {
    required.add(name);
  }
}

// The member's description, which may be beside the reference to its type.
const descriptionOf = (schema) =>
  schema.description ?? (schema.oneOf ?? []).map((part) => part.description ?? "").join("");

function recordType(name, schema, schemas) {
  const hint = (of) => (isInput(name) && typeOf(of) === "Json" ? "unknown" : typeOf(of));
  const members = {};
  const required = new Set();
  collectMembers(schema, schemas, members, required);
  const lines = [schema.description ? comment(schema.description, "") : "", `export interface ${name} {\n`];
  for (const [member, of] of Object.entries(members)) {
    const text = descriptionOf(of);
    lines.push(text ? comment(text, "  ") : "");
    const key = /^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member);
    // A caller may pass a variable that is undefined: a member without a value is not sent.
    lines.push(required.has(member) ? `  ${key}: ${hint(of)};\n` : `  ${key}?: ${hint(of)} | undefined;\n`);
  }
  return `${lines.join("")}}\n`;
}

function usedSchemas(document) {
  const schemas = document.components.schemas;
  const used = {};
  const left = [...roots];
  while (left.length > 0) {
    const name = left.pop();
    if (!(name in used)) {
      used[name] = schemas[name];
      for (const match of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        left.push(match[1]);
      }
    }
  }
  return used;
}

function typesModule(document) {
  const schemas = usedSchemas(document);
  const parts = [`// The types of requests and responses. ${header}\nimport type { JsonValue } from "./json_value.js";\n`];
  for (const name of Object.keys(schemas).sort()) {
    const schema = schemas[name];
    if (isRecord(schema)) {
      parts.push(recordType(name, schema, schemas));
    } else {
      parts.push(`${comment(schema.description ?? name, "")}export type ${name} = ${typeOf(schema)};\n`);
    }
  }
  return parts.join("\n");
}

// Each of the document's codes with its meaning.
function errorCodes(document) {
  const codes = { ...clientCodes };
  for (const response of Object.values(document.components.responses)) {
    for (const [, code, meaning] of (response.description ?? "").matchAll(/^- `(\w+)` \(\d+\): (.+)$/gm)) {
      codes[code] = meaning;
    }
  }
  for (const [, code] of JSON.stringify(document.components.responses).matchAll(/"code":"(\w+)"/g)) {
    codes[code] ??= "";
  }
  return Object.entries(codes).sort(([one], [other]) => (one < other ? -1 : 1));
}

const className = (code) =>
  `${code.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("")}Error`;

function errorsModule(document) {
  const codes = errorCodes(document);
  const parts = [`// One class for each error code. ${header}\nimport { CountersignError } from "./errors.js";\n`];
  for (const [code, meaning] of codes) {
    const name = className(code);
    parts.push(
      `${comment(meaning || `The error \`${code}\`.`, "")}export class ${name} extends CountersignError {\n` +
        `  override readonly name: string = ${JSON.stringify(name)};\n}\n`,
    );
  }
  const entries = codes.map(([code]) => `  [${JSON.stringify(code)}, ${className(code)}],\n`).join("");
  parts.push(`/** The class of each code. */\nexport const errorClasses: ReadonlyMap<string, typeof CountersignError> = new Map([\n${entries}]);\n`);
  return parts.join("\n");
}

const document = JSON.parse(readFileSync(documentPath, "utf8"));
const files = { "types.ts": typesModule(document), "error_codes.ts": errorsModule(document) };
for (const [name, text] of Object.entries(files)) {
  const path = join(folder, "src", name);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    console.error(`src/${name} differs from docs/openapi.json: run clients/typescript/scripts/generate.js`);
    process.exitCode = 1;
  }
}
