// An inbox of 10,000 messages: scrolling, marks and archives deep in the list, a burst, offline and back, own items.

import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import type { Page } from "playwright-core";
import { eventually, type World } from "./world.ts";

const messages = 10_000;
const loaded = 5_000;
const maxNodes = 1_500;
const perRequest = 100;

/** The types of a browser are not part of the program's. */
type Widget = {
  inbox: {
    loadMore(): Promise<void>;
    getState(): { notifications: { id: string }[] };
    read(id: string): Promise<void>;
  };
  shadowRoot: { querySelectorAll(selector: string): { length: number }; querySelector(selector: string): Scroller };
};
type Scroller = { scrollTop: number; scrollHeight: number };
type Page_ = { document: { querySelector(name: string): Widget }; requestAnimationFrame(run: () => void): void };

const row = (page: Page, title: string) => page.locator(".item", { hasText: title });

export async function walkInbox(world: World): Promise<void> {
  const { client, check, figure } = world;
  await createWorkflow(client, "line", [inApp({ body: "Message {{ payload.n }}" })], { name: "Lines" });
  for (let first = 1; first <= messages; first += perRequest) {
    const events = Array.from({ length: perRequest }, (_, index) => ({
      name: "line",
      to: "reader",
      payload: { n: String(first + index).padStart(5, "0") },
    }));
    await client("events.triggerBulk", { body: { events } as never });
  }
  const countUnread = async () => {
    const { body } = await client("subscriberNotifications.list", { params: { subscriberId: "reader" } });
    return body.data.length;
  };
  await eventually(countUnread, "the inbox to be filled", 120_000);

  const page = await world.openInbox("reader");
  await row(page, "Message 10000").waitFor({ timeout: 60_000 });
  await world.picture(page, "inbox-top");
  check("a message without a subject shows its body", await row(page, "Message 10000").isVisible());

  const loadMs = await page.evaluate(async (wanted) => {
    const { document } = globalThis as unknown as Page_;
    const { inbox } = document.querySelector("tidings-inbox");
    const begun = performance.now();
    while (inbox.getState().notifications.length < wanted) {
      await inbox.loadMore();
      // While another page is being read, loadMore resolves at once: the page needs its turn.
      await new Promise((resolve) => setTimeout(resolve));
    }
    return performance.now() - begun;
  }, loaded);
  figure(`${loaded} messages were read in`, `${(loadMs / 1000).toFixed(1)} s`);

  const times = await page.evaluate(async () => {
    const { document, requestAnimationFrame } = globalThis as unknown as Page_;
    const { inbox } = document.querySelector("tidings-inbox");
    const ids = inbox.getState().notifications.slice(20, 31);
    const taken: number[] = [];
    for (const { id } of ids) {
      const begun = performance.now();
      const sent = inbox.read(id);
      await new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      taken.push(performance.now() - begun);
      await sent;
    }
    return taken.sort((a, b) => a - b);
  });
  // A frame is up to 16.7 ms away whatever the page does, so that the half of it is the floor of this figure.
  figure(
    `a mark among ${loaded} messages is painted in (median, slowest of 11)`,
    `${times[5]!.toFixed(1)} ms, ${times[10]!.toFixed(1)} ms`,
  );
  check("a mark in a long list is painted within some frames", times[5]! < 100, `${times[5]!.toFixed(1)} ms`);

  const nodes = await page.evaluate(() => {
    const { document } = globalThis as unknown as Page_;
    return document.querySelector("tidings-inbox").shadowRoot.querySelectorAll("*").length;
  });
  figure("elements in the widget", nodes);
  check(`fewer than ${maxNodes} elements`, nodes < maxNodes, nodes);

  await deepArchive(world, page);
  await burst(world, page);
  await page.context().close();
  await offline(world);
}

async function scrollTo(page: Page, title: string): Promise<void> {
  const target = row(page, title).first();
  await eventually(
    async () => {
      if (await target.isVisible()) return true;
      await page.mouse.wheel(0, 3_000);
      await page.waitForTimeout(30);
      return target.isVisible();
    },
    `${title} to be scrolled to`,
    90_000,
  );
  await target.scrollIntoViewIfNeeded();
}

/** The place of a row in the window of the browser. */
const topOf = async (page: Page, title: string): Promise<number | null> =>
  (await row(page, title).first().boundingBox())?.y ?? null;

async function deepArchive({ check, picture }: World, page: Page): Promise<void> {
  await page.locator(".item").first().hover();
  await scrollTo(page, "Message 09760");
  await picture(page, "inbox-deep");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const before = await topOf(page, "Message 09760");
  await row(page, "Message 09761").hover();
  await row(page, "Message 09761").getByRole("button", { name: "Archive" }).click();
  await row(page, "Message 09761").waitFor({ state: "detached" });
  await page.waitForTimeout(1_500);
  const after = await topOf(page, "Message 09760");
  check("archiving deep in the list leaves the reader there", after !== null && Math.abs(after - before!) < 120, {
    before,
    after,
  });
  check(
    "a mark is one request",
    requests.filter((one) => one.includes("/inbox/") && !one.endsWith("/seen")).length <= 1,
    requests,
  );
  await picture(page, "inbox-deep-archived");
}

async function burst({ client, check, figure }: World, page: Page): Promise<void> {
  await page.evaluate(() => {
    type Observer = new (
      run: (list: { getEntries(): { duration: number }[] }) => void,
    ) => { observe(what: object): void };
    const browser = globalThis as unknown as { longTasks: number[]; PerformanceObserver: Observer };
    browser.longTasks = [];
    new browser.PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) browser.longTasks.push(duration);
    }).observe({ entryTypes: ["longtask"] });
  });
  const events = Array.from({ length: 100 }, (_, n) => ({ name: "line", to: "reader", payload: { n: `burst-${n}` } }));
  await Promise.all([1, 2].map(() => client("events.triggerBulk", { body: { events } as never })));
  await page.waitForTimeout(4_000);
  const tasks = (await page.evaluate("globalThis.longTasks")) as number[];
  figure("200 messages in a second: long tasks, slowest", `${tasks.length}, ${Math.max(0, ...tasks).toFixed(0)} ms`);
  check("a burst does not freeze the page", Math.max(0, ...tasks) < 500, tasks.map(Math.round));
}

async function offline({ client, check, openInbox, picture }: World): Promise<void> {
  const events = [1, 2, 3].map((n) => ({ name: "line", to: "traveller", payload: { n: `T${n}` } }));
  await client("events.triggerBulk", { body: { events } as never });
  const page = await openInbox("traveller");
  await row(page, "Message T3").waitFor();
  await page.context().setOffline(true);
  await page
    .getByText(/offline/i)
    .first()
    .waitFor();
  await row(page, "Message T3").hover();
  await row(page, "Message T3").getByRole("button", { name: "Mark as read" }).click();
  await page.waitForTimeout(500);
  await picture(page, "inbox-offline");
  await page.context().setOffline(false);
  const isRead = async () => {
    const { body } = await client("subscriberNotifications.list", { params: { subscriberId: "traveller" } });
    return body.data.some(({ body: text, isRead: is }) => text.includes("T3") && is);
  };
  const isSaved = await eventually(isRead, "the mark to be sent", 30_000).catch(() => false);
  check("a mark made offline is sent when the browser is back", isSaved === true);
  await page.context().close();
}
