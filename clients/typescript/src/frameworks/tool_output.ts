// The outputs of wrapped AI SDK and Mastra tools, and what the model gets for them.
import type { NotRunError } from "../errors.js";
import { isPlainObject } from "../json_writer.js";
import { contentText, isDenial, plainJson, textWithNote } from "./framework_call.js";

/** A tool's output if the call did not run. The model gets the text. */
export interface NotRunOutput {
  notRun: string;
  text: string;
}

/** The output for a call that did not run. */
export function notRunOutput(refusal: NotRunError): NotRunOutput {
  return { notRun: isDenial(refusal) ? "denied" : refusal.call.state, text: refusal.text };
}

// The output keeps its type, so that a page that shows it needs no other code for calls that a person changed.
export function outputWithNote(output: unknown, note: string | undefined): unknown {
  if (note === undefined) {
    return output;
  }
  if (typeof output === "string") {
    return textWithNote(output, note);
  }
  return isNotedObject(output) ? { ...output, approvalNote: note } : { approvalNote: note, output };
}

function isNotedObject(output: unknown): output is object {
  return typeof output === "object" && output !== null && !Array.isArray(output) && isPlainObject(output);
}

/** The output as the model gets it. `convert` is the conversion that the tool has itself. */
export async function modelOutput(output: unknown, convert: ((plain: unknown) => unknown) | undefined): Promise<unknown> {
  if (isNotRunOutput(output)) {
    return output.notRun === "denied"
      ? { type: "execution-denied", reason: output.text }
      : { type: "error-text", value: output.text };
  }
  if (!convert) {
    return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: plainOutput(output) };
  }
  const { note, plain } = withoutNote(output);
  const made = await convert(plain);
  return note === undefined ? made : addNote(made as ModelOutput, note);
}

type ModelOutput = { type: string; value?: unknown };

function addNote(made: ModelOutput, note: string): ModelOutput {
  const parts = made.type === "content" ? (made.value as unknown[]) : [{ type: "text", text: contentText(made.value) }];
  return { type: "content", value: [{ type: "text", text: note }, ...parts] };
}

function withoutNote(output: unknown): { note: string | undefined; plain: unknown } {
  if (!isNotedObject(output) || !("approvalNote" in output) || typeof output.approvalNote !== "string") {
    return { note: undefined, plain: output };
  }
  const { approvalNote: note, ...rest } = output;
  const names = Object.keys(rest);
  return { note, plain: names.length === 1 && "output" in rest ? rest.output : rest };
}

function plainOutput(output: unknown): unknown {
  return output === undefined ? null : plainJson(output);
}

/** Returns true for the output of a call that did not run. */
export function isNotRunOutput(output: unknown): output is NotRunOutput {
  return typeof output === "object" && output !== null && "notRun" in output && "text" in output;
}
