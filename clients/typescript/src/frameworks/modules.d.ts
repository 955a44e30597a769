// The parts of LangChain that its wrapper calls. This package is built without it; the wrapper tests check
// the types with LangChain itself.
declare module "@langchain/core/messages" {
  export class ToolMessage {
    constructor(fields: object);
    content: string | unknown[];
    tool_call_id: string;
    name?: string;
    artifact?: unknown;
    status?: "success" | "error";
    static isInstance(value: unknown): value is ToolMessage;
  }
}

declare module "@langchain/core/utils/json_schema" {
  export function toJsonSchema(schema: unknown): unknown;
}
