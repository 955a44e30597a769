// The browser interface files: their types, origin and size.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const run = promisify(execFile);
const here = import.meta.dirname;
const assets = join(here, "../../crates/web/assets");
const modules = join(here, "node_modules");
// The folder of each vendored package, and its folder in `node_modules`.
const vendored = { "lit-html": "lit-html", "reactive-element": "@lit/reactive-element" };

const listFiles = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

test("the vendored files are those of the npm packages in the lock file", async () => {
  for (const [folder, name] of Object.entries(vendored)) {
    const root = join(assets, "vendor", folder);
    const files = await listFiles(root);
    assert.ok(files.some((file) => file.endsWith("LICENSE")), `${name} has its licence`);
    for (const file of files) {
      const original = file.replace(root, join(modules, name));
      assert.deepEqual(await readFile(file), await readFile(original), file);
    }
  }
});

test("the modules pass the type check", async (t) => {
  const copy = await mkdtemp(join(tmpdir(), "countersign-types-"));
  t.after(() => rm(copy, { recursive: true, force: true }));
  await cp(assets, join(copy, "assets"), { recursive: true });
  for (const [folder, name] of Object.entries(vendored)) {
    for (const file of await listFiles(join(copy, "assets/vendor", folder))) {
      if (!file.endsWith(".js")) continue;
      const types = file.replace(/\.js$/, ".d.ts");
      await cp(types.replace(join(copy, "assets/vendor", folder), join(modules, name)), types);
    }
  }
  await cp(join(modules, "@lit/reactive-element/reactive-controller.d.ts"), join(copy, "assets/vendor/reactive-element/reactive-controller.d.ts"));
  const compilerOptions = {
    checkJs: true, noEmit: true, strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, types: [],
    target: "esnext", module: "esnext", moduleResolution: "bundler", lib: ["esnext", "dom", "dom.iterable"],
  };
  await writeFile(join(copy, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["assets"], exclude: ["assets/vendor"] }));
  await run(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", copy]).catch((error) => assert.fail(error.stdout));
});

// 172 KB since people link chat accounts and hand over their queues; 168 KB since approvals of later calls have limits; 167 KB since the pages register devices for notifications; 163 KB since the pages check policies and edits while they are written; 160 KB since they take approvals back, edit each argument, group the
// list, and a review shows what a card shows; before that, 137 KB.
test("all scripts and styles are under 172 KB compressed", async () => {
  const files = (await listFiles(assets)).filter((file) => /\.(?:js|css)$/.test(file));
  let bytes = 0;
  for (const file of files) bytes += gzipSync(await readFile(file)).length;
  assert.ok(bytes < 172_000, `${bytes} bytes`);
});
