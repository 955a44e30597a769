// A server whose tool asks the client's user to fill in a form.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "forms", version: "1" });
server.registerTool("book", { description: "Books a table", inputSchema: {} }, async () => {
  const properties = { day: { type: "string", enum: ["Mon", "Tue"] }, seats: { type: "integer", minimum: 1 } };
  const answer = await server.server.elicitInput({ message: "Which day?", requestedSchema: { type: "object", properties, required: ["day"] } });
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
});
await server.connect(new StdioServerTransport());
