// What Claude Code asks its user is answered in the inbox: with a terminal beside its own dialog, and without one at once.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startModel } from "./models.js";
import { findProgram } from "./programs.js";

const run = promisify(execFile);
const COUNTERSIGN = process.env.COUNTERSIGN;
const claude = findProgram("@anthropic-ai", "claude");
const ASKS = { questions: [{ question: "Which database?", header: "DB", multiSelect: false, options: [{ label: "SQLite", description: "one file" }, { label: "PostgreSQL", description: "a server" }] }] };

/// A log with the shipped policy, the installed hooks, and a model that makes this call.
async function prepare(t, call, hookOptions = "", decide = "--decide unless-asked") {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "questions-"));
  const project = path.join(home, "project");
  fs.mkdirSync(project);
  const model = await startModel([call]);
  t.after(() => model.stop());
  const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color", ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const countersign = async (...words) => {
    const { stdout } = await run(COUNTERSIGN, ["--database", path.join(home, "log.db"), ...words], { env: { PATH: env.PATH, HOME: home }, cwd: project });
    return stdout;
  };
  await countersign("migrate");
  await countersign("install", "claude-code", "--yes");
  const settings = path.join(home, ".claude/settings.json");
  fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replaceAll("hook claude-code", `hook claude-code ${hookOptions}`).replaceAll("--decide unless-asked", decide));
  const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const state = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: { approved: ["none"], rejected: [] }, projects };
  fs.writeFileSync(path.join(home, ".claude.json"), JSON.stringify(state));
  return { home, project, model, env, countersign };
}

/// Claude Code in a terminal, which stays open until the test ends.
function startInTerminal(t, { project, env }, words) {
  const child = spawn("script", ["-qec", [claude, ...words].join(" "), "/dev/null"], { env, cwd: project, stdio: ["pipe", "pipe", "ignore"] });
  child.stdout.resume();
  t.after(() => child.kill("SIGKILL"));
}

/// Claude Code without a terminal.
function runWithout({ project, env }, words) {
  const child = spawn(claude, ["-p", "go", ...words], { env, cwd: project, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.on("close", resolve));
}

async function waitForPending(countersign) {
  for (;;) {
    const { pending } = JSON.parse(await countersign("--json", "pending"));
    if (pending.length > 0) return pending[0];
  }
}

async function waitForResult(model) {
  while (model.results.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return model.results.join("\n");
}

test("claude-code in a terminal takes the answer of the inbox", { timeout: 60_000 }, async (t) => {
  const desk = await prepare(t, { id: "toolu_01A", name: "AskUserQuestion", input: ASKS }, "--questions-after 0s");
  startInTerminal(t, desk, ["go"]);
  const { id } = await waitForPending(desk.countersign);
  assert.equal(id, "toolu_01A.asked");
  await desk.countersign("allow", id, "--answer", "2", "--yes", "--as", "user:ada");
  assert.match(await waitForResult(desk.model), /PostgreSQL/);
});

test("claude-code in a terminal takes the inbox's answer to its permission prompt", { timeout: 60_000 }, async (t) => {
  const desk = await prepare(t, { id: "toolu_01B", name: "Bash", input: { command: "touch ran.txt", description: "x" } }, "", "--decide none");
  fs.writeFileSync(path.join(desk.home, "policy.toml"), '[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n');
  await desk.countersign("policy", "apply", path.join(desk.home, "policy.toml"), "--yes", "--as", "user:ada");
  startInTerminal(t, desk, ["go", "--permission-mode", "default"]);
  const { id } = await waitForPending(desk.countersign);
  await desk.countersign("allow", id, "--as", "user:ada");
  await waitForResult(desk.model);
  assert.ok(fs.existsSync(path.join(desk.project, "ran.txt")));
});

test("claude-code without a terminal takes the answer to a server's form", { timeout: 60_000 }, async (t) => {
  const desk = await prepare(t, { id: "toolu_01M", name: "mcp__forms__book", input: {} }, "", "--decide allow");
  fs.writeFileSync(path.join(desk.home, "policy.toml"), '[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n');
  await desk.countersign("policy", "apply", path.join(desk.home, "policy.toml"), "--yes", "--as", "user:ada");
  const server = { command: process.execPath, args: [path.join(import.meta.dirname, "forms_server.js")] };
  const config = path.join(desk.home, "servers.json");
  fs.writeFileSync(config, JSON.stringify({ mcpServers: { forms: server } }));
  const ended = runWithout(desk, ["--mcp-config", config]);
  const { id, name } = await waitForPending(desk.countersign);
  assert.equal(name, "elicitation");
  await desk.countersign("allow", id, "--answer", "Tue", "--yes", "--as", "user:ada");
  await ended;
  assert.match(desk.model.results.join("\n"), /accept.*Tue/);
});
