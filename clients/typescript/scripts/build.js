#!/usr/bin/env node
// Compiles the package to dist. npm runs it when the folder is installed or packed.
//
// An installed TypeScript of this folder is used. Otherwise npm fetches the one that is named here into its cache, so that a
// fresh clone can be installed as it is.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPESCRIPT = "typescript@5.9.3";
const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
// npm passes the outer command's options to inner ones: `npm pack --dry-run` would fetch nothing, and `npm install
// --global` would build elsewhere. Only those that say where packages come from are kept.
const kept = /^npm_config_(registry|cache|userconfig|globalconfig|(https?_?|no)_?proxy|cafile|ca|strict_ssl|prefer_offline|offline)$/i;

function buildEnvironment() {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !/^npm_config_/i.test(name) || kept.test(name)));
}

// The files appear together: another program may be reading the earlier ones.
const unfinished = join(folder, `dist.${process.pid}`);

function compile() {
  const local = join(folder, "node_modules", "typescript", "bin", "tsc");
  const choices = ["-p", "tsconfig.json", "--outDir", unfinished];
  const options = { cwd: folder, stdio: ["ignore", "inherit", "inherit"], env: buildEnvironment() };
  if (existsSync(local)) {
    return spawnSync(process.execPath, [local, ...choices], options);
  }
  const npm = process.env.npm_execpath;
  const words = ["exec", "--yes", `--package=${TYPESCRIPT}`, "--", "tsc", ...choices];
  return npm && /\.c?js$/.test(npm)
    ? spawnSync(process.execPath, [npm, ...words], options)
    : spawnSync("npm", words, { ...options, shell: process.platform === "win32" });
}

if (!existsSync(join(folder, "src"))) {
  // A copy of the published package, which is built already.
  process.exit(0);
}
const { status, error } = compile();
if (status !== 0) {
  rmSync(unfinished, { recursive: true, force: true });
  console.error(`countersign: the TypeScript sources could not be compiled${error ? `: ${error.message}` : ""}`);
  process.exit(status || 1);
}
replaceDist(5);

// Two installations at the same time build the same files. The last one stays.
function replaceDist(attempts) {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  try {
    renameSync(unfinished, join(folder, "dist"));
  } catch (error) {
    if (attempts === 0) {
      throw error;
    }
    replaceDist(attempts - 1);
  }
}
