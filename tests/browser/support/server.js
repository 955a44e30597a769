// A Countersign server in its own process, over a log in a test folder.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const program = process.env.COUNTERSIGN_PROGRAM;
if (!program) {
  throw new Error("set COUNTERSIGN_PROGRAM to the program to test; tests/browser/run does");
}
const run = promisify(execFile);

// A log in a new folder, which is removed when the test ends, after its servers have stopped.
export async function newLog(t) {
  const folder = await mkdtemp(join(tmpdir(), "countersign-browser-"));
  const log = { folder, database: join(folder, "log.db"), stops: [] };
  t.after(async () => {
    await Promise.all(log.stops.map((stop) => stop()));
    await rm(folder, { recursive: true, force: true });
  });
  return log;
}

// Only these variables: a command refuses to make tokens inside an agent, and must not use settings of this user.
const environment = (log, more = {}) => ({ PATH: process.env.PATH, HOME: log.folder, ...more });

// Starts a server on a free port. It is stopped when the test of its log ends.
export async function startServer(log, options = [], variables = {}) {
  const commandLine = ["serve", "--json", "--listen", "127.0.0.1:0", "--database", log.database, ...options];
  const child = spawn(program, commandLine, { env: environment(log, variables), cwd: log.folder });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  log.stops.push(stop);
  let errors = "";
  child.stderr.on("data", (chunk) => { errors += chunk; });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    once(lines, "line").then(([line]) => line),
    ended.then(() => { throw new Error(`the server ended: ${errors}`); }),
  ]);
  // Programs use the address, and browsers the page address, whose host only they resolve.
  const { listening: url, pages } = JSON.parse(first);
  return { url, pages, log, stop, errors: () => errors };
}

// Requests a path at the page address, whose host only browsers resolve. It follows no redirects.
export async function requestPages(server, path, { method = "GET", headers = {}, body } = {}) {
  const { hostname, port } = new URL(server.url);
  const host = new URL(server.pages).host;
  const sent = request({ hostname, port, method, path, headers: { host, ...headers } });
  sent.end(body);
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

// Runs a command on the log, and returns its JSON.
export async function runCommand(log, ...commandLine) {
  const { stdout } = await run(program, [...commandLine, "--json", "--database", log.database], {
    env: environment(log), cwd: log.folder,
  });
  return JSON.parse(stdout);
}

// Runs `doctor`, and returns its finding about signing in.
export async function askDoctor(log, variables) {
  const { stdout } = await run(program, ["doctor", "--json", "--database", log.database], {
    env: environment(log, variables), cwd: log.folder,
  });
  return JSON.parse(stdout).findings.find((finding) => finding.check === "sign-in");
}

export const createToken = (log, name, role, ...options) =>
  runCommand(log, "token", "create", "--name", name, "--role", role, ...options);

// Makes a link that signs a person in once.
export async function createLink(server, name, role, ...options) {
  return (await createToken(server.log, name, role, "--link", "--url", server.pages, ...options)).link;
}

// Returns events by type, the oldest first.
export async function readEvents(log, type) {
  const { stdout } = await run(program, ["log", "--json", "--type", type, "--database", log.database], {
    env: environment(log), cwd: log.folder,
  });
  return stdout.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

// The hash chain and the rules hold for every event that the test made.
export async function verifyLog(log) {
  await run(program, ["verify", "--database", log.database], { env: environment(log), cwd: log.folder });
}
