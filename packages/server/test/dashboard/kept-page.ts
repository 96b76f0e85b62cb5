// A page of the dashboard that the tests of a file use one after another. Chromium compiles the dashboard once for a
// page: a screen that is opened in the same one takes half the time of a core that it takes in a new one.
import type { TestContext } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { collectErrors, describePage, openProfile } from "@tidings/testkit/chromium";
import { startTestService, type TestService, type TestSettings } from "@tidings/testkit/service";
import type { Page } from "playwright-core";
import { enter, openDashboard, wide } from "./support.ts";

type Look = { viewport?: { width: number; height: number }; colorScheme?: "light" | "dark"; allow?: RegExp };

export type Dashboard = TestService & {
  /**
   * The signed-in page of the owner at a path, without drafts or choices of earlier tests. A second page of the same
   * test is a new one. A test that changes more of its page than its size and theme, such as its clock, uses
   * `openDashboard`.
   */
  open(context: TestContext, path: string, look?: Look): Promise<Page>;
};

/** A service with a page of its dashboard, for the calling test file. */
export async function startDashboard(settings?: TestSettings): Promise<Dashboard> {
  let kept: Page | null = null;
  let isTaken = false;
  // Before the service stops, which waits for the connections of the page.
  atEnd(() => kept?.context().close());
  const service = await startTestService(settings);

  async function take(): Promise<Page> {
    if (kept) return kept;
    const browser = await openProfile({ viewport: wide });
    await enter(browser, service);
    kept = await browser.newPage();
    return kept;
  }

  /** Leaves the screen for a page without scripts of the same origin, which Chromium shows in the same process. */
  async function empty(page: Page): Promise<void> {
    page.removeAllListeners();
    page.on("dialog", (dialog) => void dialog.accept());
    await page.unrouteAll();
    await page.mouse.move(0, 0);
    await page.goto(`${service.url}/health`);
    await page.evaluate("localStorage.clear()");
    page.removeAllListeners();
  }

  async function open(context: TestContext, path: string, { allow, viewport = wide, colorScheme }: Look = {}) {
    if (isTaken) return openDashboard(context, service, path, { allow, viewport, colorScheme });
    isTaken = true;
    const page = await take();
    const throwErrors = collectErrors(page, allow);
    context.after(async () => {
      // `passed` is missing in the types of Node.
      if ((context as unknown as { passed: boolean }).passed) await empty(page);
      else {
        kept = null;
        await describePage(context, page);
        await page.context().close();
      }
      isTaken = false;
      throwErrors();
    });
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: colorScheme ?? "light" });
    await page.goto(service.url + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    return page;
  }
  return { ...service, open };
}
