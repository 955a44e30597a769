// The test server as another version: a real server behind `tests/versions/other_version.py`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../../tests/versions/other_version.py", import.meta.url));

// Starts the other version. Returns its address.
export async function startOtherVersion(t, url, ...words) {
  const child = spawn("python3", [program, url, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.stdin.end());
  const [address] = await once(createInterface({ input: child.stdout }), "line");
  return address;
}
