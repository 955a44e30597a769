// Golden conversations of each format: the SDK accepts them, Countersign returns them as they were sent, and what it writes in
// every other format is accepted by the SDK of that format.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { validate } from "./validators.js";

const run = promisify(execFile);
const program = process.env.COUNTERSIGN_PROGRAM;
const names = (await readdir(join(import.meta.dirname, "golden"))).map((file) => file.replace(".json", ""));
const golden = Object.fromEntries(await Promise.all(names.map(async (name) => [
  name, JSON.parse(await readFile(join(import.meta.dirname, "golden", `${name}.json`), "utf8")),
])));
// The formats in which a model can be asked.
const models = names.filter((name) => name !== "humanlayer");
// What Python checks, because the SDKs for JavaScript have no validators: a list of [format, messages].
const forPython = [];
let folder, server, url, agent, person;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-messages-"));
  const env = { PATH: process.env.PATH, HOME: folder, COUNTERSIGN_LOG: "error" };
  const database = ["--database", join(folder, "log.db")];
  await writeFile(join(folder, "policy.toml"), 'default = "ask"\n[limits]\n');
  server = spawn(program, [...database, "--json", "serve", "--listen", "127.0.0.1:0"], { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: server.stdout })) {
    const greeting = line.match(/"listening": ?"([^"]*)"/);
    if (greeting) { url = greeting[1]; break; }
  }
  const token = async (role) => (await run(program, [...database, "token", "create", "--name", role, "--role", role], { env })).stdout.trim();
  [agent, person] = [await token("agent"), await token("approver")];
});

after(async () => {
  server.kill();
  await rm(folder, { recursive: true, force: true });
});

async function request(token, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/threads/${path}`, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

// A thread with the conversation, whose call `call_1` is pending.
async function store(thread, format) {
  const call = { id: "call_1", name: "bash", arguments: { command: "ls -l /tmp", n: 9007199254740991 } };
  await request(agent, `${thread}/tool-calls`, call);
  const report = await request(agent, `${thread}/messages`, { format, messages: golden[format] });
  assert.equal(report.length, golden[format].length);
}

// Notes the messages that the format's SDK refuses.
const check = async (format, messages, what, faults) => {
  forPython.push([format, what, messages]);
  try {
    await validate(format, messages);
  } catch (error) {
    faults.push(`${what}: ${error.message.slice(0, 2000)}\n${JSON.stringify(messages)}`);
  }
};

for (const format of names) {
  test(`${format}: the SDK accepts the conversation, and gets it back`, async () => {
    const faults = [];
    await check(format, golden[format], `${format} as sent`, faults);
    assert.equal(faults.join("\n"), "");
    await request(agent, `same-${format}/messages`, { format, messages: golden[format] });
    const same = await request(agent, `same-${format}/messages?for=client`);
    // Only the log asks: requests for calls that nobody proposed are left out.
    const asks = ["ai-sdk", "ai-sdk-ui", "humanlayer", "openai-agents", "openai-responses"].includes(format);
    if (!asks) assert.deepEqual(same.messages, golden[format]);
    assert.doesNotMatch(JSON.stringify(same.messages), /approval-request|approval_request|tool_approval_item/);
  });

  test(`${format}: models and clients get valid messages in every format`, async () => {
    const thread = `every-${format}`;
    await store(thread, format);
    const faults = [];
    for (const to of models) {
      const view = await request(agent, `${thread}/messages?for=model&format=${to}`);
      assert.deepEqual(view.unfinished.filter(({ id }) => id === "call_1"), [{ id: "call_1", state: "pending" }]);
      await check(to, view.messages, `${format} for a model of ${to}`, faults);
    }
    for (const to of names) {
      const view = await request(agent, `${thread}/messages?for=client&format=${to}`);
      await check(to, view.messages, `${format} for a client of ${to}`, faults);
    }
    assert.equal(faults.join("\n"), "");
  });
}

test("ai-sdk-ui: a client sees how decided calls ended", async () => {
  const ends = { success: "output-available", error: "output-error", denied: "output-denied" };
  for (const [end, state] of Object.entries(ends)) {
    const thread = `ended-${end}`;
    await store(thread, "ai-sdk-ui");
    const decision = end === "denied" ? { decision: "deny", comment: "no" } : { decision: "allow_once" };
    const { argumentsHash } = await request(person, `${thread}/approvals/call_1`, decision);
    if (end !== "denied") {
      await request(agent, `${thread}/tool-calls/call_1/claim`, { executor: "test", argumentsHash });
      await request(agent, `${thread}/tool-calls/call_1/result`, { executor: "test", status: end, content: "what came of it" });
    }
    const view = await request(agent, `${thread}/messages?for=client`);
    await validate("ai-sdk-ui", view.messages);
    const part = view.messages.at(-1).parts.find((part) => part.toolCallId === "call_1");
    assert.equal(part.state, state, JSON.stringify(part));
  }
});

for (const [version, sdk] of [[5, await import("ai-v5")], [6, await import("ai-v6")]]) {
  // Version 5 has no approvals, so only model input is valid there.
  const readers = version === 5 ? ["model"] : ["model", "client"];

  test(`AI SDK ${version}: models and clients get valid messages`, async () => {
    const faults = [];
    for (const format of names) {
      await store(`v${version}-${format}`, format);
      for (const [reader, to] of readers.flatMap((reader) => [[reader, "ai-sdk"], [reader, "ai-sdk-ui"]])) {
        const { messages } = await request(agent, `v${version}-${format}/messages?for=${reader}&format=${to}`);
        // Version 5 has another form of images in results.
        if (version === 5 && JSON.stringify(messages).includes('"image-data"')) continue;
        try {
          if (to === "ai-sdk-ui" && messages.length > 0) await sdk.validateUIMessages({ messages });
          const input = to === "ai-sdk-ui" ? await sdk.convertToModelMessages(messages) : messages;
          input.forEach((message) => sdk.modelMessageSchema.parse(message));
        } catch (error) {
          faults.push(`${format} for a ${reader} of ${to}: ${error.message.slice(0, 2000)}\n${JSON.stringify(messages)}`);
        }
      }
    }
    assert.equal(faults.join("\n"), "");
  });

  test(`AI SDK ${version}: the model messages that it makes come back`, async () => {
    const ui = golden["ai-sdk-ui"].map((message) => ({
      ...message, parts: message.parts.filter((part) => part.state !== "approval-requested"),
    }));
    const made = JSON.parse(JSON.stringify(await sdk.convertToModelMessages(ui)));
    assert.ok(made.some((message) => message.role === "tool"), "the conversation has a result");
    await request(agent, `sdk-${version}/messages`, { format: "ai-sdk", messages: made });
    const view = await request(agent, `sdk-${version}/messages?for=model`);
    assert.deepEqual(view.messages, made);
  });
}

// A conversation as no client should send it: results without calls, calls without results, twice, and in another order.
function makeConversation(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const tools = ["bash", "read", "client.requestApproval", "client.showDialog"];
  const ids = ["call_1", "call_2", "approval_call_1", "call_3"];
  const call = () => ({ id: pick(ids), type: "function", function: { name: pick(tools), arguments: pick(["{}", '{"n":1e400}', '{"a":"b"}']) } });
  const calls = () => [...new Map(Array.from({ length: 1 + Math.floor(random() * 3) }, call).map((made) => [made.id, made])).values()];
  const makers = [
    () => ({ role: "user", content: pick(["Hello", "approve_once bash", ""]) }),
    () => ({ role: "assistant", content: pick(["I look.", "Done."]) }),
    () => ({ role: "assistant", content: pick([null, "", "I look."]), tool_calls: calls() }),
    () => ({ role: "tool", tool_call_id: pick(ids), content: pick(["a.txt", "deny", '{"decision":"approve"}', ""]) }),
    () => ({ role: "system", content: "Be careful." }),
  ];
  return Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(makers)());
}

test("every conversation becomes valid input of every model", async () => {
  // mulberry32, so that a failure can be repeated.
  let state = Number(process.env.COUNTERSIGN_TEST_SEED ?? 1);
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const faults = [];
  for (let number = 0; number < 60; number += 1) {
    const messages = makeConversation(random);
    await request(agent, `made-${number}/messages`, { format: "openai", messages });
    for (const to of models) {
      const view = await request(agent, `made-${number}/messages?for=model&format=${to}`);
      await check(to, view.messages, `conversation ${number} for a model of ${to}`, faults);
    }
  }
  assert.equal(faults.join("\n"), "");
});

test("Python's types accept what they define", async () => {
  const file = join(folder, "views.json");
  await writeFile(file, JSON.stringify(forPython));
  const { stdout } = await run(process.env.COUNTERSIGN_PYTHON, [join(import.meta.dirname, "validate.py"), file], { maxBuffer: 64 << 20 });
  assert.equal(stdout.trim(), "", stdout);
  assert.ok(forPython.length > names.length * names.length);
});
