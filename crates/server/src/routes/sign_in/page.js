// The page on which people sign in and out. The token of a link is in the fragment of the URL, which browsers send to no
// server; the page removes it from the history at once.
"use strict";

const find = (id) => document.getElementById(id);

async function request(method, path, body) {
  const options = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(answer.detail || `the server answers ${response.status}`);
  }
  return answer;
}

function describeRights(caller) {
  const threads = (caller.threads || []).join(", ") || "all threads";
  const level = caller.level ? `, level ${caller.level}` : "";
  return `Role ${caller.roles.join(", ")}${level}; you see ${threads}.`;
}

function show(caller) {
  find("sign-in").hidden = caller !== null;
  find("signed-in").hidden = caller === null;
  if (caller !== null) {
    find("name").textContent = caller.person || caller.agent;
    find("rights").textContent = describeRights(caller);
  }
}

async function attempt(work) {
  find("message").textContent = "";
  try {
    await work();
  } catch (error) {
    find("message").textContent = error.message;
  }
}

async function signIn(token) {
  show(await request("POST", "/v1/sessions", { token }));
}

async function signOut(path) {
  await request("DELETE", path);
  show(null);
}

async function showCaller() {
  try {
    show(await request("GET", "/v1/me"));
  } catch {
    show(null);
  }
}

find("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = find("token").value.trim();
  find("token").value = "";
  attempt(() => signIn(token));
});
find("sign-out").addEventListener("click", () => attempt(() => signOut("/v1/sessions/current")));
find("sign-out-everywhere").addEventListener("click", () => attempt(() => signOut("/v1/sessions")));

const linked = location.hash.slice(1);
if (linked) {
  history.replaceState(null, "", location.pathname);
  attempt(async () => {
    show(null);
    await signIn(linked);
  });
} else {
  showCaller();
}
