// The reverse proxy as the documentation prints it: the real nginx before one server with TLS, and before two instances. And what
// a page says whose address the server does not know.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { checkPage, newPage, readSignedIn, startBrowser } from "./support/browser.js";
import { createToken, newLog, readEvents, startServer, verifyLog } from "./support/server.js";

const nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path));
const pages = new URL("../../docs/guides/", import.meta.url);

// The block that a page of the documentation prints for nginx.
function printedBlock(page) {
  const text = readFileSync(new URL(page, pages), "utf8");
  const [, block] = text.match(/^```nginx\n(.*?)^```/ms) ?? [];
  assert(block, `${page} has no block for nginx`);
  return block;
}

// Replaces what differs in a test. Each text must be in the block.
function adapt(block, replacements) {
  return replacements.reduce((text, [from, to]) => {
    assert(text.includes(from), `the block has no ${from}`);
    return text.replaceAll(from, to);
  }, block);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

// Starts nginx with the block, until the log's test ends.
async function startNginx(t, folder, block, port) {
  assert(nginx, "nginx is not installed; tests/run installs it");
  const scratch = join(folder, "nginx");
  mkdirSync(scratch);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${scratch}/${name};`);
  writeFileSync(join(scratch, "nginx.conf"), `daemon off; pid ${scratch}/pid; error_log stderr;\nevents {}\n`
    + `http {\naccess_log off;\n${paths.join("\n")}\n${block}}\n`);
  const child = spawn(nginx, ["-p", scratch, "-c", join(scratch, "nginx.conf")], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let errors = "";
  child.stderr.on("data", (chunk) => { errors += chunk; });
  for (;;) {
    assert.equal(child.exitCode, null, errors);
    const answers = await new Promise((done) => {
      const sent = plainRequest({ port, host: "127.0.0.1" }, (response) => { response.resume(); done(true); });
      sent.on("error", (error) => done(error.code !== "ECONNREFUSED"));
      sent.end();
    });
    if (answers) return;
  }
}

// Sends a request through the proxy, as a client that resolves the name to this machine.
async function send(base, path, { token, method = "GET", body, accept = "application/json", prefer }) {
  const { hostname, port, protocol } = new URL(base);
  const secure = protocol === "https:";
  const sent = (secure ? secureRequest : plainRequest)({
    host: "127.0.0.1", port, path, method, servername: hostname, rejectUnauthorized: false,
    headers: {
      host: `${hostname}:${port}`, authorization: `Bearer ${token}`, accept,
      ...(prefer ? { prefer } : {}), ...(body ? { "content-type": "application/json" } : {}),
    },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, "response");
  response.setEncoding("utf8");
  return response;
}

async function readAll(response) {
  let text = "";
  for await (const chunk of response) text += chunk;
  return JSON.parse(text);
}

// Reads a stream until it has the text. A proxy that buffers never delivers it.
async function readUntil(chunks, wanted) {
  let text = "";
  while (!text.includes(wanted)) {
    const { done, value } = await chunks.next();
    assert(!done, `the stream ended before ${wanted}: ${text}`);
    text += value;
  }
}

// Signs in with a link, proposes a call, decides it in the inbox, and follows the stream, all through the proxy.
async function useThrough(t, log, base) {
  const agent = (await createToken(log, "bot", "agent")).secret;
  const reader = (await createToken(log, "eve", "auditor")).secret;
  const { link } = await createToken(log, "ada", "approver", "--link", "--url", base);
  const page = await newPage(await startBrowser(t));
  await page.goto(link);
  assert.equal((await readSignedIn(page)).name, "ada");
  await page.goto(base);
  const stream = await send(base, "/v1/events", { token: reader, accept: "text/event-stream" });
  assert.equal(stream.statusCode, 200);
  const chunks = stream[Symbol.asyncIterator]();
  const call = { id: "call_1", name: "deploy", arguments: { service: "shop" } };
  const proposed = await send(base, "/v1/threads/t1/tool-calls", { token: agent, method: "POST", body: call });
  assert.equal((await readAll(proposed)).state, "pending");
  await readUntil(chunks, "TOOL_APPROVAL_REQUEST");
  const waits = send(base, "/v1/threads/t1/tool-calls/call_1", { token: agent, prefer: "wait=60" }).then(readAll);
  await page.getByRole("button", { name: /^Allow once/ }).first().click();
  await readUntil(chunks, "TOOL_APPROVAL_RESPONSE");
  assert.equal((await waits).state, "allowed");
  stream.destroy();
  const [decision] = await readEvents(log, "TOOL_APPROVAL_RESPONSE");
  assert.deepEqual([decision.principal, decision.data.decision], ["user:ada", "allow_once"]);
  await verifyLog(log);
}

test("browsers, agents and streams work behind nginx with TLS", async (t) => {
  const log = await newLog(t);
  const port = await freePort();
  const base = `https://countersign.localhost:${port}`;
  const server = await startServer(log, ["--behind-proxy", "127.0.0.1", "--public-url", base]);
  const [certificate, key] = [join(log.folder, "certificate.pem"), join(log.folder, "key.pem")];
  execFileSync("openssl", [
    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
    "-subj", "/CN=countersign.localhost", "-addext", "subjectAltName=DNS:countersign.localhost", "-keyout", key, "-out", certificate,
  ], { stdio: "ignore" });
  const block = adapt(printedBlock("reverse-proxy.md"), [
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`], ["approvals.example", "countersign.localhost"],
    ["/etc/ssl/certs/approvals.pem", certificate], ["/etc/ssl/private/approvals.key", key],
    ["http://127.0.0.1:7878", server.url],
  ]);
  await startNginx(t, log.folder, block, port);
  await useThrough(t, log, base);
});

test("two instances work behind nginx as deployed", async (t) => {
  const log = await newLog(t);
  const port = await freePort();
  const base = `http://countersign.localhost:${port}`;
  const servers = [];
  for (let at = 0; at < 2; at += 1) servers.push(await startServer(log, ["--public-url", base]));
  const block = adapt(printedBlock("deployment.md"), [
    ["listen 127.0.0.1:8080", `listen 127.0.0.1:${port}`],
    ["127.0.0.1:7878", new URL(servers[0].url).host], ["127.0.0.1:7879", new URL(servers[1].url).host],
  ]);
  await startNginx(t, log.folder, block, port);
  await useThrough(t, log, base);
});

test("a page at an unknown address says why it is empty", async (t) => {
  const log = await newLog(t);
  const port = await freePort();
  const server = await startServer(log, ["--behind-proxy", "127.0.0.1", "--public-url", "https://approvals.example"]);
  const block = adapt(printedBlock("deployment.md"), [
    ["listen 127.0.0.1:8080", `listen 127.0.0.1:${port}`], ["server 127.0.0.1:7879 max_fails=1 fail_timeout=5s;", ""],
    ["127.0.0.1:7878", new URL(server.url).host],
  ]);
  await startNginx(t, log.folder, block, port);
  const { secret } = await createToken(log, "ada", "approver");
  const page = await newPage(await startBrowser(t));
  const base = `http://countersign.localhost:${port}`;
  for (const path of [`/sign-in/#${secret}`, "/", "/history"]) {
    await page.goto(base + path);
    const message = page.getByRole("alert");
    await message.filter({ hasText: `This server does not know the address ${base}` }).waitFor();
    assert.match(await message.textContent(), /at https:\/\/approvals\.example.*--public-url http:\/\/countersign\.localhost:\d+/);
    assert.equal(await page.locator("form").count(), 0, "no form sends a token as it is");
  }
  await checkPage(page);
});
