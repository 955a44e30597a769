// A client of MCP, connected to a server in this process. The model of its host is this script.
import { approveClient } from "@countersign/client/mcp";

function toolServer(McpServer, tools, inputSchema) {
  const server = new McpServer({ name: "tools", version: "1.0.0" });
  for (const [name, { description, schema, execute }] of Object.entries(tools)) {
    server.registerTool(name, { description, inputSchema: inputSchema(schema) }, async (args) => ({
      content: [{ type: "text", text: await execute(args) }],
    }));
  }
  return server;
}

// `callOptions` returns the parameters of `callTool` after the first one.
export function mcpDriver({ Client, McpServer, InMemoryTransport, inputSchema, callOptions }) {
  return {
    errorsEndTheRun: true,
    leavesInputToServer: true,
    async run({ gate, calls, tools, options, signal }) {
      const [here, there] = InMemoryTransport.createLinkedPair();
      await toolServer(McpServer, tools, inputSchema).connect(there);
      const client = new Client({ name: "builder", version: "1.0.0" });
      await client.connect(here);
      const approved = approveClient(gate, client, options);
      await approved.listTools();
      const results = await Promise.all(calls.map(async ({ id, name, args }) => {
        const params = { name, arguments: args, _meta: { "countersign/callId": id } };
        const result = await approved.callTool(params, ...callOptions(signal));
        return [id, result.content.map((part) => part.text).join("\n")];
      }));
      await client.close();
      return new Map(results);
    },
  };
}
