// The page on which an approver registers and removes the keys that prove decisions. Texts are set as text, never as markup.

import { addPasskey, find, listKeys, passkeyTrouble, request } from "./passkeys.js";

let person = null;

function describeKey(key) {
  const kind = key.kind === "ssh" ? "SSH key" : "passkey";
  return `${key.name || kind} (${kind} ${key.id}, added ${key.addedAt.slice(0, 10)})`;
}

function newButton(label, work) {
  const button = document.createElement("button");
  button.textContent = label;
  button.className = "button quiet";
  button.addEventListener("click", () => attempt(work));
  return button;
}

async function removeKey(key) {
  if (!window.confirm(`Remove ${describeKey(key)}? Its earlier proofs stay valid.`)) return;
  await request("POST", `/v1/approver-keys/${key.id}/remove`, {});
  await showKeys();
}

async function showKeys() {
  const { keys } = await listKeys(person);
  find("key-list").replaceChildren(...keys.map((key) => {
    const item = document.createElement("li");
    item.append(`${describeKey(key)} `, newButton("Remove", () => removeKey(key)));
    return item;
  }));
}

async function attempt(work) {
  find("message").textContent = "";
  try {
    await work();
  } catch (error) {
    find("message").textContent = error.message;
  }
}

async function showCaller() {
  let caller = null;
  try {
    caller = await request("GET", "/v1/me");
  } catch (error) {
    if (!error.problem) throw error;
  }
  person = caller && caller.roles.includes("approver") ? caller.person : null;
  find("keys").hidden = person === null;
  find("signed-out").hidden = person !== null;
  if (person !== null) {
    find("name").textContent = person;
    await showKeys();
  }
}

find("add-passkey").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const trouble = passkeyTrouble();
    if (trouble) throw new Error(trouble);
    await addPasskey(person, find("key-name").value.trim());
    find("key-name").value = "";
    await showKeys();
  });
});

attempt(showCaller);
