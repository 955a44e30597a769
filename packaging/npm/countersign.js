#!/usr/bin/env node
// Starts the program. npm has installed it as an optional dependency: the package of this platform.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");

const platform = `${process.platform}-${process.arch}`;
const platformPackage = `@countersign/${platform}`;

function fail(message) {
  console.error(`countersign: ${message}`);
  process.exit(1);
}

function findProgram() {
  try {
    return join(dirname(require.resolve(`${platformPackage}/package.json`)), "bin", "countersign");
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies);
    if (!known.includes(platformPackage)) {
      const platforms = known.map((name) => name.split("/")[1]).join(", ");
      return fail(`there is no program for ${platform}. There are programs for ${platforms}.`);
    }
    return fail(
      `the package ${platformPackage} is missing. npm leaves it out with --omit=optional, and a node_modules folder from ` +
        "another platform lacks it. Install it with: npm install --include=optional countersign",
    );
  }
}

// The program's hints name the command that the person typed, not the program's path.
const calledAs = process.env.npm_command === "exec" ? "npx countersign" : "countersign";
const env = { ...process.env, COUNTERSIGN_CALLED_AS: calledAs };
const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit", env });

// A terminal sends its interrupt to both processes, so the program already has it.
const hasTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"]) {
  const isFromTerminal = hasTerminal && (signal === "SIGINT" || signal === "SIGQUIT");
  process.on(signal, () => isFromTerminal || child.kill(signal));
}

child.on("error", (error) => fail(`${child.spawnfile} cannot be started: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // The shell's own code for a signal, if this process ignores it.
  process.exitCode = 128 + constants.signals[signal];
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
