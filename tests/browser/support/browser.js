// The system's Chromium, without its own network access.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const flags = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

// Starts a browser, which is closed when the test ends. Each browser context has its own cookies.
export async function startBrowser(t) {
  const executablePath = places.find((place) => place && existsSync(place));
  assert(executablePath, "Chromium is not installed; set CHROMIUM to its path");
  const browser = await chromium.launch({ executablePath, args: flags });
  t.after(() => browser.close());
  return browser;
}

// Opens an empty page with its own cookies.
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  context.setDefaultTimeout(30_000);
  return context.newPage();
}

// Waits until the page shows who is signed in, and returns the name and the facts.
export async function readSignedIn(page) {
  await page.locator("#signed-in").waitFor();
  const names = await page.locator("#facts dt").allTextContents();
  const values = await page.locator("#facts dd").allTextContents();
  return { name: await page.locator("#name").textContent(), ...Object.fromEntries(names.map((name, at) => [name, values[at]])) };
}

const wide = { width: 1280, height: 800 };
const narrow = { width: 320, height: 640 };

// Checks the page with axe: wide in both colour schemes, and narrow, where nothing may be cut off.
export async function checkPage(page) {
  // The page's policy forbids other scripts; evaluating one in the page is not bound by it.
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  for (const [colorScheme, size] of [["light", wide], ["dark", wide], ["light", narrow]]) {
    // A transition would show a colour between the two.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(size);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    assert.deepEqual(found, [], `${colorScheme}, ${size.width} pixels`);
  }
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert(width <= narrow.width, `the page is ${width} pixels wide`);
}
