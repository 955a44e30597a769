// Shows schemas: their members, limits and values. A schema inside of another opens on demand.

import { create, inline, lazyDetails, prose } from "./dom.js";

// More values than these stand behind a line that opens.
const FEW_VALUES = 12;

// Follows a reference within the document.
export function resolve(api, node) {
  if (!node?.$ref) return node ?? {};
  const unescape = (step) => step.replaceAll("~1", "/").replaceAll("~0", "~");
  return resolve(api, node.$ref.split("/").slice(1).reduce((found, step) => found?.[unescape(step)], api));
}

// The schema without references, `null` and parts: with `name`, `isNullable`, and `forms` if it has several.
export function flatten(api, node = {}) {
  if (node.$ref) {
    const target = flatten(api, resolve(api, { $ref: node.$ref }));
    return { ...target, name: node.$ref.split("/").pop(), description: node.description ?? target.description };
  }
  const choices = node.oneOf ?? node.anyOf;
  if (choices) {
    const forms = choices.filter((form) => form.type !== "null");
    const isNullable = forms.length < choices.length;
    if (forms.length > 1) return { ...node, forms, isNullable };
    const inner = flatten(api, forms[0]);
    return { ...inner, isNullable, description: node.description ?? inner.description };
  }
  if (node.allOf) {
    const parts = node.allOf.map((part) => flatten(api, part));
    const required = parts.flatMap((part) => part.required ?? []);
    const properties = parts.reduce((all, part) => joinMembers(all, part.properties ?? {}), {});
    return { ...Object.assign({}, ...parts, node), type: "object", required, properties, name: undefined };
  }
  const types = [node.type ?? []].flat().filter((type) => type !== "null");
  return { ...node, type: types.length > 1 ? types.join(" or ") : types[0], isNullable: types.length < [node.type ?? []].flat().length };
}

// A member of two parts has what both say of it.
function joinMembers(all, more) {
  const joined = Object.entries(more).map(([name, member]) => [name, { ...all[name], ...member }]);
  return { ...all, ...Object.fromEntries(joined) };
}

export function typeOf(api, schema, { isShort = false } = {}) {
  const node = flatten(api, schema);
  const end = node.isNullable && !isShort ? " or null" : "";
  if (node.forms) return `one of ${node.forms.length} forms${end}`;
  if (node.type === "array") return `array of ${typeOf(api, node.items)}${end}`;
  const isMap = typeof node.additionalProperties === "object";
  if (isMap) return `map of ${typeOf(api, node.additionalProperties)}${end}`;
  if (node.properties) return `${node.name ?? "object"}${end}`;
  return `${node.type ?? "any JSON"}${end}`;
}

// The limits of a value, in words.
function limitsOf(node) {
  const range = (least, most, what) => {
    if (least === undefined && most === undefined) return [];
    if (least === undefined) return [`at most ${most.toLocaleString("en")}${what}`];
    if (most === undefined) return [what && least === 1 ? "not empty" : `at least ${least.toLocaleString("en")}${what}`];
    return [`${least.toLocaleString("en")} to ${most.toLocaleString("en")}${what}`];
  };
  // The largest number that the server can hold says nothing to a person.
  const most = node.maximum > Number.MAX_SAFE_INTEGER ? undefined : node.maximum;
  const limits = [
    ...range(node.minimum, most, ""), ...range(node.minLength, node.maxLength, " characters"), ...range(node.minItems, node.maxItems, " items"),
  ];
  if (node.format && !/^int\d\d$/.test(node.format)) limits.push(`format ${node.format}`);
  if (node.pattern && !node.format) limits.push(`pattern \`${node.pattern}\``);
  const [example] = node.enum ? [] : node.examples ?? [];
  if (["string", "number"].includes(typeof example)) limits.push(`for example \`${example}\``);
  if (node.default !== undefined) limits.push(`default \`${JSON.stringify(node.default)}\``);
  return limits;
}

// What a schema says about a value: description, limits, values, and the schemas inside.
function describe(api, schema) {
  const node = flatten(api, schema);
  const item = node.type === "array" ? flatten(api, node.items) : node;
  const limits = [...limitsOf(node), ...(item === node ? [] : limitsOf(item))];
  const parts = prose(node.description ?? (item.enum ? item.description : undefined));
  if (limits.length) parts.push(create("p", { className: "limits" }, inline(limits.join(", "))));
  const values = item.enum ?? (item.const === undefined ? undefined : [item.const]);
  if (values) parts.push(listValues(values));
  const inner = showSchema(api, schema);
  const named = node.type === "array" ? node.items : schema;
  if (inner) parts.push(lazyDetails(item.forms ? "Forms" : `Fields of ${typeOf(api, named, { isShort: true })}`, inner));
  return parts;
}

function listValues(values) {
  const codes = () => values.flatMap((value) => [create("code", { textContent: JSON.stringify(value) }), " "]);
  if (values.length > FEW_VALUES) return lazyDetails(`${values.length} values`, () => create("p", { className: "values" }, codes()));
  return create("p", { className: "values" }, values.length > 1 ? "One of " : "Always ", codes());
}

// Returns a function that shows the inner schemas of a schema, or nothing if it has none.
export function showSchema(api, schema) {
  const node = flatten(api, schema);
  if (node.forms) {
    return () => create("ul", { className: "fields" }, node.forms.map((form, at) => showField(api, `Form ${at + 1}`, form, { isName: false })));
  }
  if (node.type === "array") return showSchema(api, node.items);
  if (typeof node.additionalProperties === "object") {
    const inner = flatten(api, node.additionalProperties);
    if (inner.properties || inner.enum) return () => create("ul", { className: "fields" }, showField(api, "each value", node.additionalProperties, { isName: false }));
  }
  const members = Object.entries(node.properties ?? {});
  if (!members.length) return undefined;
  const isRequired = ([name]) => (node.required ?? []).includes(name);
  // The required ones first: they are what a caller needs.
  const sorted = [...members.filter(isRequired), ...members.filter((member) => !isRequired(member))];
  return () => create("ul", { className: "fields" }, sorted.map((member) => showField(api, member[0], member[1], { isRequired: isRequired(member) })));
}

// One field: its name, its type, and what is said about it.
export function showField(api, name, schema, { isRequired = false, isName = true, description } = {}) {
  const label = create(isName ? "code" : "span", { className: "name", textContent: name });
  const head = create("p", { className: "field" }, label, " ", create("span", { className: "type", textContent: typeOf(api, schema) }));
  if (isRequired) head.append(" ", create("span", { className: "required", textContent: "required" }));
  const about = description ? { ...flatten(api, schema), description } : schema;
  return create("li", {}, head, describe(api, about));
}

// The examples of a media type, or of its schema.
export function examplesOf(api, content = {}) {
  if (content.example !== undefined) return [content.example];
  const named = Object.values(content.examples ?? {}).map((example) => resolve(api, example).value);
  return named.length ? named : resolve(api, content.schema).examples ?? [];
}
