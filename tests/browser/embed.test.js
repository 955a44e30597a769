// Examples that embed the elements in other pages: plain HTML, React and Svelte, with the packages of these frameworks.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { compile } from "svelte/compiler";
import { startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, startServer } from "./support/server.js";

const examples = join(import.meta.dirname, "../../examples/embed");

// Compiles components of Svelte for a page.
const svelte = {
  name: "svelte",
  setup: (bundle) => bundle.onLoad({ filter: /[.]svelte$/ }, async ({ path }) => {
    const { js } = compile(await readFile(path, "utf8"), { filename: path, generate: "client" });
    return { contents: js.code, loader: "js", resolveDir: import.meta.dirname };
  }),
};

// Bundles a page that shows an example, as the framework tools do.
async function bundlePage(source) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: "jsx" },
    bundle: true, write: false, format: "esm", jsx: "automatic", plugins: [svelte], external: ["/assets/*"],
    define: { "process.env.NODE_ENV": '"production"' }, nodePaths: [join(import.meta.dirname, "node_modules")],
  });
  return outputFiles[0].text;
}

// Opens a page with this script at the server origin.
async function openExample(t, script, content = '<div id="root"></div>') {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  await agent.propose("release-7", "call_1", "bash", { command: "echo a" });
  await agent.propose("release-7", "call_2", "bash", { command: "echo b" });
  const page = await openInbox(await startBrowser(t), server, "ada", "approver");
  const body = `<!doctype html><title>Example</title><link rel="stylesheet" href="/assets/tokens.css">${content}<script type="module" src="/embed/page.js"></script>`;
  await page.route("**/embed/page.html", (route) => route.fulfill({ body, contentType: "text/html" }));
  await page.route("**/embed/page.js", (route) => route.fulfill({ body: script, contentType: "text/javascript" }));
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${server.pages}/embed/page.html`);
  return { agent, page, errors };
}

// Allows the call on show, shows another, and denies that.
async function decideBoth({ agent, page, errors }) {
  const card = page.locator("#root > tool-approval-card");
  await card.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("decided: allow_once call_1").waitFor();
  await page.getByRole("button", { name: "Next call" }).click();
  await card.getByText("echo b").first().waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  await page.getByText("decided: deny call_2").waitFor();
  const states = await Promise.all(["call_1", "call_2"].map(async (id) => (await agent.get(`/v1/threads/release-7/tool-calls/${id}`)).state));
  assert.deepEqual([states, errors], [["allowed", "denied"], []]);
}

test("the samples of the guide show and decide calls", async (t) => {
  const guide = await readFile(join(import.meta.dirname, "../../docs/guides/inbox.md"), "utf8");
  const [, content] = guide.match(/^```html\n(.*?)^```/ms);
  const [, script] = guide.match(/^```js\n(.*?)^```/ms);
  const { agent, page, errors } = await openExample(t, script, content);
  await page.locator("countersign-inbox").getByText("echo b").first().waitFor();
  const { state, response } = await agent.awaitDecision("release-7", "call_1");
  assert.deepEqual([state, response.comment, errors], ["denied", "not now", []]);
});

test("the example for React decides calls and counts them", async (t) => {
  const world = await openExample(t, await bundlePage(`
    import { useState } from "react";
    import { createRoot } from "react-dom/client";
    import { ApprovalCard, PendingCalls } from "${examples}/Approvals.jsx";
    function Page() {
      const [call, setCall] = useState("call_1");
      const [said, setSaid] = useState("");
      const [count, setCount] = useState(-1);
      return <>
        <p>pending: {String(count)}</p><p>{said}</p><button onClick={() => setCall("call_2")}>Next call</button>
        <ApprovalCard thread="release-7" call={call} onDecided={({ decision, call }) => setSaid("decided: " + decision + " " + call.id)} />
        <PendingCalls thread="release-7" onCount={setCount} />
      </>;
    }
    createRoot(document.getElementById("root")).render(<Page />);`));
  await world.page.getByText("pending: 2").waitFor();
  await decideBoth(world);
  await world.page.getByText("pending: 0").waitFor();
});

test("the example for Svelte decides calls", async (t) => {
  const world = await openExample(t, await bundlePage(`
    import { mount, unmount } from "svelte";
    import Approvals from "${examples}/Approvals.svelte";
    const said = document.body.appendChild(document.createElement("p"));
    const target = document.getElementById("root");
    const ondecided = ({ decision, call }) => (said.textContent = "decided: " + decision + " " + call.id);
    let shown = mount(Approvals, { target, props: { thread: "release-7", call: "call_1", ondecided } });
    const next = document.body.appendChild(document.createElement("button"));
    next.textContent = "Next call";
    next.onclick = async () => {
      await unmount(shown);
      shown = mount(Approvals, { target, props: { thread: "release-7", call: "call_2", ondecided } });
    };`));
  await world.page.locator("countersign-thread").getByRole("button", { name: /echo a/ }).waitFor();
  await decideBoth(world);
});
