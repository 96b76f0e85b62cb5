// The system's Chromium, driven over its own protocol. Where a machine has none, its tests are reported as skipped.
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { atEndOfGroup } from "./at-end.ts";

const places = [
  process.env.TIDINGS_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:/Program Files/Google/Chrome/Application/chrome.exe",
];

const executablePath = places.find((place) => place !== undefined && existsSync(place));

/** Why a browser test is skipped, or false where Chromium was found. */
export const skipWithoutChromium: string | false = executablePath
  ? false
  : "NO CHROMIUM: this browser test did not run. Install one (apt-get install chromium) or name it in TIDINGS_CHROMIUM";

/** A test that needs a browser: `browserTest("…", async (context) => { const page = await openPage(context); … })`. */
export const browserTest = (name: string, run: (context: TestContext) => Promise<void>): void =>
  void test(name, { skip: skipWithoutChromium, timeout: 120_000 }, run);

/**
 * Chromium draws the suggestions of its address bar as pages, loaded with every window: a second of a core for each page that a
 * test opens. The last `--disable-features` counts, so those that Playwright disables for the sake of tests are named again.
 */
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

/** The browser of all test files in a process; tests share nothing but its processes. */
let shared: Promise<Browser> | undefined;

async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: executablePath!,
    args: ["--no-sandbox", "--disable-gpu", `--disable-features=${disabledFeatures.join()}`],
  });
  browser.on("disconnected", () => {
    shared = undefined;
  });
  atEndOfGroup(() => browser.close());
  return browser;
}

/** A profile of its own (cookies, storage, locks), which ends with the test. */
export async function openBrowser(context: TestContext, options: BrowserContextOptions = {}) {
  shared ??= launchBrowser();
  const browser = await (await shared).newContext(options);
  context.after(async () => {
    // `passed` is missing in the types of Node.
    if (!(context as unknown as { passed: boolean }).passed)
      for (const page of browser.pages()) await describePage(context, page);
    await browser.close();
  });
  return browser;
}

/** Where a failed test stood: the address and the text of its page. */
async function describePage(context: TestContext, page: Page): Promise<void> {
  const text = await page.evaluate("document.body.innerText").catch((error: Error) => error.message);
  context.diagnostic(`${page.url()}\n${String(text).slice(0, 2_000)}`);
}

/** A page whose errors fail the test: exceptions and messages of the console at level "error", those aside that `allow` matches. */
export async function openPage(
  context: TestContext,
  browser?: BrowserContext,
  { allow }: { allow?: RegExp } = {},
): Promise<Page> {
  const page = await (browser ?? (await openBrowser(context))).newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  context.after(() => {
    const unexpected = errors.filter((text) => !allow?.test(text));
    if (unexpected.length > 0) throw new Error(`the page reported errors:\n${unexpected.join("\n")}`);
  });
  return page;
}
