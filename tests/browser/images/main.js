// Takes the documentation pictures: all, or those whose names begin with an argument.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPage, startBrowser } from "../support/browser.js";
import { IMAGES } from "./list.js";
import { Past } from "./past.js";
import { BEGINS_AT, NOW, tellStory } from "./story.js";

const FOLDER = join(import.meta.dirname, "../../../docs/images");

/** Opens a page whose clock stands still, for a person who has signed in. */
async function openPage(browser, past, { as, scheme, size }) {
  const link = await past.as("user:mira").post("/v1/tokens", { name: as, role: as === "mira" ? "admin" : "approver", kind: "link" });
  const options = { viewport: size, colorScheme: scheme, timezoneId: "Europe/Berlin", locale: "en-US", reducedMotion: "reduce" };
  const page = await newPage(browser, options);
  await page.clock.setFixedTime(NOW);
  await page.goto(`${past.pages}/sign-in/#${link.secret}`);
  await page.locator("#signed-in").waitFor();
  return page;
}

async function takeImage(browser, past, image) {
  const page = await openPage(browser, past, image);
  await page.goto(past.pages + image.path);
  await image.prepare(page);
  // The pointer is nowhere: nothing is drawn as if a person were about to click it.
  await page.mouse.move(-1, -1);
  const path = join(FOLDER, `${image.name}.png`);
  await page.screenshot({ path, caret: "hide" });
  console.log(`${image.name}.png ${Math.ceil((await stat(path)).size / 1024)} KiB`);
  await page.context().close();
}

const ends = [];
const folder = await mkdtemp(join(tmpdir(), "countersign-images-"));
try {
  const past = await Past.start(folder, BEGINS_AT);
  ends.push(() => past.stop());
  await tellStory(past);
  const browser = await startBrowser({ after: (end) => ends.push(end) });
  const chosen = process.argv.slice(2);
  for (const image of IMAGES) if (chosen.length === 0 || chosen.some((name) => image.name.startsWith(name))) await takeImage(browser, past, image);
} finally {
  for (const end of ends.reverse()) await end();
  await rm(folder, { recursive: true, force: true });
}
