// The Python SDK client gets the same through the gateway as without it.
import { test } from "node:test";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import assert from "node:assert/strict";
import { removeFormTool, removeOwnMetadata, servers, startLog } from "./support.js";

test("Python client gets the same with and without the gateway", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const client = async (words) => {
    const script = [join(import.meta.dirname, "client.py"), ...words];
    const { stdout } = await promisify(execFile)(process.env.COUNTERSIGN_PYTHON, script, { env: log.env, maxBuffer: 1 << 26 });
    const results = JSON.parse(stdout);
    results.forEach(removeOwnMetadata);
    return results;
  };
  const direct = await client(servers.everything());
  const gated = await client([process.env.COUNTERSIGN_PROGRAM, ...log.database, "mcp", "--", ...servers.everything()]);
  assert.notDeepEqual(gated, direct);
  assert.deepEqual(removeFormTool(gated), direct);
  assert.equal(gated.length, 10);
  assert.equal((await log.calls()).length, 4);
});
