// AI SDK tools: the parts that the wrappers read.
import type { ProposedDefinition } from "../types.js";
import { plainJson } from "./framework_call.js";
import { isStandardSchema, parseWith, standardJsonSchema } from "./standard_schema.js";

/** The tool execution options that the wrapper reads. */
export interface ToolExecution {
  toolCallId: string;
  abortSignal?: AbortSignal | undefined;
}

/** The tool members that the wrapper reads or replaces. */
export interface SdkTool {
  description?: unknown;
  inputSchema?: unknown;
  needsApproval?: unknown;
  execute?: (input: unknown, execution: ToolExecution) => unknown;
  toModelOutput?: (result: ToolResult) => unknown;
}

export interface ToolResult {
  toolCallId: string;
  input: unknown;
  output: unknown;
}

/** The tools of `approveTools`. */
export const wrappedTools = new WeakSet<object>();

/** True for a tool that asks by itself. */
export function asksItself(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && wrappedTools.has(tool);
}

/** The description and the schema that the model gets. */
export async function readDefinition(
  tool: SdkTool, input: unknown, execution: ToolExecution,
): Promise<ProposedDefinition> {
  const { description, inputSchema, needsApproval } = tool;
  const text: unknown = typeof description === "function" ? description(execution) : description;
  const asks: unknown = typeof needsApproval === "function" ? await needsApproval.call(tool, input, execution) : needsApproval;
  return {
    description: typeof text === "string" ? text : undefined,
    inputSchema: await readJsonSchema(inputSchema),
    needsApproval: asks === undefined ? undefined : Boolean(asks),
  } as ProposedDefinition;
}

/** An SDK schema: from `jsonSchema()`, `zodSchema()` and others. */
interface SdkSchema {
  jsonSchema: unknown;
  validate?: ((value: unknown) => SchemaCheck | PromiseLike<SchemaCheck>) | undefined;
}

type SchemaCheck = { success: true; value: unknown } | { success: false; error: Error };

function isSdkSchema(schema: unknown): schema is SdkSchema {
  return typeof schema === "object" && schema !== null && "jsonSchema" in schema;
}

// An SDK schema may be a function that creates it.
function makeSchema(schema: unknown): unknown {
  return typeof schema === "function" && !isStandardSchema(schema) ? (schema as () => unknown)() : schema;
}

async function readJsonSchema(inputSchema: unknown): Promise<unknown> {
  const schema = makeSchema(inputSchema);
  return isSdkSchema(schema) ? plainJson(await schema.jsonSchema) : standardJsonSchema(schema);
}

/** Checks an input that a person changed. */
export async function parseInput(inputSchema: unknown, changed: unknown): Promise<unknown> {
  const schema = makeSchema(inputSchema);
  if (isStandardSchema(schema)) {
    return parseWith(schema, changed);
  }
  const result = isSdkSchema(schema) ? await schema.validate?.(changed) : undefined;
  if (result === undefined) {
    return changed;
  }
  if (!result.success) {
    throw result.error;
  }
  return result.value;
}
