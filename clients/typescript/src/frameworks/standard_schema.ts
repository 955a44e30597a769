// Schemas of any library that follows the Standard Schema interface, such as Zod, Valibot and ArkType.

import { errorText } from "../replies.js";
import { plainJson } from "./framework_call.js";

/** A schema that can check a value. */
export interface StandardSchema {
  "~standard": { validate(value: unknown): SchemaResult | PromiseLike<SchemaResult> };
}

type SchemaResult = { value: unknown; issues?: undefined } | { issues: readonly SchemaIssue[] };
interface SchemaIssue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
}

export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}

/** Checks a value, and returns it as the schema outputs it. Throws an error that names the mistakes. */
export async function parseWith(schema: StandardSchema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) {
    return result.value;
  }
  throw new TypeError(result.issues.map(issueText).join("; "));
}

/** The JSON Schema of a schema, if its library offers one (Zod since 4.2). */
export function standardJsonSchema(schema: unknown): unknown {
  const standard = isStandardSchema(schema) ? (schema["~standard"] as JsonSchemaSource) : undefined;
  try {
    const made = standard?.jsonSchema?.input({ target: "draft-07" });
    return made === undefined ? undefined : plainJson(made);
  } catch {
    return undefined; // JSON Schema has no form for some schemas.
  }
}

interface JsonSchemaSource {
  jsonSchema?: { input(options: { target: string }): unknown };
}

/**
 * The text for the model about a call that does not fit its tool; `undefined` if it fits. Such a call is not worth a person's
 * time, and it must not reach the tool, which might judge it otherwise.
 */
export async function findMistake(schema: unknown, input: unknown): Promise<string | undefined> {
  if (!isStandardSchema(schema)) {
    return undefined;
  }
  try {
    await parseWith(schema, input);
    return undefined;
  } catch (error) {
    return `The arguments do not fit the tool, so it was not run: ${errorText(error)}`;
  }
}

function issueText(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
