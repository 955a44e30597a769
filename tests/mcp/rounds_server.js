// A server for protocol 2026-07-28, and for 2025 with clients that start with `initialize`. Its tool `greet` asks the
// client for a name before it answers.
import { McpServer, acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const nameSchema = z.object({ name: z.string() });

serveStdio(() => {
  const server = new McpServer({ name: "rounds", version: "1" });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) =>
    ({ content: [{ type: "text", text: `Echo: ${text}` }] }));
  server.registerTool("greet", { inputSchema: z.object({ greeting: z.string() }) }, ({ greeting }, context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "name", nameSchema);
    if (!given) {
      const question = inputRequired.elicit({ message: "Whom?", requestedSchema: nameSchema });
      return inputRequired({ inputRequests: { name: question }, requestState: `asked for ${greeting}` });
    }
    const state = context.mcpReq.requestState();
    return { content: [{ type: "text", text: `${greeting}, ${given.name} (${state})` }] };
  });
  return server;
});
