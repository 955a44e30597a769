// The package: generated files, types, and installations from the folder and from a tarball.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { errorClasses } from "@countersign/client";
import { toolPath } from "./support/tools.js";

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const repository = join(packageFolder, "..", "..");

function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-package-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("generated files match the document", async () => {
  await run(process.execPath, [join(packageFolder, "scripts", "generate.js"), "--check"]);
});

test("each documented code has a class", () => {
  // Codes that only pages for people report have no class.
  const pages = new Set(["sign_in_failed", "sign_in_refused", "provider_unavailable", "tool_changed"]);
  const documented = new Set();
  for (const line of readFileSync(join(repository, "docs", "api.md"), "utf8").split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    if (cells.length > 4 && /^\d+$/.test(cells[1])) {
      cells[2].split(",").forEach((code) => documented.add(code.replace(/[` ]/g, "")));
    }
  }
  assert.ok(documented.size > 40);
  assert.deepEqual([...documented].filter((code) => !pages.has(code) && !errorClasses.has(code)), []);
});

test("sources stay short and begin with a description", () => {
  const generated = new Set(["types.ts", "error_codes.ts"]);
  const all = readdirSync(join(packageFolder, "src"), { recursive: true });
  const files = all.filter((name) => name.endsWith(".ts") && !generated.has(name));
  assert.ok(files.length > 20);
  for (const name of files) {
    const text = readFileSync(join(packageFolder, "src", name), "utf8");
    assert.match(text, /^(\/\/|\/\*\*)/, name);
    assert.ok(text.split("\n").length <= 301, `${name} is too long: split it`);
    assert.ok(text.split("\n").every((line) => line.length <= 130), `${name} has a line of more than 130 characters`);
  }
});

// The configurations of programs that use the package: the way in which it is found, and the platform's declarations.
const programs = {
  "of Node without those of browsers": { module: "NodeNext", lib: ["ES2022"], types: ["node"] },
  "of browsers": { module: "ESNext", moduleResolution: "Bundler", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [] },
};
for (const compiler of ["typescript", "typescript-native"]) {
  for (const [name, options] of Object.entries(programs)) {
    test(`types hold in ${compiler} with declarations ${name}`, async (t) => {
      const folder = temporaryFolder(t);
      cpSync(join(packageFolder, "tests", "types"), folder, { recursive: true });
      for (const scope of ["@countersign", "@types"]) {
        mkdirSync(join(folder, "node_modules", scope), { recursive: true });
      }
      symlinkSync(packageFolder, join(folder, "node_modules", "@countersign", "client"));
      symlinkSync(toolPath("@types", "node"), join(folder, "node_modules", "@types", "node"));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
      const compilerOptions = { target: "ES2022", noEmit: true, ...strict, ...options };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      await run(process.execPath, [toolPath(compiler, "bin", "tsc"), "-p", folder]).catch((error) => {
        assert.fail(error.stdout + error.stderr);
      });
    });
  }
}

const USE = `
import { Gate, withApproval } from "@countersign/client";
const deploy = withApproval(new Gate({ server: "http://127.0.0.1:1" }), "deploy", ({ service }) => service);
console.log(typeof deploy.with);
`;

// A copy of the package folder as a fresh clone has it: without anything that was built or installed.
function freshClone(folder) {
  const clone = join(folder, "clone");
  const isBuilt = (path) => /^(dist|dist\..*|node_modules)$/.test(basename(path));
  cpSync(packageFolder, clone, { recursive: true, filter: (path) => !isBuilt(path) });
  return clone;
}

async function newProject(folder) {
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, "use.js"), USE);
  return project;
}

async function checkInstalled(project) {
  assert.equal((await run(process.execPath, ["use.js"], { cwd: project })).stdout, "function\n");
  const installed = join(project, "node_modules", "@countersign", "client");
  const { exports: entries } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const entry of Object.values(entries).flatMap((one) => (typeof one === "string" ? [one] : Object.values(one)))) {
    assert.ok(readFileSync(join(installed, entry), "utf8").length > 0, entry);
  }
  assert.match(readFileSync(join(installed, "README.md"), "utf8"), /withApproval/);
}

const npm = (cwd, ...words) => run("npm", [...words, "--no-audit", "--no-fund", "--no-update-notifier"], { cwd });

for (const [name, options] of [["as a link", []], ["as a copy", ["--install-links"]]]) {
  test(`folder of a fresh clone installs ${name}`, async (t) => {
    const folder = temporaryFolder(t);
    const [clone, project] = [freshClone(folder), await newProject(folder)];
    await npm(project, "install", ...options, clone);
    await checkInstalled(project);
  });
}

test("tarball of a fresh clone installs", async (t) => {
  const folder = temporaryFolder(t);
  const [clone, project] = [freshClone(folder), await newProject(folder)];
  await npm(clone, "pack", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const { stdout } = await run("tar", ["-tzf", join(folder, tarball)]);
  const files = stdout.trim().split("\n");
  for (const file of ["dist/index.js", "dist/index.d.ts", "LICENSE-APACHE", "LICENSE-MIT"]) {
    assert.ok(files.includes(`package/${file}`), file);
  }
  assert.deepEqual(files.filter((file) => !/^package\/(dist\/|package\.json$|README\.md$|LICENSE-)/.test(file)), []);
  await npm(project, "install", "--ignore-scripts", join(folder, tarball));
  await checkInstalled(project);
});
