// The system's Chromium, driven over its own protocol. Where a machine has none, its tests are reported as skipped.
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { atEndOfLane } from "./at-end.ts";
import { runsInGate, runsInRest } from "./tier.ts";

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

const wholePath = places.find((place) => place !== undefined && existsSync(place));

/** Chromium without windows, where it is installed: a page takes two thirds of the time of a core. */
const shell = process.env.TIDINGS_HEADLESS_SHELL ?? "/usr/bin/chromium-headless-shell";
const shellPath = existsSync(shell) ? shell : undefined;

/** Why a browser test is skipped, or false where Chromium was found. */
export const skipWithoutChromium: string | false = wholePath
  ? false
  : "NO CHROMIUM: this browser test did not run. Install one (apt-get install chromium) or name it in TIDINGS_CHROMIUM";

type BrowserRun = (context: TestContext) => Promise<void>;

const inChromium = (name: string, run: BrowserRun): void =>
  void test(name, { skip: skipWithoutChromium, timeout: 120_000 }, run);

/**
 * A test that needs a browser: `browserTest("…", async (context) => { const page = await openPage(context); … })`. It
 * runs in `npm run test:rest`.
 */
export const browserTest = (name: string, run: BrowserRun): void => {
  if (runsInRest) inChromium(name, run);
};

/** One of the about 30 browser tests of `npm test`: one for each family of screens, and those that write. */
export const journey = (name: string, run: BrowserRun): void => {
  if (runsInGate) inChromium(name, run);
};

/**
 * Tests open few pages, and need no spare process for the next one. Chromium draws the suggestions of its address bar
 * as pages, loaded with every window: a second of a core for each page that a test opens. The last `--disable-features`
 * counts, so those that Playwright disables for tests are listed again.
 */
const disabledFeatures = [
  "SpareRendererForSitePerProcess",
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

/** The browsers of all test files in a process, by program; tests share nothing but their processes. */
const shared = new Map<string, Promise<Browser>>();

async function launchBrowser(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", `--disable-features=${disabledFeatures.join()}`],
  });
  browser.on("disconnected", () => shared.delete(executablePath));
  atEndOfLane({ close: () => browser.close(), processes: 1 });
  return browser;
}

type BrowserOptions = BrowserContextOptions & {
  /** For what the headless shell lacks, such as notifications of the system. */
  needsWholeChromium?: boolean;
};

/** Its own profile (cookies, storage, locks), which the caller closes. */
export async function openProfile({ needsWholeChromium, ...options }: BrowserOptions = {}): Promise<BrowserContext> {
  const program = (needsWholeChromium ? undefined : shellPath) ?? wholePath!;
  if (!shared.has(program)) shared.set(program, launchBrowser(program));
  // Without transitions, which take a tenth of a core for as long as something moves.
  return (await shared.get(program)!).newContext({ reducedMotion: "reduce", ...options });
}

/** A profile that ends with the test. */
export async function openBrowser(context: TestContext, options: BrowserOptions = {}): Promise<BrowserContext> {
  const browser = await openProfile(options);
  context.after(async () => {
    // `passed` is missing in the types of Node.
    if (!(context as unknown as { passed: boolean }).passed)
      for (const page of browser.pages()) await describePage(context, page);
    await browser.close();
  });
  return browser;
}

/** Where a test failed: the address and the text of its page. */
export async function describePage(context: TestContext, page: Page): Promise<void> {
  const text = await page.evaluate("document.body.innerText").catch((error: Error) => error.message);
  context.diagnostic(`${page.url()}\n${String(text).slice(0, 2_000)}`);
}

/**
 * A page whose errors fail the test: exceptions and messages of the console at level "error", those aside that `allow`
 * matches.
 */
export async function openPage(
  context: TestContext,
  browser?: BrowserContext,
  { allow }: { allow?: RegExp } = {},
): Promise<Page> {
  const page = await (browser ?? (await openBrowser(context))).newPage();
  context.after(collectErrors(page, allow));
  return page;
}

/** Collects what a page reports from now on, and returns what throws it, those errors aside that `allow` matches. */
export function collectErrors(page: Page, allow?: RegExp): () => void {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return () => {
    const unexpected = errors.filter((text) => !allow?.test(text));
    if (unexpected.length > 0) throw new Error(`the page reported errors:\n${unexpected.join("\n")}`);
  };
}
