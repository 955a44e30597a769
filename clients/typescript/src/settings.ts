// Where the server is, and who the caller is: from options, and from the same variables as the program `countersign`.
import { createNodeFetch, namesItself, readTextFile, readVariable, type FetchFunction } from "./node_platform.js";
import { programPlace, threadOf, type ProgramPlace } from "./place.js";
import { makeError } from "./replies.js";

const DEFAULT_SERVER = "http://127.0.0.1:7878";
const DEFAULT_TIMEOUT_MS = 30_000;
/** Gate options. Where there are environment variables, those complete them. */
export interface GateOptions {
  /** `http://host:port`, `https://host`, or `unix:` and a socket path. `COUNTERSIGN_SERVER`. */
  server?: string | undefined;
  /** The caller's token. Only a server in solo mode accepts callers without one. `COUNTERSIGN_TOKEN`. */
  token?: string | undefined;
  /** A file with the token. `COUNTERSIGN_TOKEN_FILE`. */
  tokenFile?: string | undefined;
  /** The thread of calls that name none. `COUNTERSIGN_THREAD`, or else one for this program in this folder on this machine. */
  thread?: string | undefined;
  /** Where the calls run; this program, its folder and this machine without it. An approval holds only there. */
  place?: ProgramPlace | undefined;
  /** The time to wait for the answer to one request, 30 seconds without it. Waits for a decision have their own limit. */
  timeoutMs?: number | undefined;
  /** A file with the only certificate authorities to trust (PEM), instead of the system's. `COUNTERSIGN_TLS_CA`. */
  tlsCa?: string | undefined;
  /** Further headers of each request, as a proxy before the server may need them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** True to print no line when a call waits for a decision. `COUNTERSIGN_QUIET`. */
  quiet?: boolean | undefined;
  /** Another `fetch`, for example one that goes through a proxy. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** A client's settings, complete and checked. */
export interface ClientSettings {
  server: string;
  /** The base URL for requests. For a socket, its host is a dummy. */
  baseUrl: string;
  thread: string;
  /** Whether the thread was named, by an option or by the environment. */
  namesThread: boolean;
  place: ProgramPlace;
  timeoutMs: number;
  quiet: boolean;
  /** The headers of every request. */
  requestHeaders: Readonly<Record<string, string>>;
  fetch: FetchFunction;
}

/** Completes the options with environment variables, and checks them. An empty variable is treated as unset. */
export function readSettings(options: GateOptions): ClientSettings {
  const server = options.server || readVariable("COUNTERSIGN_SERVER") || DEFAULT_SERVER;
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  if (!(timeoutMs > 0)) {
    throw new RangeError("timeoutMs must be more than 0");
  }
  const baseUrl = readBaseUrl(server);
  const place = options.place ?? programPlace();
  const thread = options.thread || readVariable("COUNTERSIGN_THREAD");
  return {
    server,
    baseUrl,
    thread: thread || threadOf(place),
    namesThread: Boolean(thread),
    place,
    timeoutMs,
    quiet: options.quiet ?? Boolean(readVariable("COUNTERSIGN_QUIET")),
    requestHeaders: readHeaders(options),
    fetch: options.fetch ? callFetch(options.fetch) : chooseFetch(server, baseUrl, options),
  };
}

function readBaseUrl(server: string): string {
  if (server.startsWith("unix:")) {
    return "http://localhost";
  }
  const url = parseUrl(server);
  const remedy = `use an address such as ${DEFAULT_SERVER} or unix:/run/countersign.sock`;
  if (!url || !["http:", "https:"].includes(url.protocol) || !url.hostname) {
    // The text in front of an @ may be a password.
    throw makeError("bad_url", `${JSON.stringify(server.replace(/^.*@/s, "…@"))} is not the address of a server; ${remedy}`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw makeError("bad_url", `the address of the server ${url.host} has a user, a query or a fragment; ${remedy}`);
  }
  return server.replace(/\/+$/, "");
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function chooseFetch(server: string, baseUrl: string, options: GateOptions): FetchFunction {
  const isSecure = baseUrl.startsWith("https:");
  if (server.startsWith("unix:")) {
    return createNodeFetch({ socketPath: server.slice("unix:".length), isSecure });
  }
  const tlsCa = options.tlsCa || readVariable("COUNTERSIGN_TLS_CA");
  if (tlsCa && isSecure) {
    const ca = readTextFile(tlsCa, "bad_url", "the authorities");
    if (!ca.includes("-----BEGIN")) {
      throw makeError("bad_url", `the authorities in ${tlsCa} cannot be read: the file has no certificate (PEM)`);
    }
    return createNodeFetch({ ca, isSecure });
  }
  // Read at each request, so that a program may replace it.
  return (url, init) => globalThis.fetch(url, init);
}

function callFetch(fetch: typeof globalThis.fetch): FetchFunction {
  return (url, init) => fetch(url, init);
}

function readHeaders(options: GateOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (namesItself) {
    headers["user-agent"] = "countersign-typescript";
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  const token = readToken(options)?.trim();
  if (token !== undefined) {
    if (!/^[!-~]+$/.test(token)) {
      throw makeError("unauthenticated", "the token has characters that no token has");
    }
    headers["authorization"] = `Bearer ${token}`;
  }
  return headers;
}

/** The token, the one in the file, or the one in the environment. */
function readToken(options: GateOptions): string | undefined {
  if (options.token) {
    return options.token;
  }
  const path = options.tokenFile || readVariable("COUNTERSIGN_TOKEN_FILE");
  return path ? readTextFile(path, "unauthenticated", "the token") : readVariable("COUNTERSIGN_TOKEN");
}
