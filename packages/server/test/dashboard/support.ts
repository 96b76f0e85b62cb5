// Drives the dashboard in a browser, as a person would.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { openBrowser, openPage } from "@tidings/testkit/chromium";
import { isLong } from "@tidings/testkit/long";
import type { TestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { type Browser, signInOwner } from "../app/members/browsers.ts";

export const wide = { width: 1280, height: 860 };
export const narrow = { width: 375, height: 812 };

/**
 * A signed-in page at a path of the dashboard, of the owner or of another person. Errors in its console, and so
 * breaches of its policy, fail the test, those aside that `allow` matches.
 */
export async function openDashboard(
  context: TestContext,
  service: Target,
  path: string,
  { allow, ...options }: BrowserContextOptions & { allow?: RegExp } = {},
  person?: Browser,
): Promise<Page> {
  const browser = await openBrowser(context, { viewport: wide, ...options });
  await enter(browser, service, person);
  const page = await openPage(context, browser, { allow });
  await page.goto(service.url + path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  return page;
}

type Violation = { id: string; impact: string; help: string; nodes: { html: string }[] };

/** Minified, which a page reads in half the time. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules whose violations are never more than moderate, which take a third of the time of a check. */
const mildRules = `Object.fromEntries(axe._audit.rules
  .filter(({ impact }) => impact === "minor" || impact === "moderate")
  .map(({ id }) => [id, { enabled: false }]))`;

/** What axe finds on a page by these of its rules, by default by all. */
export async function findViolations(page: Page, rules = "{}"): Promise<Violation[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource);
  const options = `{ resultTypes: ["violations"], rules: ${rules} }`;
  const found = `axe.run(document, ${options}).then(({ violations }) => violations)`;
  return (await page.evaluate(found)) as Violation[];
}

export const describeViolation = ({ id, help, nodes }: Violation): string =>
  `${id}: ${help}\n  ${nodes.map(({ html }) => html).join("\n  ")}`;

/** Signs of waiting move without end, and are not waited for. */
const isStill = `!document.querySelector("[data-ending-style]") && document.getAnimations().every((one) =>
  one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity)`;

/** What of a screen was checked: its path, width and theme, and what is open on it. */
const checked = new Set<string>();

/** The names of the tabs that are selected, and of the dialogs, menus and lists that are open. */
const openParts = `[...document.querySelectorAll("[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [role=tab][aria-selected=true]")]
  .map((one) => one.getAttribute("role") + " " + (one.getAttribute("aria-label") ?? one.textContent.slice(0, 30))).join()`;
const theme = `document.documentElement.dataset.theme ?? matchMedia("(prefers-color-scheme: dark)").matches`;

/**
 * No error that keeps people out: contrast, names, roles, keyboard. A check takes half a second of a core, so a run
 * checks a screen once in each process for each width, theme and open dialog; `npm run test:long` checks it every time.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const path = new URL(page.url()).pathname.replaceAll(/[0-9a-f-]{36}/g, "{id}");
  const key = [path, page.viewportSize()?.width, await page.evaluate(theme), await page.evaluate(openParts)].join(" ");
  if (!isLong && checked.has(key)) return;
  checked.add(key);
  // Colours are compared after their transitions, and a popup that is being closed no longer has a name.
  await eventually(() => page.evaluate(isStill), "the page to stand still");
  const violations = await findViolations(page, mildRules);
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious.map(describeViolation), []);
}

/** Nothing wider than the page: no sideways scrolling. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const [inside, outside] = (await page.evaluate(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  )) as [number, number];
  assert.ok(inside <= outside, `the page is ${inside} pixels wide in a window of ${outside}`);
}

/**
 * A condition reads path, operator, value, remove, from left to right and from top to bottom, and its value can be read
 * while it is typed: at every width that the dashboard supports.
 */
export async function expectRoomForValues(page: Page): Promise<void> {
  const before = page.viewportSize()!;
  for (const width of [375, 768, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 860 });
    const boxOf = async (role: "textbox" | "combobox" | "button", name: string | RegExp) => {
      const box = await page.getByRole(role, { name }).first().boundingBox();
      return box ?? assert.fail(`${name} is not shown at ${width} pixels`);
    };
    const path = await boxOf("combobox", "Value to compare");
    const operator = await boxOf("combobox", /^Comparison/);
    const value = await boxOf("textbox", "Compare with");
    const remove = await boxOf("button", "Remove this line");
    const told = JSON.stringify({ width, path, operator, value, remove });
    assert.ok(value.width >= 140 && path.width >= 140, told);
    const inOrder = [path, operator, value, remove].every((one, index, all) => {
      const next = all[index + 1];
      return next === undefined || one.y + one.height <= next.y + 1 || one.x + one.width <= next.x + 1;
    });
    assert.ok(inOrder && remove.x >= value.x + value.width, told);
    await expectNoOverflow(page);
  }
  await page.setViewportSize(before);
}

/** In the field of a preview or a test: the subscriber `ada`, who is Ada Lovelace. */
export async function chooseAda(scope: Page | Locator): Promise<void> {
  const field = scope.getByRole("combobox", { name: "Subscriber", exact: true });
  await field.fill("ada");
  await eventually(async () => (await field.inputValue()) === "Ada Lovelace", "Ada to be chosen");
}

/** The types of a browser are not part of the server's. */
type Styled = { ownerDocument: { defaultView: { getComputedStyle(element: unknown): { backgroundColor: string } } } };
/** For `locator.evaluate`. */
export const backgroundOf = (element: unknown): string =>
  (element as Styled).ownerDocument.defaultView.getComputedStyle(element).backgroundColor;

type Target = Pick<TestService, "url" | "firstLink">;

/** The owner by the link that the session was begun with. The link works once. */
const owners = new Map<string, Promise<Browser>>();

/** The owner of the installation, for calls outside the browser. */
export function ownerOf(target: Target): Promise<Browser> {
  const link = target.firstLink!;
  if (!owners.has(link)) owners.set(link, signInOwner(target));
  return owners.get(link)!;
}

/** Signs the browser in, by default as the owner of the installation. */
export async function enter(browser: BrowserContext, target: Target, person?: Browser): Promise<void> {
  const [name, value] = (person ?? (await ownerOf(target))).cookie.split("=") as [string, string];
  await browser.addCookies([{ name, value, url: target.url }]);
}
