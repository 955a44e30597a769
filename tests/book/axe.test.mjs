// Checks each page of the book in COUNTERSIGN_BOOK with axe: all in the light theme, and some in the dark one.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { startBrowser } from "../browser/support/browser.js";

const book = process.env.COUNTERSIGN_BOOK;
const axe = createRequire(new URL("../browser/package.json", import.meta.url)).resolve("axe-core/axe.min.js");
/** The table of contents, which mdBook makes for browsers without scripts. */
const WITHOUT_PAGE = ["toc.html"];

/** The pages that are checked at the same time: a machine of the gate has two processors. */
const PAGES_AT_ONCE = 2;

async function findViolations(t, colorScheme, names) {
  const browser = await startBrowser(t);
  const source = await readFile(axe, "utf8");
  const [left, found] = [[...names], []];
  const checkAll = async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await page.goto(`file://${book}/${name}`);
      await page.evaluate(source);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      found.push(...violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0].html.slice(0, 200)}`));
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, checkAll));
  return found.sort();
}

test("no page of the book has a finding of axe", async (t) => {
  const files = await readdir(book, { recursive: true });
  const names = files.filter((name) => name.endsWith(".html") && !WITHOUT_PAGE.includes(name)).map((name) => join(name));
  assert.ok(names.length > 100, `${names.length} pages`);
  assert.deepEqual(await findViolations(t, "light", names), []);
});

test("the dark theme of the book has none either", async (t) => {
  assert.deepEqual(await findViolations(t, "dark", ["index.html", "concepts.html", "api.html", "events.html", "guides/inbox.html"]), []);
});
