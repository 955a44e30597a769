// The Claude Agent SDK example.
import { describe } from "node:test";
import { fileURLToPath } from "node:url";
import { testExample } from "../javascript/examples.js";

describe("claude-agent-sdk", () => {
  testExample(fileURLToPath(new URL(".", import.meta.url)), "claude-agent-sdk", "agent.js", /deployed shop/);
});
