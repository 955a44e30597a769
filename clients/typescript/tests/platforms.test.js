// The client on Node, Deno and Bun: the environment, token files, sockets, and certificate authorities of one's own.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, copyFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { request as sendRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { after, before, test } from "node:test";
import { Gate } from "@countersign/client";
import { startServer } from "./support/server.js";
import { findRuntime } from "./support/tools.js";

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-platforms-"));
const socket = join(folder, "s");
let server;

before(async () => {
  server = await startServer({ options: ["--listen", `unix:${socket}`] });
  // A program beside which the package is installed.
  mkdirSync(join(folder, "node_modules", "@countersign"), { recursive: true });
  symlinkSync(packageFolder, join(folder, "node_modules", "@countersign", "client"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const story of ["platform_story.js", "waiting_agent.js"]) {
    copyFileSync(join(packageFolder, "tests", "support", story), join(folder, story));
  }
  writeFileSync(join(folder, "token"), `${server.agent}\n`);
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const runtimes = {
  Node: () => [process.execPath],
  Deno: () => [findRuntime("deno"), "run", "--quiet", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-sys"],
  Bun: () => [findRuntime("bun"), "run"],
};

function startStory(runtime, thread, variables, ...more) {
  const [command, ...words] = runtimes[runtime]();
  const env = { ...server.env, DENO_DIR: join(folder, "deno"), COUNTERSIGN_THREAD: thread, ...variables };
  return run(command, [...words, ...more, "platform_story.js", server.url, server.approver], { cwd: folder, env });
}

for (const runtime of Object.keys(runtimes)) {
  test(`${runtime} plays the story over TCP`, async () => {
    const variables = { COUNTERSIGN_SERVER: server.url, COUNTERSIGN_TOKEN_FILE: join(folder, "token") };
    assert.equal((await startStory(runtime, `${runtime} tcp`, variables)).stdout, "fine\n");
  });

  test(`${runtime} plays the story over a socket`, async () => {
    const variables = { COUNTERSIGN_SERVER: `unix:${socket}`, COUNTERSIGN_TOKEN: server.agent };
    const more = runtime === "Deno" ? ["--allow-write"] : [];
    assert.equal((await startStory(runtime, `${runtime} socket`, variables, ...more)).stdout, "fine\n");
  });

  test(`${runtime} trusts the authority of the file alone`, async (t) => {
    const secure = await startSecureProxy(t);
    const trusting = { COUNTERSIGN_SERVER: secure.url, COUNTERSIGN_TOKEN: server.agent, COUNTERSIGN_TLS_CA: secure.ca };
    assert.equal((await startStory(runtime, `${runtime} tls`, trusting)).stdout, "fine\n");
    const { COUNTERSIGN_TLS_CA: _, ...careful } = trusting;
    await assert.rejects(startStory(runtime, `${runtime} tls`, careful), /no secure connection to .* with tlsCa/);
  });
}

test("gate reads its options before the environment", async (t) => {
  t.after(() => { delete process.env.COUNTERSIGN_THREAD; delete process.env.COUNTERSIGN_SERVER; });
  process.env.COUNTERSIGN_THREAD = "from-the-environment";
  process.env.COUNTERSIGN_SERVER = "";
  assert.equal(new Gate().thread, "from-the-environment");
  assert.equal(new Gate({ thread: "own" }).thread, "own");
  assert.equal(new Gate().server, "http://127.0.0.1:7878");
  const gate = new Gate({ server: `unix:${socket}`, tokenFile: join(folder, "token") });
  assert.match((await gate.caller()).agent, /builder/);
});

test("socket that is missing is unreachable", async () => {
  await assert.rejects(new Gate({ server: `unix:${folder}/missing` }).ready(), { code: "unreachable", message: /ENOENT/ });
});

// A server with TLS in front of the test server, with a certificate that only its file vouches for.
async function startSecureProxy(t) {
  const [key, ca] = [join(folder, "key.pem"), join(folder, "ca.pem")];
  execFileSync("openssl", [
    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
    "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", ca,
  ], { stdio: "ignore" });
  const { hostname, port } = new URL(server.url);
  const proxy = createServer({ key: readFileSync(key), cert: readFileSync(ca) }, (request, response) => {
    const { method, url: path, headers } = request;
    const forwarded = sendRequest({ hostname, port, method, path, headers: { ...headers, host: `${hostname}:${port}` } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(() => { proxy.closeAllConnections(); proxy.close(); });
  return { url: `https://127.0.0.1:${proxy.address().port}`, ca };
}
