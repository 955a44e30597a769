// The inbox: what a person sees is what the server has, and only a deliberate act decides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage } from "./support/browser.js";
import { Agent, openInbox, readList, startInbox, stopClock, waitForCount } from "./support/inbox.js";
import { createToken, runCommand, startServer, verifyLog } from "./support/server.js";

test("the list equals the server's after loading, reloading and a restart of the server", async (t) => {
  const { log, server, agent, page } = await startInbox(t);
  for (const id of ["a", "b", "c"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await waitForCount(page, 3);
  assert.deepEqual(await readList(page), ["echo a", "echo b", "echo c"]);
  await page.reload();
  await waitForCount(page, 3);
  const port = new URL(server.url).port;
  await server.stop();
  await page.getByText("Reconnecting…").waitFor();
  await startServer(log, ["--listen", `127.0.0.1:${port}`]);
  await agent.propose("t", "d", "bash", { command: "echo d" });
  await waitForCount(page, 4);
  assert.deepEqual(await readList(page), ["echo a", "echo b", "echo c", "echo d"]);
});

test("a decision at another server process over the same file reaches the page", async (t) => {
  const { log, agent, page } = await startInbox(t);
  const other = await startServer(log);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  const grace = await createToken(log, "grace", "approver");
  await new Agent(other, grace.secret).decide("t", "a", { decision: "allow_once" });
  await waitForCount(page, 0);
  await page.getByText(/^grace, .*: allow once\. It has not started yet\.$/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Allow once" }).count(), 0, "a decided card has no buttons");
  await agent.run("t", "a", "hello");
  await page.locator("tool-approval-card").getByText("hello").waitFor();
  await verifyLog(log);
});

test("two people who decide at once make one decision, and the second is told", async (t) => {
  const { log, server, agent, browser, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  const second = await openInbox(browser, server, "grace", "approver");
  await second.getByRole("button", { name: "Allow once" }).waitFor();
  // The second page does not learn of the first decision before it sends its own.
  await second.route("**/v1/threads/t/tool-calls/a", () => {});
  await page.getByRole("button", { name: /^Deny/ }).click();
  await page.getByText(/It did not run: ada denied it\. ada, .*: deny\.$/).waitFor();
  await second.getByRole("button", { name: "Allow once" }).click();
  await second.getByText(/Already decided by ada, .*: deny\./).waitFor();
  const { events } = await agent.get("/v1/threads/t/events?type=TOOL_APPROVAL_RESPONSE");
  assert.equal(events.length, 1, "one decision");
  await verifyLog(log);
});

test("after a decision the next call appears, with the way back", async (t) => {
  const { log, agent, page } = await startInbox(t);
  for (const id of ["a", "b", "c"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await waitForCount(page, 3);
  // No time passes between the decision and the press that follows it.
  await stopClock(page);
  await page.keyboard.press("n");
  await page.locator("tool-approval-card").getByText("echo b").waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.locator("tool-approval-card").getByText("echo c").waitFor();
  const last = page.locator("last-decision");
  await last.getByText("Allowed bash b").waitFor();
  await last.getByText("2 left.").waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("This call has just appeared. Look at it, then decide.").waitFor();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/c")).state, "pending");
  await page.keyboard.press("u");
  await last.getByText("Taken back: bash b").waitFor();
  assert.equal(await last.getByRole("button", { name: "Take back" }).count(), 0);
  const taken = await agent.get("/v1/threads/t/tool-calls/b");
  assert.equal(taken.state, "cancelled");
  await assert.rejects(agent.post("/v1/threads/t/tool-calls/b/claim", { executor: "w", argumentsHash: taken.argumentsHash }), /not_allowed/);
  await page.clock.fastForward(1_000);
  await page.getByRole("button", { name: /^Deny/ }).click();
  await page.locator("tool-approval-card").getByText("echo a").waitFor();
  await last.getByText("Denied bash c").waitFor();
  await last.getByRole("button", { name: "Show it" }).click();
  await page.locator("tool-approval-card").getByText(/It did not run: ada denied it\. ada, .*: deny\.$/).waitFor();
  await verifyLog(log);
});

test("an approval that an executor has used cannot be taken back", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.getByRole("button", { name: "Allow once" }).click();
  const last = page.locator("last-decision");
  await last.getByText("Nothing is left.").waitFor();
  await page.locator("tool-approval-card").getByRole("button", { name: "Take back the approval" }).waitFor();
  // The page does not learn of the claim before it sends the take-back.
  await page.route("**/v1/threads/t/tool-calls/a", () => {});
  await agent.run("t", "a", "hello");
  await last.getByRole("button", { name: "Take back" }).click();
  await page.getByText(/Not taken back: claimed already by worker/).waitFor();
});

test("a call that arrives never moves the card or the focus under the hand", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.focus();
  await agent.propose("t", "b", "bash", { command: "echo b" });
  await waitForCount(page, 2);
  await page.locator("tool-approval-card").getByText("echo a").waitFor();
  await agent.cancel("t", "a");
  await page.locator("tool-approval-card").getByText("It did not run: bot withdrew it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Allow once" }).count(), 0, "no other call takes its place");
});

test("long arguments must be on show before they can be allowed", async (t) => {
  const { agent, page } = await startInbox(t);
  const content = Array.from({ length: 200 }, (_, n) => `line ${n}`).join("\n");
  await agent.propose("t", "a", "file-write", { path: "/srv/a", content });
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  assert.ok(await allow.isDisabled());
  await page.keyboard.press("o");
  assert.equal(await page.getByText("Press the same key again").count(), 0);
  await page.getByRole("button", { name: "Show all arguments to decide" }).click();
  await page.locator("tool-approval-card .facts").scrollIntoViewIfNeeded();
  await page.getByText("once the end of the arguments was on the screen").waitFor({ state: "detached" });
  assert.ok(await allow.isEnabled());
});

test("numbers and hidden characters show as they are, and an edit keeps them", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.proposeText("t", "a", "transfer", '{"amount":12345678901234567890.10,"to":"ada","note":"pay\\u202e"}');
  await page.locator("tool-approval-card").getByText("12345678901234567890.10").waitFor();
  await page.locator("tool-approval-card mark", { hasText: "\\u{202e}" }).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const text = page.locator("textarea");
  await text.fill((await text.inputValue()).replace('"ada"', '"bob"'));
  await page.getByRole("button", { name: "Allow the edited call" }).click();
  await waitForCount(page, 0);
  const answer = await agent.getText("/v1/threads/t/tool-calls/a");
  assert.ok(answer.includes('"amount":12345678901234567890.10') && answer.includes('"to":"bob"'), answer);
});

test("an edit that the tool does not take is refused before it is sent", async (t) => {
  const { agent, page } = await startInbox(t);
  const inputSchema = { type: "object", required: ["to"], properties: { to: { type: "string", minLength: 3 }, copies: { type: "integer" } } };
  await agent.post("/v1/threads/t/tool-calls", { id: "a", name: "send-email", arguments: { to: "ada", copies: 1 }, definition: { inputSchema } });
  await page.getByRole("button", { name: "Edit" }).click();
  const box = (name) => page.locator("arguments-editor label", { hasText: name }).locator("textarea");
  const send = page.getByRole("button", { name: "Allow the edited call" });
  await box("copies").fill("1.5");
  await page.getByRole("alert").getByText('the tool does not take them: 1.5 is not of type "integer" at "/copies"').waitFor();
  assert.ok(await send.isDisabled());
  await box("copies").fill("2");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await send.click();
  await waitForCount(page, 0);
  assert.deepEqual((await agent.get("/v1/threads/t/tool-calls/a")).arguments, { to: "ada", copies: 2 });
});

test("each argument has a text box, and its change is shown", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.proposeText("t", "a", "send-email", '{"to":"ada","body":"Hello,\\n\\nyour ticket","copies":1.50,"urgent":false}');
  await page.getByRole("button", { name: "Edit" }).click();
  const box = (name) => page.locator("decision-panel label", { hasText: name }).locator("textarea");
  assert.equal(await box("body").inputValue(), "Hello,\n\nyour ticket", "line breaks are line breaks");
  const send = page.getByRole("button", { name: "Allow the edited call" });
  assert.ok(await send.isDisabled(), "nothing is changed");
  await box("body").fill('Hello,\n\nyour "ticket" is closed');
  await box("to").fill("12");
  const changes = page.locator("decision-panel .changes");
  assert.deepEqual(await changes.locator("dt").allTextContents(), ["to", "body"]);
  await changes.getByText('your "ticket" is closed').waitFor();
  await box("copies").fill("two");
  await page.getByText("This is not JSON. Text needs quotation marks here.").waitFor();
  assert.ok(await send.isDisabled());
  await box("copies").fill("2.50");
  await send.click();
  await waitForCount(page, 0);
  const answer = await agent.getText("/v1/threads/t/tool-calls/a");
  assert.ok(answer.includes('"copies":2.50') && answer.includes('"to":"12"') && answer.includes('"urgent":false'), answer);
  assert.equal(JSON.parse(answer).arguments.body, 'Hello,\n\nyour "ticket" is closed');
});

test("a choice of scope shows what it covers, and decides the calls that wait", async (t) => {
  const { agent, page } = await startInbox(t);
  for (const id of ["a", "b"]) await agent.propose("t", id, "bash", { command: "git status" });
  await waitForCount(page, 2);
  await page.keyboard.press("s");
  await page.getByText("this exact call").waitFor();
  await page.getByText("Also allow 1 that wait now: b").click();
  await page.getByRole("button", { name: "Allow these calls" }).click();
  await waitForCount(page, 0);
  const { grants } = await agent.get("/v1/threads/t/grants");
  assert.equal(grants.length, 1);
  assert.equal(Date.parse(grants[0].until) - Date.parse(grants[0].at), 3_600_000, "an hour, if nothing else is chosen");
});

test("an approval of later calls ends as the person chooses", async (t) => {
  const { agent, page } = await startInbox(t);
  for (const id of ["a", "b", "c", "d", "e"]) await agent.propose("t", id, "bash", { command: "git status" });
  await waitForCount(page, 5);
  await page.keyboard.press("s");
  await page.getByText("Also allow 4 that wait now").waitFor();
  await page.getByLabel("For how long").selectOption("for the next 3 calls within 1 hour");
  await page.getByText("Also allow 3 that wait now: b, c, d").click();
  await page.getByRole("button", { name: "Allow these calls" }).click();
  await waitForCount(page, 1);
  const { grants } = await agent.get("/v1/threads/t/grants?all=true");
  assert.deepEqual([grants[0].uses, grants[0].used, grants[0].end.cause], [3, 3, "used_up"]);
});

test("a bulk decision applies to exactly the calls on show", async (t) => {
  const { agent, page } = await startInbox(t);
  for (const id of ["a", "b", "c"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await waitForCount(page, 3);
  await page.getByLabel("check a").check();
  await page.getByLabel("check c").check();
  await page.locator("bulk-review").getByText("echo c").waitFor();
  await agent.propose("t", "d", "bash", { command: "echo d" });
  await waitForCount(page, 4);
  await page.getByRole("button", { name: "Allow these 2 once" }).click();
  await waitForCount(page, 2);
  assert.deepEqual(await readList(page), ["echo b", "echo d"]);
});

test("stopping a thread denies its calls and no others", async (t) => {
  const { agent, page } = await startInbox(t);
  for (const [thread, id] of [["t", "a"], ["t", "b"], ["u", "c"]]) await agent.propose(thread, id, "bash", { command: `echo ${id}` });
  await waitForCount(page, 3);
  await page.getByRole("button", { name: "Stop the thread…" }).click();
  await page.getByRole("button", { name: "Deny 2", exact: true }).click();
  await waitForCount(page, 1);
  assert.deepEqual(await readList(page), ["echo c"]);
});

test("hostile content in any field neither runs nor breaks the page", async (t) => {
  const { agent, page } = await startInbox(t);
  const broken = [];
  page.on("pageerror", (error) => broken.push(error.message));
  page.on("dialog", (dialog) => { broken.push("a dialog"); dialog.dismiss(); });
  const markup = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>{{7*7}}${7*7}";
  const texts = [markup, "\u202e\u2066txt.exe\u2069", "😀".repeat(5_000), "\u001b[31mred\u001b[0m\u0007", "a".repeat(20_000), "שלום عالم"];
  for (const [n, text] of texts.entries()) {
    const impact = { message: text.slice(0, 900), riskLevel: "high", affectedResources: [text.slice(0, 200)] };
    await agent.propose("t", `call_${n}`, "bash", { command: text, [`key ${text.slice(0, 40)}`]: [text.slice(0, 300)] }, impact);
  }
  await agent.propose("t", "large", "file-write", { content: `${markup}\n`.repeat(9_000).slice(0, 900_000) });
  await waitForCount(page, texts.length + 1);
  for (let n = 0; n <= texts.length; n += 1) {
    const unfold = page.getByRole("button", { name: "Show all arguments to decide" });
    if ((await unfold.count()) > 0) await unfold.click();
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    const { width, client } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, client: innerWidth }));
    assert.ok(width <= client, `call ${n}: the page is ${width} pixels wide`);
    await page.keyboard.press("n");
  }
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.deepEqual(broken, []);
});

test("more than twenty calls can be grouped, and controls sort and narrow the list", async (t) => {
  const { agent, page } = await startInbox(t);
  const propose = (n) => agent.propose(`t${n % 3}`, `c${n}`, n % 2 ? "bash" : "fetch", { command: `echo ${n}` }, n === 4 ? { riskLevel: "high", message: "x" } : undefined);
  for (let n = 0; n < 20; n += 1) await propose(n);
  await waitForCount(page, 20);
  const group = page.getByRole("combobox", { name: "Group", exact: true });
  assert.equal(await group.count(), 0, "twenty calls need no groups");
  await propose(20);
  await waitForCount(page, 21);
  await group.selectOption("thread");
  const heads = page.locator("countersign-inbox .rows li.group h3");
  await heads.first().waitFor();
  assert.equal((await heads.first().textContent()).trim(), "t0 7");
  assert.deepEqual((await readList(page)).slice(0, 3), ["echo 0", "echo 3", "echo 6"]);
  await page.keyboard.press("n");
  await page.locator("tool-approval-card").getByText("echo 3", { exact: true }).waitFor();
  await page.locator("countersign-inbox .rows li.group").first().getByRole("button", { name: "Review 7" }).click();
  await page.getByRole("button", { name: "Allow these 7 once" }).waitFor();
  await page.getByRole("combobox", { name: "Group", exact: true }).selectOption("");
  await page.getByRole("combobox", { name: "Sort", exact: true }).selectOption("risk");
  assert.equal((await readList(page))[0], "echo 4");
  await page.getByRole("combobox", { name: "Tool", exact: true }).selectOption("bash");
  assert.equal(await page.locator("#filter").inputValue(), "tool:bash");
  assert.equal((await readList(page)).length, 10);
  await page.getByRole("combobox", { name: "Tool", exact: true }).selectOption("");
  await page.getByRole("combobox", { name: "Risk", exact: true }).selectOption("high");
  assert.deepEqual(await readList(page), ["echo 4"]);
});

test("the keyboard filters the list, decides a call in it, and says how many are left", async (t) => {
  const { agent, page } = await startInbox(t);
  for (const command of ["echo a", "make b", "make c"]) await agent.propose("t", command.at(-1), "bash", { command });
  await waitForCount(page, 3);
  await page.keyboard.press("/");
  await page.keyboard.type("make");
  await page.keyboard.press("Enter");
  await page.locator("tool-approval-card").getByText("make b", { exact: true }).waitFor();
  assert.equal(await page.locator("#filter").inputValue(), "make", "the filter stays");
  await page.clock.install();
  await page.keyboard.press("d");
  await page.getByText("Press the same key again to deny.").waitFor();
  await page.clock.fastForward(1_000);
  await page.keyboard.press("d");
  await page.locator("last-decision").getByText("2 left.").waitFor();
  await page.locator("tool-approval-card").getByText("make c", { exact: true }).waitFor();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/b")).state, "denied");
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByRole("status").getByText("1 decision", { exact: true }).waitFor();
});

test("a thousand pending calls stay fast: only the visible rows are drawn", async (t) => {
  const { log, agent, page } = await startInbox(t);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, 'default = "ask"\n[limits]\npendingPerThread = 2000\npendingPerAgent = 2000\n'));
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => agent.propose("t", `c${n}`, "bash", { command: `echo ${n}` })));
  await waitForCount(page, 1_000);
  assert.ok((await page.locator("countersign-inbox .rows li").count()) < 60);
  await page.locator("countersign-inbox .rows").evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
  await page.locator("countersign-inbox .rows li").last().waitFor();
  await page.reload();
  await waitForCount(page, 1_000);
});

test("a gap in the network loses no call", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await waitForCount(page, 1);
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("The answer of the server was lost.").waitFor();
  await agent.propose("t", "b", "bash", { command: "echo b" });
  await page.context().setOffline(false);
  await waitForCount(page, 2);
});

test("after sleep the list is the server's, also if the server was restarted meanwhile", async (t) => {
  const { log, server, agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await waitForCount(page, 1);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await agent.cancel("t", "a");
  await server.stop();
  await startServer(log, ["--listen", new URL(server.url).host]);
  await agent.propose("t", "b", "bash", { command: "echo b" });
  await agent.propose("t", "c", "bash", { command: "echo c" });
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await waitForCount(page, 2);
  assert.deepEqual(await readList(page), ["echo b", "echo c"]);
});

test("a call is drawn in the frame after the page has read it", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await waitForCount(page, 1);
  // Listen before the call is proposed: the page announces the number of calls as soon as it has read one.
  await page.evaluate(() => {
    const find = (root) => [...root.querySelectorAll("*")].some((node) =>
      (node.shadowRoot && find(node.shadowRoot)) || (node.matches("li, [role=option], [role=row]") && node.textContent.includes("echo b")));
    globalThis.wasDrawn = new Promise((resolve) => {
      document.addEventListener("pending-count", ({ detail }) => {
        if (detail === 2) requestAnimationFrame(() => resolve(find(document)));
      });
    });
  });
  await agent.propose("t", "b", "bash", { command: "echo b" });
  assert.equal(await page.evaluate(() => globalThis.wasDrawn), true);
});

test("an auditor sees everything and has no buttons", async (t) => {
  const { agent, page } = await startInbox(t, { role: "auditor", name: "eve" });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.locator("tool-approval-card").getByText("echo a").waitFor();
  assert.equal(await page.getByRole("button", { name: "Allow once" }).count(), 0);
});

test("a person who signs out elsewhere is told so", async (t) => {
  const { page } = await startInbox(t);
  await page.getByText("Nothing waits for you").waitFor();
  await page.evaluate(async () => {
    const { CountersignClient } = await import("/assets/countersign.js");
    await new CountersignClient().signOut();
  });
  await page.getByText("You are signed out").waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  test(`each state of the page passes axe and fits 320 pixels (${colorScheme})`, async (t) => {
    const { server, agent, browser } = await startInbox(t);
    const page = await openInbox(browser, server, "grace", "approver", { colorScheme });
    await page.getByText("Nothing waits for you").waitFor();
    await checkPage(page);
    const impact = { message: "Deploys main", riskLevel: "critical", reversible: false, affectedResources: ["db-1"] };
    await agent.propose("t", "a", "bash", { command: "cd /srv && git pull | tee log # go" }, impact);
    await agent.propose("t", "b", "edit", { path: "a", old_string: "1\n2", new_string: "1\n3" });
    await waitForCount(page, 2);
    await checkPage(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const key of ["s", "Escape", "e", "Escape", "n"]) {
      await page.keyboard.press(key);
      await checkPage(page);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await page.getByRole("button", { name: /^Deny/ }).click();
    await page.locator("last-decision").getByText("Denied").waitFor();
    await checkPage(page);
  });
}
