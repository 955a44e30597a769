// The AI SDK: decisions before a tool runs (version 7), and runs that end while a call waits (versions 6 and 7).
import assert from "node:assert/strict";
import { test } from "node:test";
import * as v7 from "ai";
import * as v6 from "ai-v6";
import { MockLanguageModelV4 } from "ai/test";
import { MockLanguageModelV3 } from "ai-v6/test";
import { answerApprovals, approveTools, askGate } from "@countersign/client/ai-sdk";
import { z } from "zod";
import { outputText, scriptedModel } from "./drivers/ai_sdk_model.js";
import { decideCalls, openThread, shareStory } from "./support.js";
import { storyTools } from "./story.js";

const story = shareStory();
const DEPLOY = { id: "call_1", name: "deploy", args: { service: "shop" } };

function sdkTools({ tool }, runs) {
  const defined = Object.entries(storyTools(runs)).map(([name, { description, schema, execute }]) => [
    name, tool({ description, inputSchema: schema, execute }),
  ]);
  return Object.fromEntries(defined);
}

// Runs an agent of version 7 whose tools are not wrapped, and returns the messages that its model gets.
async function ask(thread, calls, options = {}) {
  const results = new Map();
  await v7.generateText({
    model: scriptedModel(MockLanguageModelV4, calls, results),
    tools: sdkTools(v7, thread.runs),
    stopWhen: v7.stepCountIs(3),
    prompt: "go",
    ...askGate(thread.gate, options),
  });
  return calls.map(({ id }) => outputText(results.get(id)));
}

test("askGate lets the policy allow and block", async () => {
  const thread = openThread(story, "policy");
  const [read, wipe] = await ask(thread, [
    { id: "call_1", name: "read_file", args: { path: "a.txt" } }, { id: "call_2", name: "wipe", args: {} },
  ]);
  assert.equal(read, "content of a.txt");
  assert.match(wipe, /wiping is forbidden/);
  const call = await thread.approver.get("call_1");
  assert.equal(call.state, "finished");
  assert.equal(call.result.content, "content of a.txt");
});

test("askGate waits for a person and records the result", async () => {
  const thread = openThread(story, "person");
  const decided = decideCalls(thread, 1, () => ({ decision: "allow_once" }));
  const [text] = await ask(thread, [DEPLOY]);
  await decided;
  assert.match(text, /deployed shop/);
  assert.equal((await thread.approver.get("call_1")).result.status, "success");
});

test("askGate gives the reason of a denial", async () => {
  const thread = openThread(story, "denial");
  const decided = decideCalls(thread, 1, () => ({ decision: "deny", comment: "not on Fridays" }));
  const [text] = await ask(thread, [DEPLOY]);
  await decided;
  assert.match(text, /not on Fridays/);
  assert.deepEqual(thread.readRuns(), []);
});

test("askGate does not run changed arguments and tells them", async () => {
  const thread = openThread(story, "edit");
  const decided = decideCalls(thread, 1, () => ({ decision: "allow_once", arguments: { service: "staging", replicas: 2 } }));
  const [text] = await ask(thread, [DEPLOY]);
  await decided;
  assert.match(text, /"service":"staging"/);
  assert.deepEqual(thread.readRuns(), []);
  assert.equal((await thread.approver.get("call_1")).state, "cancelled");
});

test("askGate records the error of a tool", async () => {
  const thread = openThread(story, "error");
  const decided = decideCalls(thread, 1, () => ({ decision: "allow_once" }));
  const [text] = await ask(thread, [{ id: "call_1", name: "fail", args: { reason: "quota" } }]);
  await decided;
  assert.match(text, /disk is full/);
  const { result } = await thread.approver.get("call_1");
  assert.equal(result.status, "error");
  assert.match(result.content, /disk is full/);
});

test("askGate does not run a call again", async () => {
  const thread = openThread(story, "again");
  const read = [{ id: "call_1", name: "read_file", args: { path: "a.txt" } }];
  await ask(thread, read);
  const [text] = await ask(thread, read);
  assert.match(text, /ran already/);
  assert.match(text, /content of a\.txt/);
  assert.equal(thread.readRuns().length, 1);
});

test("askGate renews the claim while the tool runs", async () => {
  const thread = openThread(story, "renewal");
  const execute = async () => {
    for await (const { type } of thread.approver.stream({ thread: thread.thread })) {
      if (type === "TOOL_EXECUTION_RENEWED") {
        return "renewed";
      }
    }
  };
  const results = new Map();
  await v7.generateText({
    model: scriptedModel(MockLanguageModelV4, [{ id: "call_1", name: "read_file", args: { path: "a" } }], results),
    tools: { read_file: v7.tool({ inputSchema: z.object({ path: z.string() }), execute }) },
    stopWhen: v7.stepCountIs(3),
    prompt: "go",
    ...askGate(thread.gate, { leaseSeconds: 3 }),
  });
  assert.equal(outputText(results.get("call_1")), "renewed");
});

test("askGate leaves wrapped tools to ask once", async () => {
  const thread = openThread(story, "wrapped");
  const results = new Map();
  const decided = decideCalls(thread, 1, () => ({ decision: "allow_once", arguments: { service: "staging", replicas: 2 } }));
  await v7.generateText({
    model: scriptedModel(MockLanguageModelV4, [DEPLOY], results),
    tools: approveTools(thread.gate, sdkTools(v7, thread.runs)),
    stopWhen: v7.stepCountIs(3),
    prompt: "go",
    ...askGate(thread.gate),
  });
  await decided;
  assert.match(outputText(results.get("call_1")), /deployed staging/);
});

test("askGate denies if the gate cannot be asked", async () => {
  const thread = openThread({ ...story, agentToken: "csgn_wrong" }, "gone");
  const { toolApproval } = askGate(thread.gate);
  const answer = await toolApproval({ toolCall: { toolCallId: "call_1", toolName: "deploy", input: {} }, tools: {} });
  assert.equal(answer.type, "denied");
  assert.match(answer.reason, /no decision/);
});

test("stream of a run has the result of an approved call", async () => {
  const thread = openThread(story, "stream");
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) => ({ stream: v7.simulateReadableStream({ chunks: streamParts(prompt) }) }),
  });
  const decided = decideCalls(thread, 1, () => ({ decision: "allow_once" }));
  const stream = v7.streamText({
    model, tools: approveTools(thread.gate, sdkTools(v7, thread.runs)), stopWhen: v7.stepCountIs(3), prompt: "go",
  });
  const outputs = [];
  for await (const part of stream.fullStream) {
    if (part.type === "tool-result") {
      outputs.push(part.output);
    }
  }
  await decided;
  assert.deepEqual(outputs, ["deployed shop with 1"]);
});

function streamParts(prompt) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const end = (unified) => ({ type: "finish", finishReason: { unified }, usage });
  return prompt.at(-1).role === "tool"
    ? [{ type: "stream-start", warnings: [] }, end("stop")]
    : [
      { type: "stream-start", warnings: [] },
      { type: "tool-call", toolCallId: DEPLOY.id, toolName: DEPLOY.name, input: JSON.stringify(DEPLOY.args) },
      end("tool-calls"),
    ];
}

const VERSIONS = [["7", v7, MockLanguageModelV4], ["6", v6, MockLanguageModelV3]];

for (const [version, sdk, Model] of VERSIONS) {
  // Plays both runs of a conversation: the first ends while the call waits.
  const play = async (thread, decision) => {
    const results = new Map();
    const settings = {
      model: scriptedModel(Model, [DEPLOY], results),
      tools: approveTools(thread.gate, sdkTools(sdk, thread.runs), { pause: true }),
      stopWhen: sdk.stepCountIs(3),
    };
    const messages = [{ role: "user", content: "go" }];
    const first = await sdk.generateText({ ...settings, messages });
    messages.push(...first.response.messages);
    assert.equal(results.size, 0);
    assert.equal(await answerApprovals(thread.gate, messages, { wait: false }), undefined);
    const { pending } = await thread.approver.pending({ thread: thread.thread });
    const [answer] = await Promise.all([
      answerApprovals(thread.gate, messages), thread.approver.decide(pending[0], ...decision),
    ]);
    messages.push(answer);
    await sdk.generateText({ ...settings, messages });
    return outputText(results.get("call_1"));
  };

  test(`paused run of version ${version} continues with edited arguments`, async () => {
    const thread = openThread(story, `${version}-pause`);
    const text = await play(thread, ["allow_once", { arguments: { service: "staging", replicas: 2 } }]);
    assert.match(text, /deployed staging with 2/);
    assert.equal(thread.readRuns().length, 1);
    assert.equal((await thread.approver.get("call_1")).state, "finished");
  });

  test(`paused run of version ${version} continues with a denial`, async () => {
    const thread = openThread(story, `${version}-pause-denied`);
    assert.match(await play(thread, ["deny", { comment: "not on Fridays" }]), /not on Fridays/);
    assert.deepEqual(thread.readRuns(), []);
  });
}
