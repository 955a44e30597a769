// An agent with one call: `waiting_agent.js [CALL_ID] [crash]`. With `crash`, it dies between its claim and its result. It also
// runs in Deno and Bun.
import { Gate, withApproval } from "@countersign/client";

const [callId, crash] = process.argv.slice(2);
const deploy = withApproval(new Gate(), "deploy", ({ service }) => {
  console.log(`ran ${service}`);
  if (crash) {
    process.kill(process.pid, "SIGKILL");
  }
  return service;
}, { callId: callId || undefined, leaseSeconds: crash ? 1 : undefined });

await deploy({ service: "shop" });
