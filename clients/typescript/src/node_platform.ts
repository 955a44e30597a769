// The parts of Node, and of Deno and Bun, that browsers do not have: environment variables, files, sockets, and call context.
// They are requested at run time, so a bundle for a browser needs nothing in their place.
import { onAbort } from "./abort.js";
import { errorText, makeError } from "./replies.js";

interface NodeProcess {
  env?: Record<string, string | undefined>;
  pid?: number;
  argv?: string[];
  cwd?(): string;
  versions?: { node?: string };
  getBuiltinModule?(name: string): unknown;
}

interface NodeFiles {
  readFileSync(path: string, encoding: "utf8"): string;
}

interface NodeResponse extends AsyncIterable<Uint8Array> {
  statusCode?: number;
  rawHeaders: string[];
  destroy(): void;
}

interface NodeRequest {
  on(event: "error", listener: (error: Error) => void): void;
  destroy(error?: Error): void;
  end(body?: string): void;
}

interface NodeHttp {
  request(url: string, options: object, answer: (response: NodeResponse) => void): NodeRequest;
}

/** A value that belongs to a chain of asynchronous calls. */
export interface AsyncContext<T> {
  run<R>(value: T, work: () => R): R;
  getStore(): T | undefined;
}

/** The form of `fetch` that the client uses. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

const nodeProcess = (globalThis as { process?: NodeProcess }).process;

/** An environment variable. An empty one, and one that the program may not read, is treated as unset. */
export function readVariable(name: string): string | undefined {
  try {
    return nodeProcess?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** The script, the folder and the machine of this process, where they are known. */
export function readMachine(): { script?: string | undefined; folder?: string | undefined; host?: string | undefined } {
  try {
    const host = findModule<{ hostname(): string }>("node:os")?.hostname();
    return { script: nodeProcess?.argv?.[1], folder: nodeProcess?.cwd?.(), host };
  } catch {
    return {};
  }
}

/** The process in an executor name, where there is one. */
export function processName(): string {
  return nodeProcess?.versions?.node && nodeProcess.pid !== undefined ? `-${nodeProcess.pid}` : "";
}

/** True where programs may name themselves in requests. In a browser, the header would need a permission. */
export const namesItself = nodeProcess?.versions?.node !== undefined;

function findModule<T>(name: string): T | undefined {
  return nodeProcess?.getBuiltinModule?.(name) as T | undefined;
}

function requireModule<T>(name: string, purpose: string): T {
  const found = findModule<T>(name);
  if (!found) {
    throw makeError("bad_url", `${purpose} needs Node 20.16 or later, Deno or Bun`);
  }
  return found;
}

/** Reads a file. Throws the error `code` if it cannot be read. */
export function readTextFile(path: string, code: string, what: string): string {
  const files = requireModule<NodeFiles>("node:fs", `to read ${what} from a file`);
  try {
    return files.readFileSync(path, "utf8");
  } catch (cause) {
    throw makeError(code, `${what} in ${path} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/** Creates a context of calls, where the platform has them. */
export function createAsyncContext<T>(): AsyncContext<T> | undefined {
  const hooks = findModule<{ AsyncLocalStorage?: new () => AsyncContext<T> }>("node:async_hooks");
  return hooks?.AsyncLocalStorage && new hooks.AsyncLocalStorage();
}

/** A `fetch` function over the server's socket, or with its own certificate authorities. */
export function createNodeFetch(options: { socketPath?: string; ca?: string; isSecure: boolean }): FetchFunction {
  const http = requireModule<NodeHttp>(options.isSecure ? "node:https" : "node:http", "a socket, or an own authority,");
  const { socketPath, ca } = options;
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      // Each request has a connection of its own: Deno does not end a request on a connection that has served another.
      const settings = { method, headers, agent: false, socketPath, ca };
      const request = http.request(url, settings, (response) => resolve(webResponse(response)));
      request.on("error", reject);
      onAbort(signal ?? undefined, () => request.destroy(new Error("the request has ended")));
      request.end(typeof body === "string" ? body : undefined);
    });
}

function webResponse(response: NodeResponse): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    headers.append(response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? "");
  }
  const parts = response[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    cancel: () => response.destroy(),
  });
  const status = response.statusCode ?? 0;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? body : null, { status, headers });
}
