// The installed programs of the agents.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

/// The folder with the installed packages.
export const MODULES = path.join(process.env.AGENT_TESTS_FOLDER, "node_modules");

/// The program of this name in the packages of a maker.
export function findProgram(maker, name) {
  const folder = path.join(MODULES, maker);
  const found = fs.readdirSync(folder, { recursive: true }).find((file) => path.basename(file) === name && fs.statSync(path.join(folder, file)).size > 1e7);
  assert.ok(found, `${name} is installed`);
  return path.join(folder, found);
}
