// The words for states, and the choice of what a row shows.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");
const { load } = require("./load.js");

const CONCEPTS = readFileSync(join(__dirname, "../../docs/concepts.md"), "utf8");
const AT = "2026-01-31T12:00:00.000Z";
const proposal = { seq: 1, principal: "agent:bot", at: AT };
const response = { decision: "allow_once", source: "approver", principal: "user:ada", at: AT };

test("each state has the word that the concepts list", async () => {
  const { describeState } = await load("card/describe.js");
  const say = (call) => describeState({ proposal, ...call }, Date.parse(AT)).badge;
  for (const state of ["pending", "allowed", "denied", "running", "finished", "cancelled", "unknown"]) {
    assert.equal(say({ state, response: state === "pending" ? undefined : response }), state);
    assert.ok(CONCEPTS.includes(`\`${state}\``), state);
  }
  const more = [say({ state: "finished", response, result: { status: "error", at: AT } }), say({ state: "denied", response: { ...response, source: "expiry", decision: "deny" } })];
  assert.deepEqual(more, ["failed", "expired"]);
  for (const word of more) assert.ok(CONCEPTS.includes(`\`${word}\``), word);
});

test("a word of a later version is shown as it is, and never as allowed", async () => {
  const { describeDecision, describeState, describeSteps } = await load("card/describe.js");
  const later = "Only a later version of Countersign knows this word.";
  const quarantined = { proposal, state: "quarantined", response };
  assert.deepEqual(describeState(quarantined, Date.parse(AT)), { badge: "quarantined", style: "unknown", text: later });
  assert.deepEqual(describeSteps(quarantined).at(-1), { text: `quarantined: ${later}`, at: "", style: "open" });
  const delegated = { ...response, decision: "allow_delegated" };
  assert.deepEqual(describeDecision(delegated), { word: "allow_delegated", style: "unknown" });
  const said = describeState({ proposal, state: "allowed", response: delegated }, Date.parse(AT));
  assert.deepEqual([said.badge, said.style], ["allow_delegated", "unknown"]);
  assert.deepEqual(describeSteps({ proposal, state: "allowed", response: delegated })[1].style, "unknown");
});

test("nobody decides when a request expires", async () => {
  const { describeState, describeSteps } = await load("card/describe.js");
  const call = { proposal, state: "denied", outcome: "It did not run: nobody decided in time.", response: { ...response, decision: "deny", source: "expiry", principal: "system:expiry" } };
  assert.equal(describeState(call, Date.parse(AT)).text, "It did not run: nobody decided in time.");
  assert.equal(describeSteps(call)[1].text, "Nobody decided in time: deny");
});

test("an approval is taken back while no executor has used it", async () => {
  const { mayTakeBack } = await load("card/describe.js");
  const now = Date.parse(AT);
  const may = (call) => mayTakeBack({ state: "allowed", response, ...call }, now);
  assert.ok(may({}) && may({ response: { ...response, lapsesAt: "2026-01-31T12:00:01.000Z" } }));
  assert.ok(may({ response: { ...response, source: "grant", scope: "once" } }), "an approval that moved here");
  assert.ok(![{ state: "running" }, { state: "pending", response: undefined }, { response: { ...response, source: "policy" } }, { response: { ...response, lapsesAt: AT } }].some(may));
});

test("calls form groups in the order of their first calls", async () => {
  const { groupCalls } = await load("inbox-list.js");
  const calls = ["b", "a", "b"].map((threadId, n) => ({ id: `c${n}`, threadId, name: "bash", proposal }));
  const say = (by) => groupCalls(calls, by).map(({ name, calls: inGroup }) => `${name}: ${inGroup.map(({ id }) => id)}`);
  assert.deepEqual(say("thread"), ["b: c0,c2", "a: c1"]);
  assert.deepEqual([say("tool"), say("agent"), groupCalls(calls, "")], [["bash: c0,c1,c2"], ["bot: c0,c1,c2"], null]);
});
