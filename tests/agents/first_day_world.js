// A first day: an empty home, a fresh log, a started service, a small project in Git, and a person who answers over the API.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { startModel } from "./models.js";

const run = promisify(execFile);
const COUNTERSIGN = process.env.COUNTERSIGN;

const FILES = {
  "package.json": JSON.stringify({
    name: "shop",
    version: "1.0.0",
    private: true,
    type: "module",
    scripts: { test: "node --test", lint: "node --check src/cart.js", build: "node scripts/build.js" },
  }),
  ".gitignore": "dist\nnode_modules\n",
  "README.md": "# Shop\n\nAdds up carts.\n",
  "src/cart.js": "export function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 1);\n}\n",
  "src/index.js": 'export { total } from "./cart.js";\n',
  "test/cart.test.js":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { total } from "../src/index.js";\n\ntest("total", () => assert.equal(total([{ price: 2 }, { price: 3 }]), 5));\n',
  "scripts/build.js": 'import fs from "node:fs";\n\nfs.mkdirSync("dist", { recursive: true });\nfs.cpSync("src", "dist", { recursive: true });\n',
  "vendor/colours/package.json": JSON.stringify({ name: "colours", version: "2.0.0", type: "module" }),
};

/// The project, with one commit and a bare repository to push to.
async function createProject(home, env) {
  const project = path.join(home, "shop");
  for (const [file, text] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    fs.writeFileSync(path.join(project, file), text);
  }
  const git = (...words) => run("git", words, { cwd: project, env });
  await run("git", ["init", "-q", "--bare", path.join(home, "origin.git")], { env });
  for (const [key, value] of [["user.name", "Ada"], ["user.email", "ada@example.com"], ["init.defaultBranch", "main"]]) {
    await git("config", "--global", key, value);
  }
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-q", "-m", "Begin");
  await git("remote", "add", "origin", path.join(home, "origin.git"));
  return project;
}

/// A program in the place of Countersign that writes down how long each hook takes.
function addTimer(home, config) {
  const times = path.join(home, "hook-times");
  const script = path.join(home, "timed-countersign");
  const text = `#!/bin/bash\nbegan=$EPOCHREALTIME\n"${COUNTERSIGN}" "$@"\ncode=$?\necho "$began $EPOCHREALTIME" >> "${times}"\nexit $code\n`;
  fs.writeFileSync(script, text, { mode: 0o700 });
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replaceAll(COUNTERSIGN, script));
  fs.writeFileSync(times, "");
  const read = () => fs.readFileSync(times, "utf8").trim().split("\n").filter(Boolean).map((line) => line.split(" ").map(Number));
  return { read, clear: () => fs.writeFileSync(times, "") };
}

/// Installs the hooks as a newcomer does, with `agent.installWords`, and starts the service.
export async function startFirstDay(t, agent) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "first-day-"));
  const env = { PATH: process.env.PATH, HOME: home };
  const project = await createProject(home, env);
  const model = await startModel([]);
  agent.prepare(home, model.url, project);
  const countersign = async (...words) => (await run(COUNTERSIGN, words, { env, cwd: project })).stdout;
  const installed = await countersign("install", agent.name, "--yes");
  assert.match(installed, /The policy is now the profile coding/);
  const { address } = JSON.parse(await countersign("up", "--listen", "127.0.0.1:0", "--json"));
  const { secret: token } = JSON.parse(await countersign("token", "create", "--name", "ada", "--role", "approver", "--json"));
  const timer = addTimer(home, path.join(home, agent.config));
  t.after(async () => {
    model.stop();
    await countersign("down");
    fs.rmSync(home, { recursive: true, force: true });
  });
  const call = async (where, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${address}${where}`, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
    assert.ok(response.ok, `${where}: ${response.status} ${await response.clone().text()}`);
    return response.json();
  };
  return { home, project, model, agent, env, call, timer };
}

/// Answers what is asked until the agent ends: the first answer of the task whose pattern is in the call's arguments.
async function answerRequests(day, answers, hasEnded) {
  while (!hasEnded()) {
    const { pending } = await day.call("/v1/approvals/pending");
    for (const { id, threadId, name, arguments: given } of pending) {
      const found = answers.find(({ about }) => JSON.stringify({ name, ...given }).includes(about));
      const answer = found?.answer ?? { decision: "deny", comment: "nobody expects this question" };
      await day.call(`/v1/threads/${encodeURIComponent(threadId)}/approvals/${encodeURIComponent(id)}`, answer);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/// Runs the agent on one task from start to end.
function runAgent(day, task) {
  const [program, ...words] = day.agent.command(task);
  const env = { ...day.env, ...day.agent.env(day.model.url) };
  const child = spawn(program, words, { cwd: day.project, env, stdio: [task.keys ? "pipe" : "ignore", "pipe", "pipe"] });
  let output = "";
  const read = (chunk) => {
    output += chunk;
    task.keys?.({ output, press: (keys) => child.stdin.write(keys), end: () => child.kill("SIGKILL"), results: day.model.results });
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}

/// All pages of a list.
async function readAll(day, where, member) {
  const all = [];
  for (let next = ""; next !== null; ) {
    const page = await day.call(`${where}${where.includes("?") ? "&" : "?"}limit=500${next && `&after=${encodeURIComponent(next)}`}`);
    all.push(...page[member]);
    next = page.next ?? null;
  }
  return all;
}

/// Plays one task, and returns what the log says about it.
export async function playTask(day, task) {
  day.timer.clear();
  day.model.play(task.steps);
  const before = new Set((await readAll(day, "/v1/tool-calls", "calls")).map(({ threadId }) => threadId));
  let ended = false;
  const agent = runAgent(day, task).finally(() => (ended = true));
  const [output] = await Promise.all([agent, answerRequests(day, task.answers ?? [], () => ended)]);
  const calls = (await readAll(day, "/v1/tool-calls", "calls")).filter(({ threadId }) => !before.has(threadId)).reverse();
  const asked = calls.filter(({ request }) => request);
  const times = day.timer.read();
  return {
    output,
    results: [...day.model.results],
    calls,
    asked,
    blocked: calls.filter(({ response, request }) => response?.decision === "deny" && !request),
    hookSeconds: times.reduce((sum, [began, end]) => sum + end - began, 0),
    hooks: times.length,
  };
}
