// Agents that speak to a model over the Chat Completions API.
import fs from "node:fs";
import path from "node:path";

/// Writes a file below a folder.
function write(folder, file, text) {
  fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  fs.writeFileSync(path.join(folder, file), text);
}

/// The configuration of opencode and its forks.
function openProvider(file) {
  return (home, model) => {
    const options = { baseURL: `${model}/v1`, apiKey: "none" };
    const provider = { s: { npm: "@ai-sdk/openai-compatible", name: "s", options, models: { m: { name: "m", tool_call: true } } } };
    write(home, file, JSON.stringify({ model: "s/m", autoupdate: false, provider }));
  };
}

export function moreAgents(modules) {
  const program = (...parts) => path.join(modules, ...parts);
  return {
    "qwen-code": {
      config: ".qwen/settings.json",
      command: () => [process.execPath, program("@qwen-code/qwen-code/cli.js"), "-p", "go", "--yolo", "--auth-type", "openai"],
      env: (model) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "m" }),
      prepare: () => {},
      runsFrozen: true,
      runsGarbled: true,
      runsKilled: true,
    },
    "copilot-cli": {
      config: ".copilot/hooks/countersign.json",
      command: () => [program("@github/copilot-linux-x64/copilot"), "-p", "go", "--allow-all-tools"],
      env: (model) => ({ COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_PROVIDER_API_KEY: "none", COPILOT_MODEL: "m", COPILOT_OFFLINE: "true" }),
      prepare: () => {},
      runsFrozen: true,
      runsGarbled: true,
      runsKilled: false,
    },
    opencode: {
      config: ".config/opencode/plugins/countersign.js",
      command: () => [program("opencode-linux-x64/bin/opencode"), "run", "go"],
      env: () => ({}),
      prepare: openProvider(".config/opencode/opencode.json"),
      runsFrozen: false,
      runsGarbled: false,
      runsKilled: false,
    },
    "kilo-code": {
      config: ".config/kilo/plugins/countersign.js",
      command: () => [program("@kilocode/cli-linux-x64/bin/kilo"), "run", "--auto", "please go"],
      env: () => ({}),
      prepare: openProvider(".config/kilo/kilo.json"),
      runsFrozen: false,
      runsGarbled: false,
      runsKilled: false,
    },
    cline: {
      config: ".cline/hooks/PreToolUse",
      command: () => [program("@cline/cli-linux-x64/bin/cline"), "-P", "openai-compatible", "-m", "m", "-k", "none", "please go"],
      env: () => ({ CLINE_TELEMETRY_DISABLED: "1" }),
      prepare: (home, model) => {
        const settings = { provider: "openai-compatible", apiKey: "none", model: "m", baseUrl: `${model}/v1` };
        const entry = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
        write(home, ".cline/data/settings/providers.json", JSON.stringify({ version: 1, lastUsedProvider: "openai-compatible", providers: { "openai-compatible": entry } }));
      },
      endsAfterDenial: true,
      runsGarbled: true,
      runsKilled: true,
    },
  };
}
