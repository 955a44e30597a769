// Operation outcomes as the stories name them, and a whole call.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import * as countersign from "@countersign/client";

const { readJson, writeJson, CountersignError, NotRunError } = countersign;

const NOT_RUN = {
  DeniedError: "denied", ExpiredError: "expired", CancelledCallError: "cancelled", StillPendingError: "still_pending",
  AlreadyRunningError: "already_running", OutcomeUnknownError: "outcome_unknown", FailedBeforeError: "failed_before",
};

class ToolFailure extends Error {}

// A tool: it notes each run, and may wait until the story lets it go.
export class StoryTool {
  #runs;
  #step;
  started = new Promise((resolve) => { this.start = resolve; });
  released = new Promise((resolve) => { this.letGo = resolve; });

  constructor(runs, step) {
    this.#runs = runs;
    this.#step = step;
    if (!step.holds) {
      this.letGo();
    }
  }

  async run(args) {
    appendFileSync(this.#runs, `${writeJson(args)}\n`);
    this.start();
    await this.released;
    if (this.#step.fails !== undefined) {
      throw new ToolFailure(this.#step.fails);
    }
    return readJson(this.#step.returns ?? '"done"');
  }
}

// Makes a whole call, and returns its outcome.
export function callTool(gate, tool, step) {
  const {
    call, tool: name, arguments: args, expires_in, timeout_ms, withdraw, lease_seconds, returns, fails, holds, ...unknown
  } = step;
  assert.deepEqual(unknown, {}, "unknown fields");
  const options = {
    callId: call, expiresInSeconds: expires_in, timeoutMs: timeout_ms, withdraw, leaseSeconds: lease_seconds,
  };
  return outcomeOf(async () => {
    const { value, ...rest } = await gate.callTool(name, readJson(args), (approved) => tool.run(approved), options);
    return { call: rest.call, value: writeJson(value), note: rest.note };
  });
}

// Carries out an operation. Returns `call` and more, or `error`, `not_run` or `tool_error`.
export async function outcomeOf(operation) {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof NotRunError) {
      return { not_run: NOT_RUN[error.constructor.name], text: error.text, call: error.call };
    }
    if (error instanceof CountersignError) {
      checkClass(error);
      return { error: error.code, text: error.message, shown: { ...error.problem, status: error.status } };
    }
    if (error instanceof ToolFailure) {
      return { tool_error: error.message };
    }
    if (error instanceof SyntaxError || error instanceof RangeError) {
      // The client's JSON reader refuses what the story sends.
      return { error: "invalid", text: error.message };
    }
    throw error;
  }
}

// An error has the class of its code; one of a code that this version does not know has the general class.
function checkClass(error) {
  const words = error.code.split("_").map((word) => word[0].toUpperCase() + word.slice(1));
  const expected = countersign[`${words.join("")}Error`] ?? CountersignError;
  assert.equal(error.constructor, expected, error.code);
}

// Compares an outcome with the step's expectations. A step without any must succeed.
export function checkOutcome(outcome, expected = {}) {
  const {
    any, error, not_run, tool_error_has, text_has, note_has, value, shows, state, arguments: args, arguments_hash, calls,
    results, ...unknown
  } = expected;
  assert.deepEqual(unknown, {}, "unknown expectations");
  if (any) {
    return;
  }
  const call = outcome.call ?? {};
  const shown = JSON.stringify({ ...outcome, call: undefined }).slice(0, 600);
  assert.equal(outcome.error, error, shown);
  assert.equal(outcome.not_run, not_run, shown);
  assert.equal(outcome.tool_error !== undefined, tool_error_has !== undefined, shown);
  checkParts(outcome.tool_error, tool_error_has);
  checkParts(outcome.text, text_has);
  checkParts(outcome.note, note_has);
  checkText("value", outcome.value, value);
  checkText("state", call.state, state);
  checkText("arguments", args && writeJson(call.arguments), args);
  checkText("argumentsHash", call.argumentsHash, arguments_hash);
  if (calls) {
    assert.deepEqual(outcome.calls, calls);
  }
  if (results) {
    assert.deepEqual(outcome.results, results);
  }
  for (const [path, member] of Object.entries(shows ?? {})) {
    const found = path.split(".").reduce((part, name) => part?.[name], outcome.shown ?? call);
    assert.deepEqual(found ?? null, member, path);
  }
}

function checkText(name, found, expected) {
  if (expected !== undefined) {
    assert.ok(found === expected, `${name} is ${String(found).slice(0, 300)}, not ${expected.slice(0, 300)}`);
  }
}

function checkParts(text, parts = []) {
  for (const part of parts) {
    assert.ok(text?.includes(part), `${text} does not contain ${part}`);
  }
}
