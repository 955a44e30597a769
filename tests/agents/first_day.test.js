// The first day with a coding agent: an installation with its defaults, then ten ordinary tasks. Each task asks people what must be
// asked, and nothing else.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { findProgram } from "./programs.js";
import { claudeTools, codexTools, firstDayTasks } from "./first_day_tasks.js";
import { playTask, startFirstDay } from "./first_day_world.js";

const CLAUDE = findProgram("@anthropic-ai", "claude");
const CODEX = findProgram("@openai", "codex");

const AGENTS = {
  "claude-code": {
    name: "claude-code",
    config: ".claude/settings.json",
    tools: claudeTools,
    command: ({ inTerminal }) => (inTerminal ? ["script", "-qec", `${CLAUDE} go`, "/dev/null"] : [CLAUDE, "-p", "go"]),
    env: (model) => ({ TERM: "xterm-256color", ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }),
    prepare: (home, _, project) => {
      const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
      const state = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: { approved: ["none"], rejected: [] }, projects };
      fs.writeFileSync(path.join(home, ".claude.json"), JSON.stringify(state));
    },
  },
  codex: {
    name: "codex",
    config: ".codex/config.toml",
    tools: codexTools,
    command: () => [CODEX, "exec", "--sandbox", "danger-full-access", "--dangerously-bypass-hook-trust", "go"],
    env: () => ({ KEY: "none" }),
    prepare: (home, model) => {
      fs.mkdirSync(path.join(home, ".codex"));
      const provider = `name = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n`;
      fs.writeFileSync(path.join(home, ".codex/config.toml"), `model = "gpt-5.5"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\n${provider}`);
    },
  },
};

/// What a task left behind: files of the project, and its history.
function witness({ project }, results) {
  return {
    results,
    file: (name) => fs.readFileSync(path.join(project, name), "utf8"),
    has: (name) => fs.existsSync(path.join(project, name)),
    git: (...words) => execFileSync("git", words, { cwd: project, encoding: "utf8" }),
  };
}

/// One line of the table.
function row({ name }, { calls, asked, blocked, hooks, hookSeconds }) {
  const reasons = asked.map(({ request, name: tool }) => `${tool}: ${request.reason}`).join("; ");
  return `| ${name} | ${calls.length} | ${asked.length} | ${blocked.length} | ${hooks} | ${hookSeconds.toFixed(2)} s | ${reasons} |`;
}

for (const agent of Object.values(AGENTS)) {
  test(`the first day with ${agent.name}`, { timeout: 600_000 }, async (t) => {
    const day = await startFirstDay(t, agent);
    const rows = [];
    for (const task of firstDayTasks(agent.tools(day.project))) {
      await t.test(task.name, async () => {
        const played = await playTask(day, task);
        rows.push(row(task, played));
        const story = `${played.output}\n${played.results.join("\n")}`;
        const expected = task.asks ?? [];
        assert.equal(played.asked.length, expected.length, `${rows.at(-1)}\n${story}`);
        played.asked.forEach(({ arguments: given }, index) => assert.match(JSON.stringify(given), new RegExp(expected[index])));
        assert.equal(played.blocked.length, 0, rows.at(-1));
        const listed = played.calls.map(({ id, name, state }) => `${id} ${name} ${state}`).join("\n");
        assert.equal(played.calls.length, task.steps.flat().length, `${listed}\n${story}`);
        assert.ok(task.shows(witness(day, played.results)), story);
      });
    }
    t.diagnostic(`\n${agent.name}\n| task | calls | asked | blocked | hooks | waited for hooks | why |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}`);
  });
}
