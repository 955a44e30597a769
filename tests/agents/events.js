// The hook events of the installed agents, as their types or programs list them.
import fs from "node:fs";
import path from "node:path";

/// All distinct first groups of a pattern in a text, in the order of the alphabet.
function names(text, pattern) {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1]))].sort();
}

/// The body of the enumeration or type that a pattern begins.
function body(text, start) {
  const at = text.search(start);
  if (at < 0) throw new Error(`${start} is not in the package`);
  return text.slice(at, text.indexOf("\n}", at));
}

/// The first file of a folder whose text matches.
function findFile(folder, pattern) {
  const files = fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".js")).map((file) => path.join(folder, file));
  return files.map((file) => fs.readFileSync(file, "utf8")).find((text) => pattern.test(text)) ?? "";
}

/// What each agent lists, by agent. `modules` is the folder with the installed packages.
export function readEvents(modules) {
  const read = (file, encoding = "utf8") => fs.readFileSync(path.join(modules, file), encoding);
  const qwen = findFile(path.join(modules, "@qwen-code/qwen-code/chunks"), /HookEventName\d*\["/);
  const plugin = body(read("@opencode-ai/plugin/dist/index.d.ts"), /export interface Hooks/);
  return {
    "claude-code": names(read("@anthropic-ai/claude-agent-sdk/sdk.d.ts").match(/HOOK_EVENTS: readonly \[[^\]]*/)[0], /'(\w+)'/g),
    // The program contains the JSON Schema of each message.
    codex: names(read("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex", "latin1"), /"hook_event_name": \{\s+"const": "(\w+)"/g),
    "gemini-cli": names(body(read("@google/gemini-cli-core/dist/src/hooks/types.d.ts"), /enum HookEventName/), /= "(\w+)"/g),
    "qwen-code": names(qwen, /HookEventName\d*\["(\w+)"\]/g),
    cline: names(body(read("@cline/core/dist/hooks/hook-file-config.d.ts"), /enum HookConfigFileName/), /= "(\w+)"/g),
    opencode: names(plugin, /^ {4}"?([\w.]+)"?\??:/gm),
  };
}
