import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { mcpDriver } from "./mcp_client.js";

export default mcpDriver({
  Client, McpServer, InMemoryTransport,
  inputSchema: (schema) => schema.shape,
  callOptions: (signal) => [undefined, { signal }],
});
