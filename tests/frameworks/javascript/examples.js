// Runs the examples as a user does: from a folder with their packages, each in its own process.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { decideCalls, openThread, shareStory } from "./support.js";

const EXAMPLES = fileURLToPath(new URL("../../../examples/", import.meta.url));

// Tests the example `name`, whose packages are installed in `folder`. `outcome` is what its tool answers.
export function testExample(folder, name, file, outcome) {
  const story = shareStory();

  // Some frameworks use their own thread, so the approver watches all threads.
  test(`example ${name} runs an allowed call`, async (t) => {
    const thread = openThread(story, `${name}-allowed`);
    const decided = decideCalls({ ...thread, thread: undefined }, 1, () => ({ decision: "allow_once" }));
    const output = await runExample(t, { folder, name, file, story, thread });
    await decided;
    assert.match(output, /^The tool answered: /m);
    assert.match(output, outcome);
  });

  test(`example ${name} gives a denial to its model`, async (t) => {
    const thread = openThread(story, `${name}-denied`);
    const decided = decideCalls({ ...thread, thread: undefined }, 1, () => ({ decision: "deny", comment: "not on Fridays" }));
    const output = await runExample(t, { folder, name, file, story, thread });
    await decided;
    assert.match(output, /^The tool answered: .*not on Fridays/m);
    assert.doesNotMatch(output, outcome);
  });

  test(`example ${name} names the packages that are tested`, async () => {
    const wanted = JSON.parse(await readFile(join(EXAMPLES, name, "package.json"), "utf8")).dependencies;
    const tested = JSON.parse(await readFile(join(folder, "package.json"), "utf8")).dependencies;
    for (const [dependency, range] of Object.entries(wanted)) {
      const isTested = dependency === "@countersign/client" || range.split(".")[0] === `^${tested[dependency].split(".")[0]}`;
      assert.ok(isTested, `${name} needs ${dependency} ${range}, and the tests have ${tested[dependency]}`);
    }
  });
}

// Node finds packages for a file in the folders above it.
async function runExample(t, { folder, name, file, story, thread }) {
  const copy = join(folder, "node_modules", ".examples", thread.thread);
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  await cp(join(EXAMPLES, name), copy, { recursive: true });
  t.after(() => rm(copy, { recursive: true, force: true }));
  const env = {
    PATH: process.env.PATH, HOME: story.log.folder, COUNTERSIGN_SERVER: story.url, COUNTERSIGN_TOKEN: story.agentToken,
    COUNTERSIGN_THREAD: thread.thread, MASTRA_TELEMETRY_DISABLED: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const child = spawn(process.execPath, [file], { cwd: copy, env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0, output);
  return output;
}
