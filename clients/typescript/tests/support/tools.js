// The test tools, which clients/typescript/tests/run installs into its cache.
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = process.env.COUNTERSIGN_TOOLS;
if (!folder) {
  throw new Error("set COUNTERSIGN_TOOLS to the folder of the tools; clients/typescript/tests/run does");
}
export const toolsFolder = folder;
export const requireTool = createRequire(join(folder, "package.json"));

// A tool's file.
export const toolPath = (...parts) => join(folder, "node_modules", ...parts);

// The program of Deno or Bun. Their packages have one for each platform.
export function findRuntime(name) {
  const { arch, platform } = process;
  const cpu = arch === "arm64" ? { deno: "arm64", bun: "aarch64" } : { deno: "x64", bun: "x64" };
  const places = {
    deno: [["@deno", `${platform}-${cpu.deno}-glibc`, "deno"], ["@deno", `${platform}-${cpu.deno}`, "deno"]],
    // The package of Bun moves the program if it may run its script.
    bun: [["bun", "bin", "bun.exe"], ["@oven", `bun-${platform}-${cpu.bun}`, "bin", "bun"]],
  };
  const found = places[name].map((parts) => toolPath(...parts)).find((path) => existsSync(path) && statSync(path).size > 1_000_000);
  if (!found) {
    throw new Error(`the tools have no ${name} for ${platform} on ${arch}`);
  }
  return found;
}
