// The rules that every wrapper keeps. Each is a test with the framework itself, a scripted model and a real server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { decideCalls, openThread, requests, shareStory } from "./support.js";
import { storyTools } from "./story.js";

const PROCESS = fileURLToPath(new URL("agent_process.js", import.meta.url));

// Tests a framework driver, which has the name of its file.
export async function testWrapper(name) {
  const { default: driver } = await import(`./drivers/${name}.js`);
  describe(name, { concurrency: 4 }, () => {
    const story = shareStory();
    for (const [title, check] of Object.entries(RULES)) {
      test(title, () => check({ driver, name, thread: openThread(story, title.replaceAll(" ", "-")), story }));
    }
  });
}

async function play({ driver, thread }, calls, more = {}) {
  const results = await driver.run({ gate: thread.gate, calls, tools: storyTools(thread.runs), options: {}, ...more });
  return calls.map(({ id }) => results.get(id));
}

const DEPLOY = { id: "call_1", name: "deploy", args: { service: "shop" } };
const ALLOW = () => ({ decision: "allow_once" });

const RULES = {
  async "policy allows without asking"(context) {
    const [text] = await play(context, [{ id: "call_1", name: "read_file", args: { path: "a.txt" } }]);
    assert.match(text, /content of a\.txt/);
    const call = await context.thread.approver.get("call_1");
    assert.equal(call.state, "finished");
    assert.equal(call.response.source, "policy");
    assert.equal(call.result.status, "success");
    assert.match(JSON.stringify(call.result.content), /content of a\.txt/);
  },

  async "policy blocks with its reason"(context) {
    const [text] = await play(context, [{ id: "call_1", name: "wipe", args: {} }]);
    assert.match(text, /wiping is forbidden/);
    assert.deepEqual(context.thread.readRuns(), []);
  },

  async "person allows and the schema is shown"(context) {
    const shown = [];
    const decided = decideCalls(context.thread, 1, (call) => (shown.push(call), ALLOW()));
    const [text] = await play(context, [DEPLOY]);
    await decided;
    assert.match(text, /deployed shop with 1/);
    assert.deepEqual(context.thread.readRuns(), [["deploy", { service: "shop", replicas: 1 }]]);
    assert.equal(shown[0].arguments.service, "shop");
    const { definition } = await proposal(context, "call_1");
    assert.equal(definition.description, "Deploys a service.");
    assert.equal(definition.inputSchema.properties.service.type, "string");
  },

  async "denial gives its reason to the model"(context) {
    const decided = decideCalls(context.thread, 1, () => ({ decision: "deny", comment: "not on Fridays" }));
    const [text] = await play(context, [DEPLOY]);
    await decided;
    assert.match(text, /user:ada/);
    assert.match(text, /not on Fridays/);
    assert.deepEqual(context.thread.readRuns(), []);
  },

  async "denial throws if asked"(context) {
    const decided = decideCalls(context.thread, 1, () => ({ decision: "deny", comment: "not on Fridays" }));
    const played = play(context, [DEPLOY], { options: { onDenial: "throw" } });
    if (context.driver.errorsEndTheRun) {
      await assert.rejects(played, /not on Fridays/);
    } else {
      assert.match((await played)[0], /not on Fridays/);
    }
    await decided;
    assert.deepEqual(context.thread.readRuns(), []);
  },

  async "edit runs the edited arguments and tells the model"(context) {
    const decided = decideCalls(context.thread, 1, () => ({
      decision: "allow_once", arguments: { service: "shop-staging", replicas: 2 },
    }));
    const [text] = await play(context, [DEPLOY]);
    await decided;
    assert.deepEqual(context.thread.readRuns(), [["deploy", { service: "shop-staging", replicas: 2 }]]);
    assert.match(text, /deployed shop-staging with 2/);
    assert.match(text, /changed/);
  },

  async "edit that the schema refuses does not run"(context) {
    const refused = [];
    const decided = decideCalls(context.thread, 1, async (call) => {
      await context.thread.approver.decide(call, "allow_once", { arguments: { service: "shop", replicas: 99 } })
        .catch((error) => refused.push(error.code));
      return { decision: "deny" };
    });
    await play(context, [DEPLOY]);
    await decided;
    assert.deepEqual(refused, ["invalid"]);
    assert.deepEqual(context.thread.readRuns(), []);
  },

  async "edit that only the tool can refuse does not run"(context) {
    const decided = decideCalls(context.thread, 1, () => ({
      decision: "allow_once", arguments: { service: "my shop", replicas: 2 },
    }));
    const [text] = await play(context, [DEPLOY]);
    await decided;
    assert.match(text, /a service has no blanks/);
    assert.deepEqual(context.thread.readRuns(), []);
    assert.equal((await context.thread.approver.get("call_1")).result.status, "error");
  },

  async "call that does not fit the tool is not proposed"(context) {
    if (context.driver.leavesInputToServer) {
      return;
    }
    const [text] = await play(context, [{ id: "call_1", name: "deploy", args: { service: "my shop", replicas: 1 } }]);
    assert.match(text, /a service has no blanks|An error occurred/);
    assert.deepEqual(context.thread.readRuns(), []);
    await assert.rejects(context.thread.approver.get("call_1"), { code: "unknown_call" });
  },

  async "parallel calls of one turn wait together"(context) {
    const calls = [1, 2, 3].map((number) => ({ id: `call_${number}`, name: "deploy", args: { service: `shop-${number}` } }));
    const decided = decideCalls(context.thread, 3, async (call) => {
      // No decision is made before all three calls wait.
      await whenPending(context.thread, 3);
      return call.id === "call_2" ? { decision: "deny", comment: "not this one" } : { decision: "allow_once" };
    });
    const texts = await play(context, calls);
    await decided;
    assert.match(texts[0], /deployed shop-1/);
    assert.match(texts[1], /not this one/);
    assert.match(texts[2], /deployed shop-3/);
    assert.equal(context.thread.readRuns().length, 2);
  },

  async "error of the tool is recorded and reaches the model"(context) {
    const decided = decideCalls(context.thread, 1, ALLOW);
    const [text] = await play(context, [{ id: "call_1", name: "fail", args: { reason: "quota" } }]);
    await decided;
    assert.match(text, /the disk is full: quota/);
    const call = await context.thread.approver.get("call_1");
    assert.equal(call.result.status, "error");
    assert.match(call.result.content, /the disk is full: quota/);
    assert.equal(context.thread.readRuns().length, 1);
  },

  async "time-out leaves the call open"(context) {
    const [text] = await play(context, [DEPLOY], { options: { timeoutMs: 50 } });
    assert.match(text, /still waits/);
    assert.equal((await context.thread.approver.get("call_1")).state, "pending");
    assert.deepEqual(context.thread.readRuns(), []);
  },

  async "abort ends the wait and withdraws the call"(context) {
    const abort = new AbortController();
    const played = play(context, [DEPLOY], { options: { withdraw: true }, signal: abort.signal }).catch((error) => error);
    await whenPending(context.thread, 1);
    abort.abort();
    await played;
    await whenState(context.thread, "call_1", "cancelled");
    assert.deepEqual(context.thread.readRuns(), []);
  },

  async "thread of the options is used"(context) {
    const thread = `${context.thread.thread}-other`;
    await play(context, [{ id: "call_9", name: "wipe", args: {} }], { options: { thread } });
    assert.equal((await context.thread.approver.get("call_9", { thread })).state, "denied");
  },

  async "repeated call returns its recorded result"(context) {
    const read = [{ id: "call_1", name: "read_file", args: { path: "a.txt" } }];
    const [first] = await play(context, read);
    const [second] = await play(context, read);
    assert.equal(second, first);
    assert.equal(context.thread.readRuns().length, 1);
  },

  async "killed process resumes and runs the call once"(context) {
    const first = startAgent(context);
    await whenPending(context.thread, 1);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = startAgent(context);
    const pending = await context.thread.approver.pending({ thread: context.thread.thread });
    assert.equal(pending.pending.length, 1);
    await context.thread.approver.decide(pending.pending[0], "allow_once");
    assert.match(await second.ended, /deployed shop with 1/);
    assert.equal(context.thread.readRuns().length, 1);
    assert.equal((await context.thread.approver.get("call_1")).state, "finished");
  },
};

async function proposal({ thread }, id) {
  const { events } = await thread.approver.events({ thread: thread.thread, types: ["TOOL_CALL"] });
  return events.find(({ data }) => data.id === id).data;
}

// Waits until so many calls of the thread have been asked.
async function whenPending(thread, count) {
  let asked = 0;
  for await (const _ of requests(thread)) {
    asked += 1;
    if (asked === count) {
      return;
    }
  }
}

async function whenState({ approver, thread }, id, state) {
  for await (const _ of approver.stream({ thread, giveUpAfterMs: Infinity })) {
    if ((await approver.get(id)).state === state) {
      return;
    }
  }
}

// Starts a process with an agent that makes the first call. `ended` is what it prints.
function startAgent({ name, thread, story }) {
  const env = {
    PATH: process.env.PATH, HOME: story.log.folder, COUNTERSIGN_SERVER: story.url, COUNTERSIGN_TOKEN: story.agentToken,
    COUNTERSIGN_THREAD: thread.thread, MASTRA_TELEMETRY_DISABLED: "1",
  };
  const child = spawn(process.execPath, [PROCESS, name, thread.runs, JSON.stringify([DEPLOY])], { env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return { child, ended: once(child, "close").then(() => output) };
}
