// The samples on the pages that need only this package run against a server. tests/frameworks/javascript checks the types of all.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { readSamples } from "./support/page_samples.js";
import { useServer } from "./support/people.js";
import { requireTool } from "./support/tools.js";

const { transpileModule, ModuleKind, ScriptTarget } = requireTool("typescript");
const policy = '[[rule]]\nname = "samples"\ntool = "deploy"\nverdict = "allow"\n';
const people = useServer({ policy });
// Names in the reader's own program. A stream has no end, so the program ends with its first event.
const readerNames = `
const toolCall = { id: "call_of_the_model", arguments: { service: "bank" } };
const signal = undefined;
let savedCursor = "0";
const handle = () => process.exit(0);
`;

const samples = readSamples();
const pages = [...new Set(samples.map(({ page }) => page))].filter((name) =>
  samples.every(({ page, imports }) => page !== name || imports.every((module) => module === "@countersign/client")));

for (const page of pages) {
  test(`samples of ${page} run`, async (t) => {
    const { server, thread, approver } = people(t);
    const code = samples.filter((sample) => sample.page === page).map((sample) => sample.code).join("\n");
    const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
    const { outputText } = transpileModule(readerNames + withOneImport(code), { compilerOptions });
    const env = {
      PATH: process.env.PATH, COUNTERSIGN_SERVER: server.url, COUNTERSIGN_TOKEN: server.agent, COUNTERSIGN_THREAD: thread,
      APPROVER_TOKEN: server.approver,
    };
    // In the package folder, so that the program imports it by its name.
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", outputText], { env, cwd: new URL("..", import.meta.url) });
    const { calls } = await approver.calls({ thread });
    const states = new Set(calls.map(({ state }) => state));
    assert(states.has("finished") && [...states].every((state) => ["allowed", "finished"].includes(state)), [...states].join());
  });
}

test("pages have samples", () => {
  for (const page of ["README.md", "docs/README.md", "docs/guides/typescript.md", "clients/typescript/README.md"]) {
    assert(pages.includes(page), page);
  }
});

// A page may import a name in more than one sample, and a program only once.
function withOneImport(code) {
  const names = new Set();
  const rest = code.replace(/^import \{ ([^}]*) \} from "@countersign\/client";.*$/gm, (_, list) => {
    list.split(", ").forEach((name) => names.add(name));
    return "";
  });
  return `import { ${[...names].join(", ")} } from "@countersign/client";\n${rest}`;
}
