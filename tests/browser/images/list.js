// The documentation pictures: which page each shows, to whom, and how large. `tests/pages/images.test.js` compares
// the list with the pages that show them.

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** Waits for the text before the picture is taken. */
const read = (text) => (page) => page.getByText(text).first().waitFor();

/** The pages that are shown in light, in dark and on a phone. */
const PAGES = [
  { name: "inbox", path: "/", prepare: read("1 of 6"), onPhone: read("shop-api") },
  { name: "call", path: "/calls/release-7.4/call_02", prepare: read("412 passed") },
  { name: "thread", path: "/threads/release-7.4", prepare: read("I deploy 7.4.0 to staging") },
  { name: "history", path: "/history", prepare: read("npm run build") },
  { name: "insight", path: "/insight", height: 1120, prepare: read("Look at the rules") },
  { name: "policy", path: "/policy", height: 1080, prepare: openRule },
  { name: "settings", path: "/settings", height: 900, as: "mira", prepare: read("agent:finance-bot") },
];

async function openRule(page) {
  await page.getByText("The rule, and what it does not allow").first().click();
}

async function showEvidence(page) {
  await page.getByRole("button", { name: "Show the evidence" }).click();
  await page.getByText("Yesterday it would have allowed:").first().waitFor();
}

/** The offer of a single rule takes the place of the day's review. */
async function showOffer(page) {
  await page.getByRole("button", { name: "Not today" }).click();
  await page.getByRole("button", { name: "Look at a rule" }).click();
}

/** Each picture: its file name without the end, the page's path, the person's name, the window, and what is done before. */
export const IMAGES = [
  ...PAGES.flatMap(({ name, path, as = "ada", height = desktop.height, prepare, onPhone = prepare }) => [
    { name: `${name}-light`, path, as, scheme: "light", size: { ...desktop, height }, prepare },
    { name: `${name}-dark`, path, as, scheme: "dark", size: { ...desktop, height }, prepare },
    { name: `${name}-phone`, path, as, scheme: "light", size: phone, prepare: onPhone },
  ]),
  { name: "daily-light", path: "/", as: "mira", scheme: "light", size: desktop, prepare: showEvidence },
  { name: "daily-phone", path: "/", as: "mira", scheme: "light", size: phone, prepare: showEvidence },
  { name: "rule-offer-light", path: "/", as: "mira", scheme: "light", size: { ...desktop, height: 640 }, prepare: showOffer },
];
