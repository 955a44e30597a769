// Types in TypeScript samples on the pages, with the frameworks themselves. Each is checked alone, so each imports what it
// uses. clients/typescript/tests/pages.test.js runs those that need no framework.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { readSamples } from "../../../clients/typescript/tests/support/page_samples.js";

const here = new URL(".", import.meta.url).pathname;
const folder = mkdtempSync(join(here, "types", "samples-"));
after(() => rmSync(folder, { recursive: true, force: true }));
// Names in the reader's own program.
const readerNames = [
  "answers", "block", "call", "client", "deploy", "description", "execute", "gate", "handle", "input", "inputSchema", "instructions", "messages",
  "model", "parameters", "process", "readLog", "signal", "toolCall", "tools",
];

// A package whose wrapper has tests of its own, in tests/frameworks/claude-agent-sdk.
const isInstalled = (name) => existsSync(join(here, "node_modules", ...name.split("/").slice(0, name.startsWith("@") ? 2 : 1)));

test("samples of the pages have correct types", async () => {
  const samples = readSamples().filter(({ imports }) => imports.every(isInstalled));
  assert(samples.length >= 15, `${samples.length} samples`);
  writeFileSync(join(folder, "reader.d.ts"), `declare let savedCursor: any;\n${readerNames.map((name) => `declare const ${name}: any;\n`).join("")}`);
  for (const { page, line, code } of samples) {
    writeFileSync(join(folder, `${page.replaceAll("/", "_")}_${line}.ts`), `${code}\nexport {};\n`);
  }
  // The samples show no strict types of their own, such as those of parameters.
  const compilerOptions = { noImplicitAny: false, noUnusedLocals: false };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../tsconfig.json", compilerOptions, include: ["*.ts"] }));
  await promisify(execFile)("npx", ["--no-install", "tsc", "-p", folder], { cwd: here }).catch(({ stdout }) => assert.fail(stdout));
});
