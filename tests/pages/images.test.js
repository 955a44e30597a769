// The documentation pictures: the script takes all that the pages show, and no others.
const assert = require("node:assert/strict");
const { readFileSync, readdirSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");

const ROOT = join(__dirname, "../..");
const readImages = async () => (await import("../browser/images/list.js")).IMAGES.map(({ name }) => `${name}.png`).sort();

test("the script takes the pictures that pages show", async () => {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true }).filter((path) => path.endsWith(".md"));
  const texts = ["README.md", ...docs.map((path) => join("docs", path))].map((path) => readFileSync(join(ROOT, path), "utf8"));
  const shown = texts.flatMap((text) => [...text.matchAll(/\]\([^)\s]*\bimages\/([^)\s]+\.png)\)/g)].map(([, name]) => name));
  assert.deepEqual(await readImages(), [...new Set(shown)].sort());
});

test("each picture exists, and no other does", async () => {
  const files = readdirSync(join(ROOT, "docs/images")).filter((name) => name.endsWith(".png"));
  assert.deepEqual(await readImages(), files.sort());
});
