// The wrapper options decide what the real Claude Code runs, and record its results.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { approvalOptions } from "@countersign/client/claude-agent-sdk";
import { startModel } from "../../agents/models.js";
import { decideCalls, openThread, requests, shareStory } from "../javascript/support.js";

const story = shareStory(`
[[rule]]
name = "looking"
tool = "Bash"
command = "ls **"
verdict = "allow"

[[rule]]
name = "no-wipe"
tool = "Bash"
command = "rm **"
verdict = "block"
reason = "wiping is forbidden"
`);

const bash = (id, command) => ({ id, name: "Bash", input: { command, description: "test" } });

function environment(folder, model) {
  return {
    PATH: process.env.PATH, HOME: folder, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

// Lets Claude Code make the calls in a new folder. `results` is what its model gets.
async function play(t, calls, decide, count = 1) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-claude-"));
  const model = await startModel(calls);
  t.after(() => {
    model.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const thread = openThread(story, t.name.replaceAll(" ", "-"));
  const decided = decide && decideCalls(thread, count, decide);
  const options = {
    cwd: folder, env: environment(folder, model), settingSources: [],
    ...approvalOptions(thread.gate, { thread: () => thread.thread }),
  };
  for await (const _ of query({ prompt: "go", options })) {
    // The SDK defines these messages.
  }
  await decided;
  const exists = (name) => existsSync(join(folder, name));
  return { thread, exists, text: model.results.join("\n"), request: model.requests.at(-1) };
}

const read = (thread, id) => thread.approver.get(id);

test("policy allows without asking", async (t) => {
  const { thread, text } = await play(t, [bash("toolu_1", "ls -a")]);
  assert.doesNotMatch(text, /not run/);
  const call = await read(thread, "toolu_1");
  assert.equal(call.state, "finished");
  assert.equal(call.response.source, "policy");
});

test("policy blocks with its reason", async (t) => {
  const { text, thread } = await play(t, [bash("toolu_1", "rm -rf important")]);
  assert.match(text, /wiping is forbidden/);
  assert.equal((await read(thread, "toolu_1")).state, "denied");
});

test("person allows and the result is recorded", async (t) => {
  const { exists, thread } = await play(t, [bash("toolu_1", "touch ran.txt; echo made")], () => ({ decision: "allow_once" }));
  assert.ok(exists("ran.txt"));
  const { result } = await read(thread, "toolu_1");
  assert.equal(result.status, "success");
  assert.match(JSON.stringify(result.content), /made/);
});

test("denial gives its reason to the model", async (t) => {
  const deny = () => ({ decision: "deny", comment: "not on Fridays" });
  const { exists, text } = await play(t, [bash("toolu_1", "touch ran.txt")], deny);
  assert.ok(!exists("ran.txt"));
  assert.match(text, /not on Fridays/);
});

test("edit runs the edited command", async (t) => {
  const edit = () => ({ decision: "allow_once", arguments: { command: "touch edited.txt", description: "test" } });
  const { exists, thread, request } = await play(t, [bash("toolu_1", "touch ran.txt")], edit);
  assert.ok(exists("edited.txt"));
  assert.ok(!exists("ran.txt"));
  const { state, response } = await read(thread, "toolu_1");
  assert.equal(state, "finished");
  assert.ok(request.includes(JSON.stringify(response.note).slice(1, -1)), "the model is told");
});

test("error of the tool is recorded", async (t) => {
  const { thread } = await play(t, [bash("toolu_1", "echo broken >&2; exit 3")], () => ({ decision: "allow_once" }));
  const { result } = await read(thread, "toolu_1");
  assert.equal(result.status, "error");
  assert.match(JSON.stringify(result.content), /broken/);
});

test("parallel calls of one turn are each decided", async (t) => {
  const calls = [bash("toolu_1", "touch one.txt"), bash("toolu_2", "touch two.txt")];
  const decide = (call) => (call.id === "toolu_1" ? { decision: "allow_once" } : { decision: "deny", comment: "not this one" });
  const { exists, text } = await play(t, calls, decide, 2);
  assert.ok(exists("one.txt"));
  assert.ok(!exists("two.txt"));
  assert.match(text, /not this one/);
});

// Claude Code does not repeat a killed process's call. Its model may make another one, about which people are asked.
test("killed process runs nothing", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-claude-"));
  const model = await startModel([bash("toolu_1", "touch ran.txt")]);
  t.after(() => {
    model.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const thread = openThread(story, "killed");
  const start = (...words) => {
    const env = {
      ...environment(folder, model), COUNTERSIGN_SERVER: story.url, COUNTERSIGN_TOKEN: story.agentToken,
      COUNTERSIGN_THREAD: thread.thread,
    };
    const program = fileURLToPath(new URL("agent_process.js", import.meta.url));
    return spawn(process.execPath, [program, ...words], { cwd: folder, env });
  };
  const first = start();
  let session = "";
  first.stdout.on("data", (chunk) => (session += chunk));
  for await (const _ of requests(thread)) {
    break;
  }
  first.kill("SIGKILL");
  await once(first, "close");
  const second = start(session.trim());
  const [code] = await once(second, "close");
  assert.equal(code, 0);
  assert.ok(!existsSync(join(folder, "ran.txt")));
  assert.equal((await read(thread, "toolu_1")).state, "pending");
});
