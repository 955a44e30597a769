// The line on stderr for people whose program waits for a decision.
import type { CallPlace } from "./operations.js";
import type { ClientSettings } from "./settings.js";

const PAGE_HOST = "countersign.localhost";
const LOCAL_HOSTS = ["127.0.0.1", "[::1]", "localhost", "0.0.0.0", "[::]"];
const MOST_KNOWN = 1000;

const known = new Set<string>();

/** The address of a call's page; undefined for a server that listens on a socket file. */
export function callLink(server: string, place: CallPlace): string | undefined {
  if (server.startsWith("unix:")) {
    return undefined;
  }
  const url = new URL(server);
  if (LOCAL_HOSTS.includes(url.hostname)) {
    // The pages of a server on this machine have a host of their own.
    url.hostname = PAGE_HOST;
  }
  return `${url.href.replace(/\/+$/, "")}/calls/${encodeURIComponent(place.thread)}/${encodeURIComponent(place.id)}`;
}

/** Says once for each call where people decide it, unless `quiet` is set. */
export function announceWaiting(settings: Pick<ClientSettings, "quiet" | "server">, place: CallPlace): void {
  const key = JSON.stringify([settings.server, place.thread, place.id]);
  if (settings.quiet || known.has(key)) {
    return;
  }
  known.add(key);
  for (const oldest of known) {
    if (known.size <= MOST_KNOWN) {
      break;
    }
    known.delete(oldest);
  }
  const link = callLink(settings.server, place) ?? "see `countersign pending`";
  console.warn(`countersign: a call waits for a decision: ${link}`);
}
