// The installed hooks stop the real agents' calls, or let them run, and record their results.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { startModel } from "./models.js";
import { moreAgents } from "./more_agents.js";
import { MODULES, findProgram } from "./programs.js";

const COUNTERSIGN = process.env.COUNTERSIGN;
const ALLOW = '[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n';
const BLOCK = 'default = "block"\n';

const AGENTS = {
  "claude-code": {
    config: ".claude/settings.json",
    command: (words = ["--allowedTools", "Bash"]) => [findProgram("@anthropic-ai", "claude"), "-p", "go", ...words],
    env: (model) => ({ IS_SANDBOX: "1", ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }),
    prepare: () => {},
    runsGarbled: true,
    runsKilled: false,
  },
  codex: {
    config: ".codex/config.toml",
    command: () => [findProgram("@openai", "codex"), "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "--dangerously-bypass-hook-trust", "go"],
    env: () => ({ KEY: "none" }),
    prepare: (home, model) => {
      fs.mkdirSync(path.join(home, ".codex"));
      const provider = `name = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n`;
      fs.writeFileSync(path.join(home, ".codex/config.toml"), `model = "m"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\n${provider}`);
    },
    runsGarbled: true,
    runsKilled: true,
  },
  ...moreAgents(MODULES),
};

function run([program, ...args], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/// Installs the hooks with this policy, changes the configuration with `change`, and lets the agent run one command.
async function play(name, policy, change = (text) => text, words = undefined, calls = undefined) {
  const agent = AGENTS[name];
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "agents-"));
  const project = path.join(home, "project");
  fs.mkdirSync(project);
  const model = await startModel(calls?.(home));
  try {
    return await playWith(name, { agent, home, project, model }, policy, change, words);
  } finally {
    model.stop();
  }
}

async function playWith(name, { agent, home, project, model }, policy, change, words) {
  const env = { PATH: process.env.PATH, HOME: home };
  const countersign = async (...args) => {
    const done = await run([COUNTERSIGN, "--database", path.join(home, "log.db"), ...args], { env, cwd: project });
    assert.equal(done.code, 0, done.output);
    return done.output;
  };
  fs.writeFileSync(path.join(home, "policy.toml"), policy);
  agent.prepare(home, model.url);
  // The first command makes the log. The default policy asks about it, and no person answers.
  await run([COUNTERSIGN, "--database", path.join(home, "log.db"), "run", "--expires", "1s", "--", "true"], { env, cwd: project });
  await countersign("policy", "apply", path.join(home, "policy.toml"), "--yes", "--as", "user:ada");
  await countersign("install", name, "--yes");
  const config = path.join(home, agent.config);
  fs.writeFileSync(config, change(fs.readFileSync(config, "utf8"), home));
  const { output } = await run(agent.command(words), { env: { ...env, ...agent.env(model.url) }, cwd: project });
  const log = await countersign("log", "--json");
  const files = fs.readdirSync(project);
  return { files, ran: fs.existsSync(path.join(project, "ran.txt")), results: model.results.join("\n"), log, output };
}

function killedProgram(text, home) {
  const script = path.join(home, "killed");
  fs.writeFileSync(script, "#!/bin/sh\nkill -KILL $$\n", { mode: 0o700 });
  return text.replaceAll(COUNTERSIGN, script);
}

for (const name of Object.keys(AGENTS)) {
  test(`${name} runs an allowed call, and its result is recorded`, async () => {
    const played = await play(name, ALLOW);
    assert.ok(played.ran, played.output);
    assert.match(played.log, /"TOOL_RESULT"/);
    assert.match(played.log, /"status":"success"/);
  });

  test(`${name} does not run a blocked call, and the model is told`, async () => {
    const played = await play(name, BLOCK);
    assert.ok(!played.ran, played.output);
    // Cline ends the turn instead of telling the model.
    if (!AGENTS[name].endsAfterDenial) assert.match(played.results, /Blocked by policy/);
  });

  for (const [failure, change] of [
    ["a missing server", (text) => text.replaceAll(/--database \S+/g, "--server http://127.0.0.1:1")],
    ["a killed hook", killedProgram],
    ["a missing program", (text) => text.replaceAll(COUNTERSIGN, "/nonexistent/countersign")],
    ["a full disk", (text) => text.replaceAll(COUNTERSIGN, `ulimit -f 0; ${COUNTERSIGN}`)],
  ]) {
    test(`${name} does not run a call with ${failure}`, async () => {
      const played = await play(name, ALLOW, change);
      assert.ok(!played.ran, played.output);
    });
  }
}

/// A hook that does not end by itself, with a short time-out of the agent.
function frozenProgram(text, home) {
  const script = path.join(home, "frozen");
  fs.writeFileSync(script, "#!/bin/sh\nexec sleep 60\n", { mode: 0o700 });
  return text.replaceAll(COUNTERSIGN, script).replaceAll(/(timeout"?\s*[:=]\s*)600/g, "$12").replaceAll("600_000", "2_000");
}

test("claude-code does not run a call whose hook is frozen", async () => {
  const played = await play("claude-code", ALLOW, frozenProgram);
  assert.ok(!played.ran, played.output);
});

test("codex runs a call whose hook is frozen, as the guide says", async () => {
  const played = await play("codex", ALLOW, frozenProgram);
  assert.ok(played.ran, played.output);
});

for (const [name, { runsFrozen }] of Object.entries(moreAgents(MODULES)).filter(([, agent]) => agent.runsFrozen !== undefined)) {
  test(`${name} ${runsFrozen ? "runs" : "does not run"} a call whose hook is frozen, as the guide says`, async () => {
    const played = await play(name, ALLOW, frozenProgram);
    assert.equal(played.ran, runsFrozen, played.output);
  });
}

/// A hook that prints something else than an answer, and reports success.
function garbledProgram(text, home) {
  const script = path.join(home, "garbled");
  fs.writeFileSync(script, "#!/bin/sh\necho '{garbled'\n", { mode: 0o700 });
  return text.replaceAll(COUNTERSIGN, script);
}

for (const name of Object.keys(AGENTS)) {
  const runs = AGENTS[name].runsGarbled;
  test(`${name} ${runs ? "runs" : "does not run"} a call whose hook is replaced by one that prints garbage, as the guide says`, async () => {
    const played = await play(name, ALLOW, garbledProgram);
    assert.equal(played.ran, runs, played.output);
  });
}

/// Claude Code with further settings.
const withSettings = (more) => (text, home) => {
  const settings = JSON.parse(text);
  return JSON.stringify(more(settings, home) ?? settings);
};

/// Another hook, which replaces the command. It follows Countersign's hook in the file.
const rewriting = withSettings((settings, home) => {
  const script = path.join(home, "rewrite");
  const output = { hookEventName: "PreToolUse", updatedInput: { command: "touch rewritten.txt" } };
  fs.writeFileSync(script, `#!/bin/sh\ncat >/dev/null\nsleep 1\necho '${JSON.stringify({ hookSpecificOutput: output })}'\n`, { mode: 0o700 });
  settings.hooks.PreToolUse.push({ hooks: [{ type: "command", command: script }] });
});

/// The event types, and the status and text of each result.
const story = (log) =>
  log.trim().split("\n").map((line) => JSON.parse(line)).filter(({ threadId }) => threadId !== "terminal").filter(({ type }) => type.startsWith("TOOL_E") || type === "TOOL_RESULT" || type === "THREAD_MODE_SET");

test("claude-code with a hook that replaces the command: the log tells what ran", async () => {
  const played = await play("claude-code", ALLOW, rewriting);
  const events = story(played.log);
  const mismatch = events.find(({ type }) => type === "TOOL_EXECUTION_MISMATCH");
  const ranOther = played.files.includes("rewritten.txt");
  assert.ok(played.ran || ranOther, played.output);
  assert.equal(Boolean(mismatch), ranOther, JSON.stringify(events));
  if (mismatch) assert.equal(mismatch.data.arguments.command, "touch rewritten.txt");
});

test("claude-code is stopped by policy after a mismatch", async () => {
  const played = await play("claude-code", `onMismatch = "stop"\n${ALLOW}`, rewriting);
  const events = story(played.log);
  const isMismatch = events.some(({ type }) => type === "TOOL_EXECUTION_MISMATCH");
  assert.equal(events.some(({ type, data }) => type === "THREAD_MODE_SET" && data.mode === "stopped"), isMismatch, JSON.stringify(events));
});

test("claude-code in plan mode changes nothing, although a rule allows it", async () => {
  const played = await play("claude-code", ALLOW, undefined, ["--permission-mode", "plan"]);
  assert.ok(!played.ran, played.output);
  assert.match(played.log, /not run/);
});

for (const kind of ["ask", "deny"]) {
  test(`permissions.${kind} of claude-code stays active, and the call ends as not run`, async () => {
    const settings = withSettings((all) => void (all.permissions = { [kind]: ["Bash(touch:*)"] }));
    // People may answer the prompt in the inbox, and here nobody does.
    const change = (text, home) => settings(text, home).replaceAll("hook claude-code", "hook claude-code --wait 1s");
    const played = await play("claude-code", ALLOW, change, []);
    assert.ok(!played.ran, played.output);
    const results = story(played.log).filter(({ type }) => type === "TOOL_RESULT");
    assert.deepEqual(results.map(({ data }) => data.status), ["cancelled"], played.log);
  });
}

// After an `allow` of its hook, it still checks its rules that deny, and not those that ask.
for (const [decide, kind, runs] of [
  ["allow", "ask", true],
  ["allow", "deny", false],
  ["unless-asked", "ask", false],
  ["unless-asked", "deny", false],
  ["unless-asked", "allow", true],
]) {
  test(`claude-code ${runs ? "runs" : "does not run"} a command in permissions.${kind} with --decide ${decide}`, async () => {
    const settings = withSettings((all) => void (all.permissions = { [kind]: ["Bash(touch:*)"] }));
    // People may answer the prompt in the inbox, and here nobody does.
    const change = (text, home) => settings(text, home).replaceAll("--decide unless-asked", `--decide ${decide} --wait 1s`);
    const played = await play("claude-code", ALLOW, change, []);
    assert.equal(played.ran, runs, `${played.output}\n${played.log}`);
  });
}

test("claude-code runs what a rule allows with --decide allow", async () => {
  const change = (text) => text.replaceAll("--decide unless-asked", "--decide allow");
  const played = await play("claude-code", ALLOW, change, []);
  assert.ok(played.ran, played.output);
});

test("codex ends at the end of its session what it did not report", async () => {
  const withoutReports = (text) => text.replace(/\[\[hooks\.PostToolUse\]\][^]*?(?=\[\[hooks\.SessionEnd\]\])/, "");
  const played = await play("codex", ALLOW, withoutReports);
  assert.ok(played.ran, played.output);
  const results = story(played.log).filter(({ type }) => type === "TOOL_RESULT");
  assert.deepEqual(results.map(({ data }) => data.status), ["cancelled"], played.log);
});

/// A skill whose text has a command.
const withSkill = (text, home) => {
  const folder = path.join(home, "project/.claude/skills/sk");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "SKILL.md"), "---\nname: sk\ndescription: Shows things\nallowed-tools: Bash(touch:*)\n---\nOutput: !`touch ran.txt`\n");
  return text;
};

for (const [verdict, runs] of [["allow", true], ["block", false]]) {
  test(`claude-code asks about the command of a skill: ${verdict}`, async () => {
    const policy = `${ALLOW}\n[[rule]]\nname = "touch"\ntool = "Bash"\ncommand = "touch *"\nverdict = "${verdict}"\n`;
    const played = await play("claude-code", policy, withSkill, ["--allowedTools", "Bash", "Skill"], () => [{ id: "toolu_01A", name: "Skill", input: { skill: "sk" } }]);
    assert.equal(played.ran, runs, played.output);
    assert.match(played.log, /a command in the text of sk/);
  });
}

test("claude-code keeps the hook of a running session if its settings turn hooks off", async () => {
  const off = (home) => [{ id: "toolu_01A", name: "Bash", input: { command: `echo '{"disableAllHooks":true}' > ${home}/.claude/settings.json; sleep 5` } }];
  const played = await play("claude-code", ALLOW, undefined, ["--dangerously-skip-permissions"], off);
  // The hook after the tool ran although the settings were changed before.
  const results = story(played.log).filter(({ type }) => type === "TOOL_RESULT");
  assert.deepEqual(results.map(({ data }) => data.status), ["success"], played.output);
});

/// A hook that is killed together with the shell that guards it.
function killedWithShell(text, home) {
  const script = path.join(home, "killed-with-shell");
  fs.writeFileSync(script, "#!/bin/sh\nkill -KILL $PPID\nkill -KILL $$\n", { mode: 0o700 });
  return text.replaceAll(COUNTERSIGN, script);
}

for (const name of Object.keys(AGENTS)) {
  const runs = AGENTS[name].runsKilled;
  test(`${name} ${runs ? "runs" : "does not run"} a call whose hook is killed with its shell, as the guide says`, async () => {
    const played = await play(name, ALLOW, killedWithShell);
    assert.equal(played.ran, runs, played.output);
  });
}
