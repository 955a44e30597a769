// The program on the first page of the documentation.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { useServer } from "./support/people.js";

const people = useServer();
const page = readFileSync(new URL("../../../docs/README.md", import.meta.url), "utf8");

for (const [decision, printed] of [["allow_once", /^deployed shop\n$/], ["deny", /Denied by user:ada: not today/]]) {
  test(`program of the first page runs after ${decision}`, async (t) => {
    const { server, thread, decideNext } = people(t);
    const [, program] = page.match(/^```js\n(.*?)^```/ms) ?? [];
    assert(program, "the page has no program in JavaScript");
    const decided = decideNext(decision, decision === "deny" ? { comment: "not today" } : {});
    const env = {
      PATH: process.env.PATH, COUNTERSIGN_SERVER: server.url, COUNTERSIGN_TOKEN: server.agent, COUNTERSIGN_THREAD: thread,
    };
    // In the folder of the package, so that the program imports it by its name.
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      env, cwd: new URL("..", import.meta.url),
    });
    const { stdout, stderr } = await run;
    await decided;
    assert.match(stdout, printed);
    assert.match(stderr, /^countersign: a call waits for a decision: http:\/\/countersign\.localhost:/);
  });
}
