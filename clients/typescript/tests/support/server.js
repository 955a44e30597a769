// A real server for tests: its own log, its tokens, and a port that it keeps across kill -9 and restarts.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const program = process.env.COUNTERSIGN_PROGRAM;
if (!program) {
  throw new Error("set COUNTERSIGN_PROGRAM to the program to test; clients/typescript/tests/run does");
}

export const POLICY = `
[[rule]]
name = "no-wipe"
tool = "wipe*"
verdict = "block"
reason = "wiping is forbidden"

[[rule]]
name = "reads"
tool = "read*"
verdict = "allow"
`;

// Starts a server that `stop` ends by the id of its process.
export async function startServer({ policy = POLICY, options = [], log } = {}) {
  const server = new ServerUnderTest(options);
  if (log) {
    writeFileSync(join(server.folder, "log.db"), log);
  } else {
    server.run("migrate");
    server.agent = server.token("builder", "agent");
    server.approver = server.token("ada", "approver");
  }
  if (policy) {
    const file = join(server.folder, "policy.toml");
    writeFileSync(file, policy);
    server.run("policy", "apply", "--yes", file);
  }
  await server.start();
  return server;
}

// A new log with tokens, `{ name: role }`, as bytes for `startServer`: to copy them is faster than to create a log.
export function createLog(roles) {
  const server = new ServerUnderTest([]);
  try {
    server.run("migrate");
    const tokens = Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, server.token(name, role)]));
    return { log: readFileSync(join(server.folder, "log.db")), tokens };
  } finally {
    rmSync(server.folder, { recursive: true, force: true });
  }
}

class ServerUnderTest {
  folder = mkdtempSync(join(tmpdir(), "countersign-typescript-"));
  // Commands that decide refuse to run in an agent's environment, so nothing else is inherited.
  env = { PATH: process.env.PATH, HOME: this.folder, COUNTERSIGN_LOG: "error" };
  address = "127.0.0.1:0";
  #options;
  #child;

  constructor(options) {
    this.#options = options;
  }

  run(...words) {
    const all = ["--database", join(this.folder, "log.db"), ...words];
    return execFileSync(program, all, { env: this.env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  token(name, role) {
    return this.run("token", "create", "--name", name, "--role", role).trim().split("\n").at(-1).trim();
  }

  async start() {
    const listen = ["--database", join(this.folder, "log.db"), "--json", "serve", "--listen", this.address];
    const child = spawn(program, [...listen, ...this.#options], {
      env: this.env, cwd: this.folder, stdio: ["ignore", "pipe", "pipe"],
    });
    const complaints = join(this.folder, "complaints");
    child.stderr.on("data", (chunk) => appendFileSync(complaints, chunk));
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    const [greeting] = await Promise.race([
      once(lines, "line"),
      once(child, "exit").then(() => { throw new Error(`the server ended: ${readFileSync(complaints, "utf8")}`); }),
    ]);
    const { listening } = JSON.parse(greeting);
    this.listening = [listening].flat();
    this.url = this.listening[0];
    this.address = this.url.replace("http://", "");
  }

  // Kills the process with SIGKILL, and waits for its end.
  async kill() {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
  }

  // Stops the process with SIGTERM, and waits for its end.
  async terminate() {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  async stop() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
