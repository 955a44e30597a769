// A server whose tools end its process: `crash` always, and `read`, which only reads, when the file that the first
// argument names is missing.
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const marker = process.argv[2];
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = (name, annotations) => ({ name, inputSchema: { type: "object" }, annotations });
const tools = [tool("crash", { destructiveHint: false }), tool("read", { readOnlyHint: true }), tool("pid", { readOnlyHint: true })];
const isMarked = () => {
  const marked = existsSync(marker);
  writeFileSync(marker, "");
  return marked;
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "crashing", version: "1" };
    write({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo } });
  } else if (method === "tools/list") {
    write({ id, result: { tools } });
  } else if (method === "tools/call") {
    if (params.name === "crash" || (params.name === "read" && !isMarked())) process.exit(3);
    write({ id, result: { content: [{ type: "text", text: String(process.pid) }] } });
  }
}
