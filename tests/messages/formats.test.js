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

// Notes the messages that the SDK of the format refuses.
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
    assert.deepEqual(same.messages, golden[format]);
    assert.equal(same.leftOut, undefined);
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

test("Python's types accept what they define", async () => {
  const file = join(folder, "views.json");
  await writeFile(file, JSON.stringify(forPython));
  const { stdout } = await run(process.env.COUNTERSIGN_PYTHON, [join(import.meta.dirname, "validate.py"), file], { maxBuffer: 64 << 20 });
  assert.equal(stdout.trim(), "", stdout);
  assert.ok(forPython.length > names.length * names.length);
});
