// A server with the story policy, an agent gate and an approver gate, and an approver who decides by a script.
import { readFileSync, existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { Gate } from "@countersign/client";
import { createToken, newLog, runCommand, startServer, verifyLog } from "../../browser/support/server.js";
import { POLICY } from "./story.js";

// Starts a server for all tests of this file or suite. At their end, its log must be consistent.
export function shareStory(policy = POLICY) {
  const story = {};
  const ends = [];
  before(async () => {
    const log = await newLog({ after: (end) => ends.push(end) });
    await runCommand(log, "migrate");
    await writeFile(join(log.folder, "policy.toml"), policy);
    await runCommand(log, "policy", "apply", "--yes", join(log.folder, "policy.toml"));
    const { secret: agentToken } = await createToken(log, "builder", "agent");
    const { secret: approverToken } = await createToken(log, "ada", "approver");
    const { url } = await startServer(log);
    Object.assign(story, { log, url, agentToken, approverToken });
  });
  after(async () => {
    await verifyLog(story.log);
    await Promise.all(ends.map((end) => end()));
  });
  return story;
}

// The gates for one thread, and the file that the tools write.
export function openThread({ url, agentToken, approverToken, log }, thread) {
  const runs = join(log.folder, `${thread}.runs`);
  return {
    thread,
    runs,
    gate: new Gate({ server: url, token: agentToken, thread, place: { program: "story" } }),
    approver: new Gate({ server: url, token: approverToken, thread }),
    readRuns: () => (existsSync(runs) ? readFileSync(runs, "utf8").trim().split("\n").map((line) => JSON.parse(line)) : []),
  };
}

// The requests in a thread, or in all threads if none is given; the oldest first.
export async function* requests({ approver, thread }) {
  for await (const event of approver.stream({ thread, giveUpAfterMs: Infinity })) {
    if (event.type === "TOOL_APPROVAL_REQUEST") {
      yield event;
    }
  }
}

// Decides the calls in a thread as they are asked, and ends after `count` of them. `answer` returns the decision for a
// call.
export async function decideCalls(thread, count, answer) {
  let decided = 0;
  for await (const event of requests(thread)) {
    const call = await thread.approver.get(event.data.toolCallId, { thread: event.threadId });
    if (call.state !== "pending") {
      continue;
    }
    const { decision, ...options } = await answer(call);
    await thread.approver.decide(call, decision, options);
    decided += 1;
    if (decided === count) {
      return;
    }
  }
}
