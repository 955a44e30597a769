// An MCP server whose tool asks the client's user to fill in a form. It needs no package.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const schema = { type: "object", properties: { day: { type: "string", enum: ["Mon", "Tue"] } }, required: ["day"] };
let asked;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "forms", version: "1" } } });
  else if (method === "tools/list") send({ id, result: { tools: [{ name: "book", description: "Books a table", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") {
    asked = id;
    send({ id: 1_000, method: "elicitation/create", params: { message: "Which day?", requestedSchema: schema } });
  } else if (id === 1_000) send({ id: asked, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
  else if (id !== undefined) send({ id, result: {} });
});
