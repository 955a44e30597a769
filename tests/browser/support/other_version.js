// The server as another version: a real server behind `tests/versions/other_version.py`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../versions/other_version.py", import.meta.url));

// Starts the other version. Returns the address of its pages.
export async function startOtherVersion(t, server, ...words) {
  const child = spawn("python3", [program, server.url, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.stdin.end());
  const [address] = await once(createInterface({ input: child.stdout }), "line");
  const pages = new URL(server.pages);
  pages.port = new URL(address).port;
  return pages.origin;
}
