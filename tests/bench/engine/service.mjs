// The workflow of one approval as the engine runs it: four durable steps. Each step is in the engine's log before the next
// one begins.

import * as restate from "@restatedev/restate-sdk";
import http2 from "node:http2";

// Node has this function from version 22; the SDK needs it.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

const approval = restate.workflow({
  name: "approval",
  handlers: {
    run: async (ctx, call) => {
      const proposed = await ctx.run("propose", () => ({ ...call, proposedAt: new Date().toISOString() }));
      const decision = await ctx.promise("decision");
      const claim = await ctx.run("claim", () => ({ executor: "worker", arguments: proposed.arguments }));
      return await ctx.run("record", () => ({ status: "success", content: "ok", decision, executor: claim.executor }));
    },
    // The approver decides while the workflow waits.
    decide: async (ctx, decision) => {
      await ctx.promise("decision").resolve(decision);
    },
  },
});

const server = http2.createServer(restate.createEndpointHandler({ services: [approval] }));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
