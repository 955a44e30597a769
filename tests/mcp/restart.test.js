// A server that crashes behind the gateway: it is started again, and the log says at once what is not known.
import { test } from "node:test";
import { join } from "node:path";
import assert from "node:assert/strict";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { callAndDecide, entry, startLog, textOf } from "./support.js";

const asking = 'default = "ask"\n[trust]\ntools = "*"\n';
const server = (log) => [process.execPath, join(import.meta.dirname, "crashing_server.js"), join(log.folder, "marker")];
const call = (client, name) => client.callTool({ name, arguments: {} });

// The ways to put the gateway before the server: alone, and as one of a configuration.
const ways = {
  alone: async (t, log) => ({ ...(await log.connect(t, server(log), { gateway: ["--trust-hints", "--name", "s"] })), prefix: "" }),
  configured: async (t, log) => {
    const file = await log.config({ s: entry(server(log)) });
    return { ...(await log.gateway(t, ["--trust-hints", "--config", file])), prefix: "s__" };
  },
};

for (const [way, connect] of Object.entries(ways)) {
  test(`server that crashes is started again: ${way}`, async (t) => {
    const log = await startLog(t, asking);
    const { client, prefix } = await connect(t, log);
    const allowed = (name) => callAndDecide(client, `${prefix}${name}`, {}, (id) => log.command("allow", id));
    const changed = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
    const before = textOf(await allowed("pid"));
    await assert.rejects(allowed("crash"), /ended while it ran this call/);
    await changed;
    assert.notEqual(textOf(await allowed("pid")), before, "another process");

    const crashed = (await log.calls()).find(({ name }) => name === "s__crash");
    assert.equal(crashed.state, "unknown", "at once, and not when the lease ends");
    const again = await call(client, `${prefix}crash`);
    assert.equal(again.isError, true, "it is not run twice");
    assert.match(textOf(again), /release/);

    await assert.rejects(allowed("read"), /ended while it ran this call/);
    assert.match(textOf(await call(client, `${prefix}read`)), /^\d+$/, "a tool that only reads may run again");
    const read = (await log.calls()).filter(({ name }) => name === "s__read");
    assert.deepEqual(read.map(({ state }) => state), ["finished"]);
    await log.command("verify");
  });
}
