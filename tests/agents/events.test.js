// Every hook event of the installed agents is one that Countersign knows: it is installed, or a reason says why it is harmless.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { readEvents } from "./events.js";

const KNOWN = path.join(import.meta.dirname, "../fixtures/agent_events.json");
const found = readEvents(path.join(process.env.AGENT_TESTS_FOLDER, "node_modules"));

// A Rust test requires that the file of each agent says something about each of these events, and about no other.
if (process.env.ACCEPT_EVENTS) fs.writeFileSync(KNOWN, `${JSON.stringify(found, null, 1)}\n`);
const known = JSON.parse(fs.readFileSync(KNOWN, "utf8"));

for (const agent of Object.keys(known)) {
  test(`${agent} has no unknown hook event`, () => {
    assert.ok(found[agent].length > 3, `the list is read: ${found[agent]}`);
    assert.deepEqual(found[agent], known[agent]);
  });
}
