// What the pictures show: a month of calls in a small company, and its Friday, with the calls that wait at half past two.

export const NOW = Date.parse("2026-11-27T13:30:00.000Z");
export const BEGINS_AT = "2026-10-26T07:30:00.000Z";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const POLICY = `default = "ask"

[[rule]]
name = "no force pushes"
tool = "bash"
command = "git push*--force*"
verdict = "block"
reason = "history is shared"

[[rule]]
name = "searches"
tool = ["file-read", "file-search"]
verdict = "allow"

[[rule]]
name = "production deploys need two"
tool = "deploy"
when = "args.environment == 'production'"
verdict = "ask"
quorum = 2
reason = "customers notice"

[[rule]]
name = "no access to backups"
tool = "bash"
command = "rm*/backup*"
verdict = "block"
reason = "backups are for emergencies"
`;

/** Random numbers that are the same each time. */
function newRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The calls of the past weeks: how often, what, and how likely people deny it. `n` makes each different. */
const HABITS = [
  { weight: 8, agent: "builder", tool: "bash", args: (n) => ({ command: ["git status -s", "git status src", "git status --short"][n % 3] }) },
  { weight: 4, agent: "builder", tool: "bash", args: (n) => ({ command: `git diff --stat ${["src", "docs", "tests"][n % 3]}` }) },
  { weight: 5, agent: "builder", tool: "bash", args: () => ({ command: "cargo test --workspace" }) },
  { weight: 3, agent: "builder", tool: "bash", args: (n) => ({ command: `git push origin fix-${400 + n}` }), denied: 0.1 },
  { weight: 2, agent: "builder", tool: "bash", args: (n) => ({ command: `rm -rf build-${n}` }), denied: 0.5 },
  { weight: 1, agent: "builder", tool: "bash", args: () => ({ command: "git push --force" }) },
  { weight: 4, agent: "support-bot", tool: "send-email", args: (n) => ({ to: `customer-${1_000 + n}@example.com`, subject: "Your order is on its way" }), denied: 0.05 },
  { weight: 2, agent: "finance-bot", tool: "transfer", args: (n) => ({ amount: `${120 + n}.00`, currency: "EUR", payee: "Nordwind Energie GmbH" }), denied: 0.1 },
  { weight: 3, agent: "release-bot", tool: "deploy", args: (n) => ({ service: "shop-api", version: `7.3.${n}`, environment: "staging" }) },
  { weight: 3, agent: "builder", tool: "file-search", args: (n) => ({ pattern: `voucher ${n}` }) },
];

/** Proposes a call, lets a person answer it, and runs it if it is allowed. */
async function playCall(past, { at, agent, thread, id, tool, args, more = {}, after = 40_000, by = "ada", decision = "allow_once", comment, output, runs = 4_000, fails = false }) {
  const path = `/v1/threads/${thread}/tool-calls`;
  const bot = past.as(`agent:${agent}`);
  await past.setTime(at);
  let call = await bot.post(path, { id, name: tool, arguments: args, ...more });
  if (call.state === "pending" && decision) {
    await past.setTime(at + after);
    const answer = typeof decision === "string" ? { decision } : decision;
    call = decision === "withdraw"
      ? await bot.cancel(thread, id)
      : await past.as(`user:${by}`).decide(thread, id, { ...answer, ...(comment ? { comment } : {}) });
  }
  if (call.state !== "allowed" || output === undefined) return;
  await past.setTime(at + after + 1_000);
  await bot.post(`${path}/${id}/claim`, { executor: `${agent}-1`, argumentsHash: call.argumentsHash });
  if (output === null) return;
  await past.setTime(at + after + runs);
  await bot.post(`${path}/${id}/result`, { status: fails ? "error" : "success", content: output });
}

/** The calls of four weeks, from Monday to Friday. */
async function playPast(past) {
  const random = newRandom(7);
  const total = HABITS.reduce((sum, { weight }) => sum + weight, 0);
  let n = 0;
  for (let day = Date.parse("2026-10-28T00:00:00Z"); day < Date.parse("2026-11-26T00:00:00Z"); day += DAY) {
    if ([0, 6].includes(new Date(day).getUTCDay())) continue;
    const count = 5 + Math.floor(random() * 13);
    for (let call = 0; call < count; call += 1) {
      n += 1;
      let point = random() * total;
      const habit = HABITS.find(({ weight }) => (point -= weight) < 0) ?? HABITS[0];
      const fate = random();
      const decision = fate < (habit.denied ?? 0) ? "deny" : fate > 0.96 ? "withdraw" : "allow_once";
      await playCall(past, {
        at: day + 8 * 60 * MINUTE + (call * 540 * MINUTE) / count, agent: habit.agent, thread: `${habit.agent}-${Math.floor(n / 30)}`, id: `call_${n}`,
        tool: habit.tool, args: habit.args(n), decision, by: random() < 0.6 ? "ada" : "grace", after: Math.floor(8_000 + 25_000 * -Math.log(1 - random())),
        comment: decision === "deny" ? "not now" : undefined, output: "done",
      });
    }
  }
}

/** Yesterday: what the review of the day shows. */
async function playYesterday(past) {
  const day = Date.parse("2026-11-26T00:00:00Z");
  const call = (hour, id, more) => playCall(past, { at: day + hour * 60 * MINUTE, agent: "builder", thread: "checkout-fix", id, tool: "bash", output: "done", ...more });
  for (const [n, hour] of [8, 9.2, 10.6, 13].entries()) await call(hour, `s${n}`, { args: { command: "git status -s" }, thread: `checkout-${n}` });
  for (const [n, hour] of [13.4, 14, 14.6].entries()) await call(hour, `m${n}`, { agent: "support-bot", tool: "read-mail", args: { folder: "support" }, thread: `support-${471 + n}` });
  await call(15, "p", { args: { command: "git push origin fix-checkout" }, by: "grace" });
  await call(15.4, "d", { args: { command: "rm -rf node_modules/.cache" }, decision: "deny", comment: "the build needs it" });
  await call(16, "e", { agent: "support-bot", tool: "send-email", args: { to: "customer-1201@example.com", subject: "Your refund" }, thread: "support-471" });
}

const say = async (past, at, principal, message) => {
  await past.setTime(at);
  await past.as(principal).post("/v1/threads/release-7.4/messages", { format: "plain", message });
};

/** The release, with its conversation. */
async function playRelease(past) {
  const at = (minute) => NOW - (95 - minute) * MINUTE;
  const call = (minute, id, more) => playCall(past, { at: at(minute), agent: "release-bot", thread: "release-7.4", id, tool: "bash", ...more });
  await say(past, at(0), "agent:release-bot", { role: "system", text: "You release services. Ask before you change production, and report what you did in one sentence." });
  await say(past, at(1), "user:ada", { role: "user", text: "Release 7.4.0 of the shop API. The changelog is ready." });
  await call(2, "call_01", { tool: "file-read", args: { path: "CHANGELOG.md" }, output: "## 7.4.0\n\n- Pay with a gift card" });
  await call(3, "call_02", {
    args: { command: "cargo test --workspace && cargo clippy -- -D warnings" }, comment: "go ahead", after: 52_000, runs: 38_200,
    more: { description: "Run all tests before the release", impact: { message: "Builds and tests the workspace; changes no file of the project", riskLevel: "low", reversible: true } },
    output: "test result: ok. 412 passed; 0 failed\nfinished in 38.2 s",
  });
  await say(past, at(8), "agent:release-bot", { role: "agent", text: "All 412 tests pass and the tree is clean. I would now tag 7.4.0 and push the tag." });
  await call(9, "call_03", { args: { command: "git tag v7.4.0 && git push origin v7.4.0" }, decision: { decision: "allow_session", scope: "exact" }, output: "* [new tag] v7.4.0 -> v7.4.0" });
  await call(14, "call_04", { tool: "deploy", args: { service: "shop-api", version: "7.4.0", environment: "production" }, decision: "deny", by: "grace", comment: "staging comes first" });
  await say(past, at(18), "agent:release-bot", { role: "agent", text: "The deployment to production was denied: staging comes first. I deploy 7.4.0 to staging." });
  await call(19, "call_05", { tool: "deploy", args: { service: "shop-api", version: "7.4.0", environment: "staging" }, output: "3 of 3 instances run 7.4.0" });
  await call(24, "call_06", { args: { command: "curl -fsS https://staging.example.com/healthz" }, output: "curl: (22) The requested URL returned error: 503", fails: true, by: "grace" });
  await call(27, "call_07", { args: { command: "git push --force origin main" }, output: "" });
  await say(past, at(30), "user:ada", { role: "user", text: "Staging needed a migration; it is healthy now. Go on with production." });
}

/** The rest of the day, for the history. */
async function playMorning(past) {
  const call = (minutes, id, more) => playCall(past, { at: NOW - minutes * MINUTE, agent: "builder", thread: "checkout-fix", id, tool: "bash", output: "done", ...more });
  await call(61, "call_11", { agent: "finance-bot", thread: "invoices-november", tool: "transfer", args: { amount: "310.40", currency: "EUR", payee: "Papier & Co. KG", iban: "DE02100500000054540402" } });
  await call(55, "call_12", { args: { command: "npm run build" }, by: "grace" });
  await call(48, "call_13", { args: { command: "rm -rf dist /srv/backup/shop" } });
  await call(44, "call_14", { args: { command: "npm run test:checkout" }, output: "2 of 118 tests failed", fails: true });
  await call(37, "call_15", { agent: "support-bot", thread: "support-474", tool: "send-email", args: { to: "customer-1217@example.com", subject: "Your refund", body: "We have refunded 49.90 EUR." }, decision: "deny", by: "grace", comment: "the amount is 39.90" });
  await call(31, "call_16", { args: { command: "git push origin fix-checkout" } });
  await call(22, "call_17", { args: { command: "docker compose up -d --build" }, output: null });
  await call(18, "call_18", { agent: "support-bot", thread: "support-475", tool: "send-email", args: { to: "customer-1218@example.com", subject: "Your invoice" }, decision: "withdraw" });
  await call(6, "call_19", { args: { command: "npm run e2e -- --project=checkout" }, after: 21_000, output: null });
}

/** The calls that wait. */
const WAITING = [
  { minutes: 14, agent: "release-bot", thread: "release-7.4", id: "call_08", tool: "deploy", args: { service: "shop-api", version: "7.4.0", environment: "production" },
    more: { description: "Deploy shop-api 7.4.0 to production", impact: { message: "Rolls out to all customers", riskLevel: "critical", reversible: true, affectedResources: ["shop-api", "orders database"], estimatedImpact: "2 minutes of rolling restarts" } } },
  { minutes: 9, agent: "finance-bot", thread: "invoices-november", id: "call_21", tool: "transfer", args: { payee: "Nordwind Energie GmbH", iban: "DE89370400440532013000", amount: "1250.00", currency: "EUR", reference: "Invoice 2026-1187" },
    more: { impact: { message: "Pays an invoice", riskLevel: "high", reversible: false } } },
  { minutes: 7, agent: "builder", thread: "checkout-fix", id: "call_22", tool: "edit", args: { path: "src/checkout/total.ts", old_string: "return net + vat;", new_string: "return round(net + vat - voucher);" } },
  { minutes: 5, agent: "support-bot", thread: "support-474", id: "call_23", tool: "send-email", args: { to: "customer-1217@example.com", subject: "Your refund", body: "Dear Ms Okoye,\n\nwe have refunded 39.90 EUR to your card.\n\nKind regards\nThe shop" },
    more: { impact: { riskLevel: "medium" } } },
  { minutes: 4, agent: "builder", thread: "checkout-fix", id: "call_24", tool: "bash", args: { command: "cd site && npm run build | tee build.log" } },
  { minutes: 2, agent: "builder", thread: "checkout-fix", id: "call_25", tool: "AskUserQuestion", args: { questions: [{ question: "Round the voucher per item or per order?", header: "Rounding", multiSelect: false, options: [
    { label: "Per item", description: "As the old shop did" }, { label: "Per order", description: "As the invoice says" }] }] },
    more: { definition: { needsApproval: true } } },
];

async function playWaiting(past) {
  for (const { minutes, ...call } of WAITING) await playCall(past, { at: NOW - minutes * MINUTE, decision: null, ...call });
  await past.setTime(NOW - MINUTE);
  await past.as("user:grace").decide("release-7.4", "call_08", { decision: "allow_once", comment: "staging is healthy" });
}

/** Creates the credentials, which the settings list. */
async function createTokens(past) {
  const mira = past.as("user:mira");
  const tokens = [
    { name: "release-bot", role: "agent", threads: ["release-*"] }, { name: "finance-bot", role: "agent", threads: ["invoices-*"] },
    { name: "support-bot", role: "agent" }, { name: "ada", role: "approver" }, { name: "grace", role: "approver" },
  ];
  for (const token of tokens) await mira.post("/v1/tokens", token);
}

/** Fills a new log, and leaves the clock at `NOW`. @param {import("./past.js").Past} past */
export async function tellStory(past) {
  const mira = past.as("user:mira");
  const { hash } = await mira.get("/v1/policy");
  await mira.send("PUT", "/v1/policy", JSON.stringify({ text: POLICY, source: "/etc/countersign/policy.toml", replaces: hash }));
  await createTokens(past);
  await playPast(past);
  await playYesterday(past);
  await playRelease(past);
  await playMorning(past);
  await playWaiting(past);
  await past.setTime(NOW);
}
