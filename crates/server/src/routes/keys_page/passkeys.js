// Passkeys in the browser: create one, and sign a statement of Countersign with one. Also sends requests.

export function find(id) {
  return document.getElementById(id);
}

// An error response, with its problem details.
export class Refusal extends Error {
  constructor(problem, status) {
    super(problem.detail || `the server answers ${status}`);
    this.problem = problem;
  }
}

// Sends a request, and returns the text of the response.
export async function requestText(method, path, body) {
  const options = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(path, options);
  const text = await response.text();
  if (!response.ok) {
    let problem = {};
    try {
      problem = JSON.parse(text);
    } catch {
      // A proxy may answer with a page of its own.
    }
    throw new Refusal(problem, response.status);
  }
  return text;
}

export async function request(method, path, body) {
  return JSON.parse(await requestText(method, path, body));
}

export function encode(bytes) {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function decode(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

export async function hash(text) {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}

export function toHex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The reason why this page cannot use passkeys, or null. Browsers bind them to a host name.
export function passkeyTrouble() {
  const isAddress = /^[\d.]+$/.test(location.hostname) || location.hostname.startsWith("[");
  if (isAddress) {
    const port = location.port ? `:${location.port}` : "";
    return `Passkeys need a host name instead of an IP address: open ${location.protocol}//localhost${port}${location.pathname}`;
  }
  if (!window.isSecureContext || !window.PublicKeyCredential) {
    return "This browser offers passkeys only over HTTPS, or on localhost.";
  }
  return null;
}

// All keys of this person that prove decisions, and the identity of the log.
export async function listKeys(person) {
  const keys = [];
  let page = { next: 0 };
  while (typeof page.next === "number") {
    page = await request("GET", `/v1/approver-keys?limit=1000&after=${page.next}`);
    keys.push(...page.keys);
  }
  return { log: page.log, keys: keys.filter((key) => key.approver === person) };
}

// Passkeys of this site: those of another host name cannot be used here.
export function passkeysHere(keys) {
  return keys.filter((key) => key.kind === "passkey" && key.publicKey.split(" ")[1] === location.hostname);
}

// Signs the statement with one of the passkeys. The challenge is its SHA-256, so the assertion is valid for nothing else.
export async function signStatement(statement, keys) {
  const usable = passkeysHere(keys);
  if (usable.length === 0) {
    throw new Error("You have no passkey for this site: add one at /keys/ first.");
  }
  const credential = await navigator.credentials.get({ publicKey: {
    challenge: await hash(statement),
    rpId: location.hostname,
    allowCredentials: usable.map((key) => ({ type: "public-key", id: decode(key.credentialId) })),
    userVerification: "required",
  } });
  const key = usable.find((candidate) => candidate.credentialId === encode(credential.rawId));
  return { kind: "passkey", key: key.id, ...assertionOf(credential) };
}

export function assertionOf(credential) {
  return {
    signature: encode(credential.response.signature),
    authenticatorData: encode(credential.response.authenticatorData),
    clientData: encode(credential.response.clientDataJSON),
  };
}

// Creates a passkey for this person, and registers it. If the person has another key already, that one proves it.
export async function addPasskey(person, name) {
  const { log, keys } = await listKeys(person);
  const statement = `Countersign new passkey 1\nlog: ${log}\napprover: ${person}\n`;
  const credential = await navigator.credentials.create({ publicKey: {
    challenge: await hash(statement),
    rp: { id: location.hostname, name: "Countersign" },
    user: { id: await hash(person), name: person, displayName: person },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: passkeysHere(keys).map((key) => ({ type: "public-key", id: decode(key.credentialId) })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    attestation: "none",
  } });
  const passkey = {
    clientData: encode(credential.response.clientDataJSON),
    attestation: encode(credential.response.attestationObject),
  };
  const body = { kind: "passkey", passkey };
  if (name) body.name = name;
  try {
    return await request("POST", "/v1/approver-keys", body);
  } catch (error) {
    if (!error.problem || error.problem.code !== "proof_required") throw error;
    const proof = await signStatement(error.problem.statement, keys);
    return request("POST", "/v1/approver-keys", { ...body, proof });
  }
}

// Signs in with a passkey of this site, which the authenticator or the person chooses.
export async function signInWithPasskey() {
  const { challenge } = await request("POST", "/v1/sessions/passkey/challenge", {});
  const credential = await navigator.credentials.get({ publicKey: {
    challenge: decode(challenge),
    rpId: location.hostname,
    userVerification: "required",
  } });
  return request("POST", "/v1/sessions/passkey", { credentialId: encode(credential.rawId), ...assertionOf(credential) });
}
