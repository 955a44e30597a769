// Passkeys in the browser: create one, sign in with one, and sign a statement of Countersign with one.

import { CountersignError } from "./countersign.js";

/** @import { CountersignClient } from "./countersign.js" */
/** @import { ApproverKey, ProofBody } from "./types.d.ts" */

/** @param {ArrayBuffer} bytes The bytes to write in base64url. */
function encode(bytes) {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
function decode(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** The SHA-256 hash of `text`. @param {string} text */
export async function hashText(text) {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}

/** The SHA-256 hash of `text`, in hexadecimal digits. @param {string} text */
export async function hexHash(text) {
  return Array.from(new Uint8Array(await hashText(text)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The reason why this page cannot use passkeys, or null. Browsers bind them to a host name. */
export function passkeyTrouble() {
  const isAddress = /^[\d.]+$/.test(location.hostname) || location.hostname.startsWith("[");
  if (isAddress) return "Passkeys need a host name instead of an IP address: start the server with --public-url and a name.";
  if (!window.isSecureContext || !window.PublicKeyCredential) {
    return "This browser offers passkeys only over HTTPS, or on localhost.";
  }
  return null;
}

/** All keys of this person that prove decisions, and the log identity. @param {CountersignClient} client @param {string} person */
export async function listKeys(client, person) {
  /** @type {ApproverKey[]} */
  const keys = [];
  let page = { next: /** @type {number | null} */ (0), log: "" };
  while (typeof page.next === "number") {
    const read = await client.request("GET", `/v1/approver-keys?limit=1000&after=${page.next}`);
    keys.push(...read.keys);
    page = read;
  }
  return { log: page.log, keys: keys.filter((key) => key.approver === person) };
}

/** Passkeys of this site: keys for another host name cannot be used here. @param {ApproverKey[]} keys */
export function passkeysHere(keys) {
  return keys.filter((key) => key.kind === "passkey" && key.publicKey.split(" ")[1] === location.hostname);
}

/** @param {ApproverKey[]} keys @returns {PublicKeyCredentialDescriptor[]} */
const describeCredentials = (keys) => keys.map((key) => ({ type: "public-key", id: decode(key.credentialId ?? "") }));

/** @param {Credential | null} credential */
function assertionOf(credential) {
  const { response } = /** @type {PublicKeyCredential} */ (credential);
  const { signature, authenticatorData, clientDataJSON } = /** @type {AuthenticatorAssertionResponse} */ (response);
  return { signature: encode(signature), authenticatorData: encode(authenticatorData), clientData: encode(clientDataJSON) };
}

/**
 * Signs the statement with one of the passkeys. The challenge is its SHA-256, so the assertion is valid for nothing else.
 * @param {string} statement @param {ApproverKey[]} keys @returns {Promise<ProofBody>}
 */
export async function signStatement(statement, keys) {
  const usable = passkeysHere(keys);
  if (usable.length === 0) throw new Error("You have no passkey for this site: add one at /settings first.");
  const credential = /** @type {PublicKeyCredential} */ (
    await navigator.credentials.get({
      publicKey: {
        challenge: await hashText(statement),
        rpId: location.hostname,
        allowCredentials: describeCredentials(usable),
        userVerification: "required",
      },
    })
  );
  const key = usable.find((candidate) => candidate.credentialId === encode(credential.rawId));
  if (!key) throw new Error("The authenticator used a passkey that is not yours here.");
  return { kind: "passkey", key: key.id, ...assertionOf(credential) };
}

/**
 * Creates a passkey for this person, and registers it. If the person has another key already, that one proves it.
 * @param {CountersignClient} client @param {string} person @param {string} name
 */
export async function addPasskey(client, person, name) {
  const { log, keys } = await listKeys(client, person);
  const credential = /** @type {PublicKeyCredential} */ (
    await navigator.credentials.create({
      publicKey: {
        challenge: await hashText(`Countersign new passkey 1\nlog: ${log}\napprover: ${person}\n`),
        rp: { id: location.hostname, name: "Countersign" },
        user: { id: await hashText(person), name: person, displayName: person },
        pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: /** @type {const} */ ("public-key"), alg })),
        excludeCredentials: describeCredentials(passkeysHere(keys)),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        attestation: "none",
      },
    })
  );
  const { clientDataJSON, attestationObject } = /** @type {AuthenticatorAttestationResponse} */ (credential.response);
  const body = {
    kind: "passkey",
    passkey: { clientData: encode(clientDataJSON), attestation: encode(attestationObject) },
    ...(name ? { name } : {}),
  };
  try {
    return await client.request("POST", "/v1/approver-keys", body);
  } catch (error) {
    const statement = error instanceof CountersignError && error.code === "proof_required" ? error.problem.statement : undefined;
    if (statement === undefined) throw error;
    return client.request("POST", "/v1/approver-keys", { ...body, proof: await signStatement(statement, keys) });
  }
}

/** Signs in with a passkey of this site, which the authenticator or the person chooses. @param {CountersignClient} client */
export async function signInWithPasskey(client) {
  const { challenge } = await client.request("POST", "/v1/sessions/passkey/challenge", {});
  const credential = /** @type {PublicKeyCredential} */ (
    await navigator.credentials.get({
      publicKey: { challenge: decode(challenge), rpId: location.hostname, userVerification: "required" },
    })
  );
  return client.request("POST", "/v1/sessions/passkey", { credentialId: encode(credential.rawId), ...assertionOf(credential) });
}
