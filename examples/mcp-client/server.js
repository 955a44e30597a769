// A server of MCP with one tool.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "deployments", version: "1.0.0" });

server.registerTool(
  "deploy",
  { description: "Deploys a service.", inputSchema: { service: z.string() } },
  async ({ service }) => ({ content: [{ type: "text", text: `deployed ${service}` }] }),
);

await server.connect(new StdioServerTransport());
