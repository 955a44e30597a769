// Logs in folders of their own, the command line, and clients of the official SDK with and without the gateway.
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:net";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const run = promisify(execFile);
const program = process.env.COUNTERSIGN_PROGRAM;
const packages = join(import.meta.dirname, "node_modules/@modelcontextprotocol");

// The server commands. `folder` is what server-filesystem may use.
export const servers = {
  everything: () => [process.execPath, join(packages, "server-everything/dist/index.js"), "stdio"],
  filesystem: (folder) => [process.execPath, join(packages, "server-filesystem/dist/index.js"), folder],
  memory: () => [process.execPath, join(packages, "server-memory/dist/index.js")],
};

// A log with this policy, which is removed when the test ends.
export async function startLog(t, policy) {
  const folder = await mkdtemp(join(tmpdir(), "countersign-mcp-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const log = new TestLog(folder);
  await mkdir(log.project);
  await writeFile(join(folder, "policy.toml"), policy);
  await log.command("migrate");
  await log.command("policy", "apply", "--yes", join(folder, "policy.toml"));
  return log;
}

class TestLog {
  constructor(folder) {
    this.folder = folder;
    // Clients start servers in a project folder.
    this.project = join(folder, "project");
    // Commands that decide refuse to run inside an agent environment, so nothing else is inherited.
    this.env = { PATH: process.env.PATH, HOME: folder, COUNTERSIGN_LOG: "error", MEMORY_FILE_PATH: join(folder, "memory.jsonl") };
    this.database = ["--database", join(folder, "log.db")];
  }

  // Runs a command on the log, and returns its JSON.
  async command(...words) {
    const options = { env: this.env, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run(program, [...this.database, "--json", ...words], options);
    return stdout.trim() ? JSON.parse(stdout) : undefined;
  }

  call(id) {
    return this.command("show", id);
  }

  // Waits for a call state by log events.
  async waitForState(id, state) {
    const child = spawn(program, [...this.database, "--json", "log", "--follow"], { env: this.env, stdio: ["ignore", "pipe", "ignore"] });
    try {
      for await (const _ of child.stdout) {
        if ((await this.call(id)).state === state) return;
      }
    } finally {
      child.kill("SIGKILL");
    }
  }

  async calls() {
    return (await this.command("calls")).calls;
  }

  // The pending calls, as soon as there is one.
  async waitForPending() {
    for (;;) {
      const page = await this.command("pending");
      if (page.pending.length > 0) return page;
    }
  }

  // A client behind a gateway with these options, which name the servers.
  gateway(t, words, options = {}) {
    return this.connect(t, [program, ...this.database, "mcp", ...words], { ...options, direct: true });
  }

  // The gateway with these options, without a client: the test sends frames.
  async rawGateway(t, words) {
    const transport = new StdioClientTransport({
      command: program, args: [...this.database, "mcp", ...words], env: this.env, stderr: "ignore", cwd: this.project,
    });
    t.after(() => transport.close());
    await transport.start();
    return { transport };
  }

  // A client for a server on streamable HTTP.
  async connectHttp(t, url, { capabilities = {}, headers = {} } = {}) {
    return connectClient(t, new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), capabilities);
  }

  // Writes a configuration with these servers, in the form of clients, and returns its path.
  async config(servers) {
    const file = join(this.folder, "servers.json");
    await writeFile(file, JSON.stringify({ mcpServers: servers }));
    return file;
  }

  // A client of `server`, behind the gateway unless `direct` is set. `gateway` are options of the command.
  async connect(t, server, { gateway = [], direct = false, capabilities = {} } = {}) {
    const words = direct ? server : [program, ...this.database, "mcp", ...gateway, "--", ...server];
    const transport = new StdioClientTransport({
      command: words[0], args: words.slice(1), env: this.env, stderr: "ignore", cwd: this.project,
    });
    return connectClient(t, transport, capabilities);
  }
}

async function connectClient(t, transport, capabilities) {
  const transcript = record(transport);
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  answerServer(client, capabilities);
  t.after(() => client.close());
  await client.connect(transport);
  return { client, transport, transcript };
}

// A server entry in a configuration.
export function entry([command, ...args]) {
  return { command, args };
}

// Starts a gateway that serves clients on HTTP, and returns its address, its token and its process.
export async function startGateway(t, log, words) {
  const child = spawn(program, [...log.database, "mcp", "--listen", "127.0.0.1:0", ...words], { env: log.env, cwd: log.project, stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const [, url, token] = await waitForOutput(child.stderr, /served at (\S+)[^]*Bearer (\S+)/);
  return { url, child, headers: { Authorization: `Bearer ${token}` } };
}

// Starts server-everything on streamable HTTP, and returns its address.
export async function startHttpServer(t) {
  const port = await freePort();
  const file = join(packages, "server-everything/dist/index.js");
  const child = spawn(process.execPath, [file, "streamableHttp"], { env: { ...process.env, PORT: `${port}` }, stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  await waitForOutput(child.stderr, /listening on port/);
  return { url: `http://127.0.0.1:${port}/mcp`, child };
}

// Waits for a line, and returns the match.
export function waitForOutput(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) resolve(found);
    });
    stream.on("end", () => reject(new Error(`the output ended: ${text}`)));
  });
}

// Servers that take only a fixed port get one that was free just now.
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Answers of the client to requests of the server.
function answerServer(client, capabilities) {
  const answers = [
    ["sampling", CreateMessageRequestSchema, { model: "m", role: "assistant", content: { type: "text", text: "sampled" } }],
    ["roots", ListRootsRequestSchema, { roots: [{ uri: "file:///root", name: "root" }] }],
    ["elicitation", ElicitRequestSchema, { action: "decline" }],
  ];
  for (const [capability, schema, answer] of answers) {
    if (capabilities[capability]) client.setRequestHandler(schema, () => answer);
  }
}

// Records the messages of both directions.
function record(transport) {
  const transcript = { sent: [], received: [] };
  // Resolves when the server asks for the client's roots, which server-everything does some time after the start.
  transcript.rootsAsked = new Promise((resolve) => { transcript.noteRoots = resolve; });
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    transcript.sent.push(message);
    return send(message, ...rest);
  };
  const start = transport.start.bind(transport);
  transport.start = () => {
    const receive = transport.onmessage;
    transport.onmessage = (message, ...rest) => {
      transcript.received.push(message);
      if (message.method === "roots/list") transcript.noteRoots();
      return receive(message, ...rest);
    };
    return start();
  };
  return transcript;
}

// Calls a tool, decides on it as soon as it is pending, and returns the result. `decide` gets the call id.
export async function callAndDecide(client, name, args, decide) {
  let decided;
  const onprogress = ({ message }) => {
    const id = /mcp-[0-9a-f]+-\d+/.exec(message ?? "")?.[0];
    if (id) decided ??= decide(id);
  };
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress });
  // A client drops a notification that it reads together with the answer; the answer then names the call.
  await (decided ?? decide(pendingId(result)));
  return result;
}

// Removes what the gateway adds to the tools in a result: metadata of its own, and nothing else.
export function removeOwnMetadata(result) {
  for (const tool of result?.tools ?? []) {
    for (const key of ["countersign/location", "countersign/approval"]) delete tool._meta?.[key];
    if (Object.keys(tool._meta ?? {}).length === 0) delete tool._meta;
  }
}

export function textOf(result) {
  return result.content.map((item) => item.text).join("\n");
}

// The pending call's id, from a result that says so.
export function pendingId(result) {
  assert.equal(result.isError, true);
  assert.match(textOf(result), /It is pending as mcp-[0-9a-f]+-\d+/);
  return result._meta["countersign/callId"];
}

// The gateway declares forms for a client without them, so the server "everything" lists a tool more, which this removes.
export function removeFormTool(value) {
  const isFormTool = (item) => item === "trigger-elicitation-request" || item?.name === "trigger-elicitation-request";
  if (Array.isArray(value)) return value.filter((item) => !isFormTool(item)).map(removeFormTool);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, removeFormTool(item)]));
}
