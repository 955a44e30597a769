// Plays the contract stories: see tests/contract/README.md. An unknown word in a story is a failure.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Gate, readJson, writeJson } from "@countersign/client";
import { createLog, startServer } from "../support/server.js";
import { FaultyNetwork } from "./network.js";
import { callTool, checkOutcome, outcomeOf, StoryTool } from "./outcomes.js";

const AGENT = fileURLToPath(new URL("agent.js", import.meta.url));
const { log, tokens } = createLog({ builder: "agent", tester: "agent", ada: "approver", bob: "approver" });
const CAST = { ...tokens, stranger: "csgn_unknown" };

export class StoryPlayer {
  #gates = new Map();
  #seen = new Map();
  #tasks = new Map();
  #streams = new Map();

  // Plays a story to its end.
  static async play(story) {
    const { name, policy = [], max_body, without, steps, ...unknown } = story;
    assert.deepEqual(unknown, {}, "unknown fields of the story");
    const player = new StoryPlayer();
    const options = max_body === undefined ? [] : ["--max-body", String(max_body)];
    player.server = await startServer({ policy: policy.join("\n"), options, log });
    try {
      await player.#playSteps(steps);
    } finally {
      await player.#close();
    }
  }

  async #playSteps(steps) {
    this.network = await FaultyNetwork.before(this.server.url);
    this.runs = join(this.server.folder, "runs");
    for (const [index, step] of steps.entries()) {
      try {
        await this.#takeStep(step);
      } catch (cause) {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step).slice(0, 300)}: ${cause.message}`, { cause });
      }
    }
    assert.deepEqual([...this.#tasks.keys()], [], "tasks that did not end");
    assert.deepEqual(this.network.unusedFaults, [], "faults that did not occur");
    this.server.run("verify");
  }

  async #close() {
    for (const { end } of this.#streams.values()) {
      await end();
    }
    for (const task of this.#tasks.values()) {
      task.abandon();
    }
    this.network?.close();
    await this.server.stop();
  }

  async #takeStep({ fill, ...step }) {
    const { actor, does, ...fields } = fill ? replaceText(step, "x".repeat(fill)) : step;
    const others = { server: this.#server, network: this.#network, task: this.#task, tool: this.#tool, log: this.#log };
    if (actor in others) {
      const action = others[actor][does];
      assert.ok(action, `${actor} does not ${does}`);
      await action(fields);
    } else {
      await this.#act(actor, does, fields);
    }
  }

  // The agents and the approvers.

  #gate(actor) {
    assert.ok(actor in CAST, `${actor} is not in the cast`);
    if (!this.#gates.has(actor)) {
      this.#gates.set(actor, new Gate({ server: this.network.url, token: CAST[actor], thread: "t", place: { program: "contract" } }));
    }
    return this.#gates.get(actor);
  }

  async #act(actor, does, { expect, task, process: processName, ...fields }) {
    if (processName !== undefined) {
      assert.equal(does, "call_tool");
      const part = { step: fields, server: this.network.url, token: CAST[actor], runs: this.runs };
      this.#tasks.set(processName, new ProcessTask(part, this.server.env));
      return;
    }
    const gate = this.#gate(actor);
    if (does === "call_tool") {
      const tool = new StoryTool(this.runs, fields);
      const outcome = callTool(gate, tool, fields);
      if (task !== undefined) {
        outcome.catch(() => {}); // The step that ends the task reports it.
        this.#tasks.set(task, { outcome, started: tool.started, letGo: tool.letGo, abandon: tool.letGo });
        return;
      }
      checkOutcome(await outcome, expect);
      return;
    }
    assert.equal(task, undefined, "only call_tool can be a task");
    const operation = this.#operations[does];
    assert.ok(operation, `unknown operation ${does}`);
    const outcome = await outcomeOf(() => operation({ actor, gate, ...fields }));
    if (outcome.call?.argumentsHash) {
      this.#seen.set(`${actor} ${outcome.call.id}`, outcome.call);
    }
    checkOutcome(outcome, expect);
  }

  // The call as the actor last saw it. An actor who has not seen it reads it first.
  async #see(actor, gate, id) {
    const key = `${actor} ${id}`;
    if (!this.#seen.has(key)) {
      this.#seen.set(key, await gate.get(id));
    }
    return this.#seen.get(key);
  }

  #operations = {
    propose: async ({ actor, gate, call, tool, arguments: args, definition, ...rest }) => {
      noMore(rest);
      const options = { callId: call, definition: definition && readJson(definition) };
      return { call: await gate.propose(tool, readJson(args), options) };
    },
    read: async ({ actor, gate, call, ...rest }) => ({ call: await gate.get(call, noMore(rest)) }),
    wait: async ({ actor, gate, call, timeout_ms, ...rest }) =>
      ({ call: await gate.wait(call, { timeoutMs: timeout_ms, ...noMore(rest) }) }),
    claim: async ({ actor, gate, call, executor, lease_seconds, ...rest }) => {
      const options = { executor, leaseSeconds: lease_seconds, ...noMore(rest) };
      return { call: await gate.claim(await this.#see(actor, gate, call), options) };
    },
    renew: async ({ actor, gate, call, ...rest }) =>
      ({ call: await gate.renew(await this.#see(actor, gate, call), noMore(rest)) }),
    finish: async ({ actor, gate, call, content, executor, ...rest }) => {
      const options = { executor, ...noMore(rest) };
      return { call: await gate.finish(await this.#see(actor, gate, call), readJson(content), options) };
    },
    cancel: async ({ actor, gate, call, reason, ...rest }) =>
      ({ call: await gate.cancel(call, { reason, ...noMore(rest) }) }),
    decide: async ({ actor, gate, call, decision, comment, arguments: args, scope, ...rest }) => {
      const options = { comment, arguments: args && readJson(args), scope: scope && readJson(scope), ...noMore(rest) };
      return { call: await gate.decide(await this.#see(actor, gate, call), decision, options) };
    },
    decide_all: async ({ actor, gate, decisions, ...rest }) => {
      const items = decisions.map(([id, decision]) => ({ threadId: "t", id, decision }));
      const { results } = await gate.decideAll(items, noMore(rest));
      return { results: results.map(({ call, problem }) => call?.state ?? problem.code) };
    },
    decide_pending: async ({ actor, gate, decision, ...rest }) => {
      const { pending } = await gate.pending(noMore(rest));
      assert.equal(pending.length, 1);
      return { call: await gate.decide(pending[0], decision) };
    },
    pending: async ({ actor, gate, ...rest }) =>
      ({ calls: (await gate.pending(noMore(rest))).pending.map(({ id }) => id) }),
    await_state: async ({ actor, gate, call, state, ...rest }) => {
      for (;;) {
        const found = (await gate.get(call, noMore(rest))).state;
        if (found === state) {
          return {};
        }
        assert.ok(found === "running" || found === "pending", found);
      }
    },
    follow: async ({ actor, gate, stream: name, types, after, after_stream, ...rest }) => {
      const place = after_stream === undefined ? after : this.#streams.get(after_stream).stream.cursor;
      const stream = gate.stream({ thread: "t", types, after: place, ...noMore(rest) });
      this.#streams.set(name, { stream, last: 0, end: () => stream.return() });
      return {};
    },
    receive: async ({ actor, gate, stream: name, events = [undefined], ...rest }) => {
      noMore(rest);
      const opened = this.#streams.get(name);
      for (const expected of events) {
        const { value: event } = await opened.stream.next();
        assert.equal(`${event.type} ${event.data.toolCallId ?? event.data.id}`, expected);
        assert.ok(event.seq > opened.last, "the events are not in order");
        opened.last = event.seq;
      }
      return {};
    },
  };

  // The server, the network, the tasks, the tool and the log.

  #server = {
    kill: (rest) => this.server.kill(noMore(rest)),
    stop: (rest) => this.server.terminate(noMore(rest)),
    start: async (rest) => {
      await this.server.start(noMore(rest));
      this.network.target = this.server.url;
    },
  };

  #network = {
    lose_request: ({ to, times = 1, ...rest }) => this.network.plan("lose_request", to, times, noMore(rest)),
    lose_answer: ({ to, times = 1, ...rest }) => this.network.plan("lose_answer", to, times, noMore(rest)),
    answer: ({ to, times = 1, status, code, reason, detail, retry_after, ...rest }) =>
      this.network.plan("answer", to, times, { status, code, reason, detail, retry_after, ...noMore(rest) }),
    await_request: ({ to, times = 1, ...rest }) => this.network.awaitRequests(to, times, noMore(rest)),
    count_requests: ({ to, requests, pause_at_least_ms = 0, ...rest }) => {
      noMore(rest);
      const times = this.network.arrivals(to);
      assert.equal(times.length, requests, `requests to ${to}`);
      if (pause_at_least_ms > 0) {
        assert.ok(times.at(-1) - times.at(-2) >= pause_at_least_ms, "the client asked too soon");
      }
    },
  };

  #task = {
    await_run: ({ task, ...rest }) => this.#runningTask(task, rest).started,
    let_go: ({ task, ...rest }) => this.#runningTask(task, rest).letGo(),
    kill: async ({ task, ...rest }) => {
      await this.#runningTask(task, rest).kill();
      this.#tasks.delete(task);
    },
    end: async ({ task, expect, ...rest }) => {
      const outcome = await this.#runningTask(task, rest).outcome;
      this.#tasks.delete(task);
      checkOutcome(outcome, expect);
    },
  };

  #runningTask(name, rest) {
    noMore(rest);
    assert.ok(this.#tasks.has(name), `no task ${name} runs`);
    return this.#tasks.get(name);
  }

  #tool = {
    show_runs: ({ runs, ...rest }) => {
      noMore(rest);
      const ran = existsSync(this.runs) ? readFileSync(this.runs, "utf8").split("\n").slice(0, -1) : [];
      const [found, expected] = [ran.join("\n"), runs.join("\n")];
      assert.ok(ran.length === runs.length && found === expected, `the tool ran with ${found.slice(0, 300)}`);
    },
  };

  #log = {
    count: async ({ events, ...rest }) => {
      noMore(rest);
      const gate = new Gate({ server: this.server.url, token: CAST.ada });
      const counts = {};
      for (const { type, threadId } of (await gate.events({ limit: 1000 })).events) {
        if (threadId === "t") {
          counts[type] = (counts[type] ?? 0) + 1;
        }
      }
      assert.deepEqual(counts, events);
    },
  };
}

// A call in a process of its own.
class ProcessTask {
  #child;

  constructor(part, env) {
    this.#child = spawn(process.execPath, [AGENT, writeJson(part)], { env, stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: this.#child.stdout });
    let last = "{}";
    this.started = new Promise((resolve) => {
      lines.on("line", (line) => {
        if (line === "started") {
          resolve();
        } else {
          last = line;
        }
      });
    });
    this.outcome = once(lines, "close").then(() => readJson(last));
  }

  letGo() {
    this.#child.stdin.write("go\n");
  }

  async kill() {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  abandon() {
    this.#child.kill("SIGKILL");
  }
}

// Refuses step fields that the operation does not read.
function noMore(rest) {
  assert.deepEqual(rest, {}, "unknown fields");
  return rest;
}

function replaceText(value, fill) {
  if (typeof value === "string") {
    return value.replaceAll("FILL", fill);
  }
  if (Array.isArray(value)) {
    return value.map((part) => replaceText(part, fill));
  }
  const isObject = typeof value === "object" && value !== null;
  return isObject ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaceText(part, fill)])) : value;
}
