// The first minute of a person: types the commands of the documentation into a terminal, and clicks in Chromium. It begins with the
// command that installs the package, in an empty home folder, and the minute ends with the output of the first approved call.
//
//     node first_minute.mjs 'uvx --from countersign-server countersign'
//
// The environment is that of the terminal. FIRST_MINUTE_HOME is a folder for the browser and for tmux.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const { chromium } = createRequire(new URL("../browser/package.json", import.meta.url))("playwright-core");
const run = promisify(execFile);
const command = process.argv[2];
const { FIRST_MINUTE_HOME: ownFolder, ...environment } = process.env;
const PATIENCE = 60_000;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"];

// One terminal, in a tmux of its own. Nothing in it waits for a certain time: it is read until it shows what a person waits for.
class PersonsTerminal {
  #words = ["-f", "/dev/null", "-S", `${ownFolder}/tmux`];

  async #tmux(...words) {
    return (await run("tmux", [...this.#words, ...words], { env: { ...environment, TERM: "xterm-256color" } })).stdout;
  }

  async open() {
    await this.#tmux("new-session", "-d", "-x", "250", "-y", "50", "bash --norc --noprofile");
  }

  // A program that ends may discard what was typed before, so a person waits for the prompt.
  async type(text) {
    await this.waitFor(/[$#] ?\s*$/);
    await this.#tmux("send-keys", "-l", text);
    await this.press("Enter");
  }

  press(key) {
    return this.#tmux("send-keys", key);
  }

  // Reads the screen and what has left it, until the pattern matches.
  async waitFor(pattern) {
    for (const end = performance.now() + PATIENCE; ; await pause(20)) {
      const text = await this.#tmux("capture-pane", "-p", "-J", "-S", "-");
      const found = pattern.exec(text);
      if (found) return found;
      assert(performance.now() < end, `the terminal never shows ${pattern}:\n${text}`);
    }
  }

  close() {
    return this.#tmux("kill-server").catch(() => "");
  }
}

// `countersign up`, the sign-in link, and the command that the empty inbox names.
async function playMinute(terminal, page) {
  const started = performance.now();
  await terminal.type(`${command} up`);
  const [link] = await terminal.waitFor(/http:\/\/countersign\.localhost:\d+\/sign-in\/\S+/);
  await page.goto(link);
  await page.locator("#signed-in").waitFor();
  await page.goto(new URL("/", link).href);
  await page.getByText("countersign run -- git --version").waitFor();
  await terminal.type(`${command} run -- git --version`);
  await page.getByRole("button", { name: /^Allow once/ }).click();
  await terminal.waitFor(/^git version /m);
  return (performance.now() - started) / 1000;
}

// `countersign demo`: a call is allowed with a click in the page that the printed link opens, and the tour ends with the agents of its
// user.
async function playDemo(terminal, page) {
  await terminal.type(`clear; ${command} demo`);
  await terminal.waitFor(/Press Enter to open the inbox/);
  const [link] = await terminal.waitFor(/http:\/\/countersign\.localhost:\d+\/sign-in\/\S+/);
  await page.goto(link);
  await page.locator("#signed-in").waitFor();
  await page.goto(new URL("/", link).href);
  await terminal.press("Enter");
  await page.getByText("shopping list").first().click();
  await page.getByRole("button", { name: /^Allow once/ }).click();
  await terminal.waitFor(/demo_notes/);
  await terminal.press("q");
  await terminal.waitFor(/write-file +ran +allowed by [^]*The log and the files are still there[^]*countersign install/);
}

const terminal = new PersonsTerminal();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags,
  env: { PATH: environment.PATH, HOME: ownFolder, TMPDIR: ownFolder },
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  await terminal.open();
  const seconds = await playMinute(terminal, page);
  const visitor = await (await browser.newContext()).newPage();
  visitor.setDefaultTimeout(PATIENCE);
  await playDemo(terminal, visitor);
  await terminal.type(`clear; ${command} down`);
  await terminal.waitFor(/Stopped the service/);
  console.log(seconds.toFixed(1));
} finally {
  await terminal.close();
  await browser.close();
}
