// The client in Chromium: the package files as they are, and a bundle of them, in a page with another origin than the
// server, which `--cors-origin` permits.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { createPeople } from "./support/people.js";
import { startServer } from "./support/server.js";
import { requireTool } from "./support/tools.js";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
const shared = {};

before(async () => {
  const { outputFiles } = await requireTool("esbuild").build({
    entryPoints: [`${dist}index.js`], bundle: true, minify: true, format: "esm", platform: "browser", write: false, logLevel: "error",
  });
  shared.bundle = outputFiles[0].text;
  shared.pages = createServer((request, response) => answerPage(request.url, response)).listen(0, "127.0.0.1");
  await once(shared.pages, "listening");
  shared.origin = `http://127.0.0.1:${shared.pages.address().port}`;
  shared.server = await startServer({ options: ["--cors-origin", shared.origin] });
  const executablePath = places.find((place) => place && existsSync(place));
  assert.ok(executablePath, "Chromium is not installed; set CHROMIUM to its path");
  shared.browser = await requireTool("playwright-core").chromium.launch({ executablePath, args: flags });
});
after(async () => {
  await shared.browser?.close();
  await shared.server?.stop();
  shared.pages?.close();
});

function answerPage(url, response) {
  if (url === "/") {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>");
    return;
  }
  const isPlain = /^\/dist\/[a-z_]+\.js$/.test(url);
  const text = url === "/bundle.js" ? shared.bundle : isPlain ? readFileSync(dist + url.slice("/dist/".length), "utf8") : undefined;
  response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/javascript" }).end(text);
}

async function openPage(t, origin = shared.origin) {
  const page = await shared.browser.newPage();
  t.after(() => page.close());
  await page.goto(`${origin}/`);
  return page;
}

// Runs in the page: an agent with approval, an abort and a stream.
async function playInPage({ entry, server, agent, thread }) {
  const { Gate, withApproval, withCallContext } = await import(entry);
  const gate = new Gate({ server, token: agent, thread });
  const pay = withApproval(gate, "pay", ({ amount }) => `paid ${amount}`);
  const text = await pay({ amount: 2n ** 70n });
  const call = await gate.propose("deploy", {});
  const aborted = await gate.wait(call, { signal: AbortSignal.timeout(50) }).catch((error) => error.name);
  const events = gate.stream({ thread, types: ["TOOL_RESULT"] });
  const { value } = await events.next();
  await events.return();
  let context = "";
  try {
    withCallContext({ callId: "c" }, () => undefined);
  } catch (error) {
    context = error.message;
  }
  return { text, aborted, type: value.type, context };
}

for (const entry of ["/dist/index.js", "/bundle.js"]) {
  test(`page plays a call with ${entry}`, async (t) => {
    const { server } = shared;
    const people = createPeople(server, `page ${entry}`);
    const page = await openPage(t);
    const played = page.evaluate(playInPage, { entry, server: server.url, agent: server.agent, thread: people.thread });
    const [outcome] = await Promise.all([played, people.decideNext("allow_once")]);
    assert.equal(outcome.text, `paid ${2n ** 70n}`);
    assert.equal(outcome.aborted, "TimeoutError");
    assert.equal(outcome.type, "TOOL_RESULT");
    assert.match(outcome.context, /use `with` of the function/);
  });
}

test("page of an origin without permission is refused", async (t) => {
  const page = await openPage(t, shared.origin.replace("127.0.0.1", "localhost"));
  const code = await page.evaluate(async ({ server, agent }) => {
    const { Gate } = await import("/bundle.js");
    return new Gate({ server, token: agent }).ready().catch((error) => error.code);
  }, { server: shared.server.url, agent: shared.server.agent });
  assert.equal(code, "unreachable");
});

test("page without a secure connection plays a call without resuming", async (t) => {
  const { server } = shared;
  const people = createPeople(server, "insecure page");
  const page = await openPage(t);
  const played = page.evaluate(async ({ server, agent, thread }) => {
    Object.defineProperty(crypto, "subtle", { value: undefined });
    const { Gate, withApproval } = await import("/bundle.js");
    const gate = new Gate({ server, token: agent, thread });
    return withApproval(gate, "read_it", ({ n }) => n + 1)({ n: 1 });
  }, { server: server.url, agent: server.agent, thread: people.thread });
  assert.equal(await played, 2);
});

test("bundle for browsers is small and has nothing of Node", () => {
  assert.ok(shared.bundle.length < 60_000, `${shared.bundle.length} bytes`);
  assert.ok(!/\brequire\(|from"node:/.test(shared.bundle));
});
