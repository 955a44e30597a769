// Each wrapper loads its own framework at most, so that its users need no other one.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = new URL("./node_modules/@countersign/client/dist/frameworks/", import.meta.url);
const ALLOWED = { "langchain.js": ["@langchain/core/messages", "@langchain/core/utils/json_schema"] };

test("wrapper imports only its own framework", () => {
  const files = readdirSync(FOLDER);
  assert.ok(files.includes("mastra.js"));
  for (const file of files) {
    const text = readFileSync(new URL(file, FOLDER), "utf8");
    const imported = [...text.matchAll(/(?:from|import)\s*\(?"([^."][^"]*)"/g)].map(([, name]) => name).sort();
    assert.deepEqual(imported, file.endsWith(".d.ts") ? [] : (ALLOWED[file] ?? []), file);
  }
});

test("wrapper is exported under the name of its package", async () => {
  const { exports: exported } = JSON.parse(readFileSync(new URL("./node_modules/@countersign/client/package.json", import.meta.url)));
  const names = Object.keys(exported).filter((name) => name !== "." && !name.endsWith(".json"));
  assert.deepEqual(names.sort(), ["./ai-sdk", "./claude-agent-sdk", "./langchain", "./mastra", "./mcp", "./openai-agents"]);
  for (const name of names) {
    assert.ok(Object.keys(await import(`@countersign/client${name.slice(1)}`)).length > 0, name);
  }
});
