// The servers that are compared, each with its defaults and an empty folder, on 127.0.0.1.

import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import readline from "node:readline";
import { Client } from "./client.mjs";

/** Starts a program that the end of this process stops. Returns it and the first line that it prints. */
function start(program, args, folder, environment, waits) {
  const log = fs.openSync(path.join(folder, `${path.basename(program)}.log`), "a");
  const env = { PATH: process.env.PATH, HOME: folder, ...environment };
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", waits ? "pipe" : log, log] });
  process.on("exit", () => child.kill("SIGKILL"));
  if (!waits) return { child };
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error(`${program} ended; see ${folder}`)));
    readline.createInterface({ input: child.stdout }).once("line", (line) => resolve({ child, line }));
  });
}

export async function startCountersign(program, folder) {
  // All clients are one caller.
  const environment = { COUNTERSIGN_DATABASE: path.join(folder, "log.db"), COUNTERSIGN_CALLER_LIMITS: "requests=1000000" };
  const args = ["serve", "--json", "--listen", "127.0.0.1:0"];
  const { child, line } = await start(program, args, folder, environment, true);
  return { port: Number(new URL(JSON.parse(line).listening).port), tokens: readTokens(folder), processes: [child.pid] };
}

/** The tokens that the first start on a log keeps for commands. */
function readTokens(folder) {
  const text = fs.readFileSync(path.join(folder, ".local/share/countersign/credentials.toml"), "utf8");
  const token = (side) => new RegExp(`^${side} *= *"([^"]+)"`, "m").exec(text)[1];
  return { agent: token("agent"), person: token("person") };
}

/** Starts the engine and the service with its workflow, and registers the service. */
export async function startEngine(folder) {
  const service = await start(process.execPath, [path.resolve("service.mjs")], folder, {}, true);
  const [ingress, admin, fabric] = await Promise.all([freePort(), freePort(), freePort()]);
  const kind = `${process.platform}-${process.arch}`;
  const program = path.resolve(`node_modules/@restatedev/restate-server-${kind}/bin/restate-server`);
  const { child } = start(program, ["--no-logo", "--base-dir", folder, "--node-name", "engine"], folder, {
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
  });
  const client = new Client(admin);
  const uri = `http://127.0.0.1:${service.line}`;
  await retry(child, () => client.send("POST", "/deployments", { uri }));
  client.close();
  return { port: ingress, processes: [child.pid, service.child.pid] };
}

/** Repeats a step until it succeeds, for at most a minute. */
async function retry(child, step) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (attempt === 300 || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Returns a port that no program uses at the moment. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
