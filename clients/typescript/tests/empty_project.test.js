// The first sample of each page, saved and started as the page says, in an empty project: no module type, and the package from its
// tarball.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { after, before, test } from "node:test";
import { readSamples } from "./support/page_samples.js";
import { useServer } from "./support/people.js";
import { findRuntime } from "./support/tools.js";

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const people = useServer({ policy: '[[rule]]\nname = "samples"\ntool = "deploy"\nverdict = "allow"\n' });
const folder = mkdtempSync(join(tmpdir(), "countersign-empty-"));
const project = join(folder, "project");
const samples = readSamples();
const [major, minor] = process.versions.node.split(".").map(Number);

// The commands that the pages print, and whether this machine has the program.
const commands = {
  "node deploy.mjs": { words: [process.execPath, "deploy.mjs"], isHere: true },
  "node deploy.mts": { words: [process.execPath, "deploy.mts"], isHere: major > 22 || (major === 22 && minor >= 18) },
  "bun deploy.mts": { words: [findRuntime("bun"), "deploy.mts"], isHere: true },
  "deno run --allow-all deploy.mts": { words: [findRuntime("deno"), "run", "--allow-all", "deploy.mts"], isHere: true },
};
const pages = ["README.md", "docs/README.md", "docs/guides/typescript.md", "clients/typescript/README.md"];

before(async () => {
  mkdirSync(project);
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier"];
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, ...quiet], { cwd: packageFolder });
  await run("npm", ["init", "--yes", ...quiet], { cwd: project });
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  await run("npm", ["install", ...quiet, join(folder, tarball)], { cwd: project });
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const page of pages) {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
  const printed = Object.entries(commands).filter(([command]) => text.includes(command));
  test(`${page} says how to start its first sample`, () => assert.ok(printed.length > 0));
  for (const [command, { words: [program, ...words], isHere }] of printed) {
    const skip = isHere ? false : `Node ${process.versions.node} does not read TypeScript`;
    test(`${page}: ${command}`, { skip }, async (t) => {
      const { server, thread, approver } = people(t);
      writeFileSync(join(project, words.at(-1)), samples.find((sample) => sample.page === page).code);
      const env = {
        PATH: process.env.PATH, HOME: folder, COUNTERSIGN_SERVER: server.url, COUNTERSIGN_TOKEN: server.agent, COUNTERSIGN_THREAD: thread,
      };
      await run(program, words, { cwd: project, env });
      const { calls } = await approver.calls({ thread });
      assert.deepEqual(calls.map(({ name, state }) => [name, state]), [["deploy", "finished"]]);
    });
  }
}
