import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { mcpDriver } from "./mcp_client.js";

export default mcpDriver({
  Client, McpServer, InMemoryTransport,
  inputSchema: (schema) => schema,
  callOptions: (signal) => [{ signal }],
});
