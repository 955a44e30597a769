// A client of MCP whose tool calls ask before they run.
import { randomUUID } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Gate } from "@countersign/client";
import { approveClient } from "@countersign/client/mcp";

const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN

const client = approveClient(gate, new Client({ name: "builder", version: "1.0.0" }));
await client.connect(new StdioClientTransport({ command: process.execPath, args: ["server.js"] }));
await client.listTools(); // Approvers see the descriptions, and edits must fit the schemas.

// The call that a model would make, with the id that it would choose.
const call = { id: `call_${randomUUID()}`, name: "deploy", input: { service: "shop" } };

const result = await client.callTool({
  name: call.name,
  arguments: call.input,
  _meta: { "countersign/callId": call.id },
});
console.log(`The tool answered: ${result.content[0].text}`);
await client.close();
