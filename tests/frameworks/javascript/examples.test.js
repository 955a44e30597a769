// The examples that need no large package.
import { describe } from "node:test";
import { fileURLToPath } from "node:url";
import { testExample } from "./examples.js";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const EXAMPLES = {
  "ai-sdk": "agent.js", langchain: "agent.js", mastra: "agent.js", "mcp-client": "client.js", "openai-agents": "agent.js",
};

for (const [name, file] of Object.entries(EXAMPLES)) {
  describe(name, () => testExample(FOLDER, name, file, /deployed shop/));
}
