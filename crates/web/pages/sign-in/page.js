// The page on which people sign in and out. A link's token is in the URL fragment, which browsers send to no
// server; the page removes it from the history at once. Content is set as text, never as markup.

import { CountersignClient } from "/assets/countersign.js";
import { passkeyTrouble, signInWithPasskey } from "/assets/passkeys.js";

const find = (id) => document.getElementById(id);

const client = new CountersignClient();

// The facts about a caller: pairs of a name and a value.
function describeCaller(caller) {
  const facts = [["Role", caller.roles.join(", ")]];
  if (caller.level) {
    facts.push(["Level", caller.level]);
  }
  if (caller.groups && caller.groups.length > 0) {
    facts.push(["Groups", caller.groups.join(", ")]);
  }
  facts.push(["Threads", (caller.threads || []).join(", ") || "all"]);
  if (caller.expiresAt) {
    const end = new Date(caller.expiresAt);
    facts.push(["Until", end.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })]);
  }
  return facts;
}

function showFacts(facts) {
  const terms = facts.flatMap(([name, value]) => {
    const term = document.createElement("dt");
    const text = document.createElement("dd");
    term.textContent = name;
    text.textContent = value;
    return [term, text];
  });
  find("facts").replaceChildren(...terms);
}

function show(caller) {
  find("sign-in").hidden = caller !== null;
  find("signed-in").hidden = caller === null;
  document.title = `${caller === null ? "Sign in" : "Signed in"} · Countersign`;
  if (caller !== null) {
    const name = (caller.person || caller.agent).replace(/^(user|agent):/, "");
    find("name").textContent = name;
    find("initial").textContent = Array.from(name)[0];
    showFacts(describeCaller(caller));
  }
}

async function attempt(work) {
  const buttons = document.querySelectorAll("button");
  find("message").textContent = "";
  for (const button of buttons) {
    button.disabled = true;
  }
  try {
    await work();
  } catch (error) {
    const text = error.message;
    find("message").textContent = text.charAt(0).toUpperCase() + text.slice(1);
  }
  for (const button of buttons) {
    button.disabled = false;
  }
}

// Leads to the page that asked to sign in. Without one, this page says who is signed in.
function goOn() {
  if (target) {
    location.replace(target);
  } else {
    find("name").focus();
  }
}

async function signIn(token) {
  show(await client.request("POST", "/v1/sessions", { token }));
  goOn();
}

// A link that was used before signs no one in. Whoever is signed in already needs none.
async function signInByLink(token) {
  try {
    await signIn(token);
  } catch (error) {
    const caller = error.code === "link_used" ? await client.caller().catch(() => null) : null;
    if (caller === null) {
      throw error;
    }
    show(caller);
    find("message").textContent = "The link was used before. You are signed in already.";
    goOn();
  }
}

async function signInByTouch() {
  const trouble = passkeyTrouble();
  if (trouble) {
    throw new Error(trouble);
  }
  show(await signInWithPasskey(client));
  goOn();
}

async function signOut(path) {
  const out = await client.signOut(path);
  if (out !== null) {
    location.assign(out);
    return;
  }
  show(null);
  find("token").focus();
}

async function showCaller() {
  try {
    show(await client.caller());
    if (isBack) goOn();
  } catch {
    show(null);
  }
}

find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = find("token").value.trim();
  find("token").value = "";
  attempt(() => signIn(token));
});
find("passkey").addEventListener("click", () => attempt(signInByTouch));
find("sign-out").addEventListener("click", () => attempt(() => signOut("/v1/sessions/current")));
find("sign-out-everywhere").addEventListener("click", () => attempt(() => signOut("/v1/sessions")));

// Where the page that asked is kept while an identity provider signs in.
const KEPT = "countersign-to";

// Whether an identity provider has just led back here.
const isBack = sessionStorage.getItem(KEPT) !== null;

// The page that asked to sign in. Only an address of this server counts, so that no link can lead elsewhere.
function findTarget() {
  const asked = new URLSearchParams(location.search).get("to") ?? sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const target = asked ? URL.parse(asked, location.origin) : null;
  return target && target.origin === location.origin ? target.pathname + target.search : null;
}

const target = findTarget();
if (target) {
  find("open-inbox").href = target;
  find("open-inbox").textContent = "Continue";
  find("oidc")?.addEventListener("click", () => sessionStorage.setItem(KEPT, target));
}

const linked = location.hash.slice(1);
if (linked) {
  history.replaceState(null, "", location.pathname + location.search);
  attempt(async () => {
    show(null);
    await signInByLink(linked);
  });
} else {
  showCaller();
}
