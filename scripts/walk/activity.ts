// Activity while 20 events a second flow: an old order is found and stays found, a second search looks as far as the
// first, Back keeps the place, the palette finds people and orders.

import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import type { Page } from "playwright-core";
import type { World } from "./world.ts";

const older = 6_000;
const perSecond = 20;
const perRequest = 100;
const transactionOf = (order: string): string => `event-of-${order.toLowerCase().replace("/", "-")}`;

export async function walkActivity(world: World): Promise<void> {
  const { client, check, figure } = world;
  for (const [index, lastName] of ["Lovelace", "Byron", "King", "Noel", "Milbanke"].entries())
    await client("subscribers.create", {
      body: {
        subscriberId: `ada-${index}`,
        firstName: "Ada",
        lastName,
        email: `ada.${lastName.toLowerCase()}@example.com`,
      },
    });
  await createWorkflow(client, "order", [inApp({ body: "Order {{ payload.order }}" })], { name: "Order shipped" });
  const send = (orders: string[], to = "ada-0") =>
    client("events.triggerBulk", {
      body: {
        events: orders.map((order) => ({ name: "order", to, payload: { order }, transactionId: transactionOf(order) })),
      } as never,
    });
  await send(["DE/4711"]);
  await send(["DE/4712"], "ada-1");
  for (let first = 0; first < older; first += perRequest)
    await send(
      Array.from({ length: perRequest }, (_, index) => `old-${first + index}`),
      "ada-2",
    );

  const page = await world.openDashboard("/activity");
  let sent = 0;
  const flow = setInterval(
    () =>
      void send(
        Array.from({ length: perSecond }, () => `new-${++sent}`),
        "ada-3",
      ).catch(() => {}),
    1_000,
  );
  try {
    await search(world, page, "DE/4711", "activity-found");
    await search(world, page, "DE/4712", "activity-second-search");
    await back(world, page);
  } finally {
    clearInterval(flow);
  }
  figure("events sent meanwhile", sent);
  await palette(world, page);
  const narrow = await world.openDashboard("/activity", { viewport: { width: 375, height: 812 }, colorScheme: "dark" });
  await narrow.waitForTimeout(1_500);
  await world.picture(narrow, "activity-375-dark");
  const width = (await narrow.evaluate("document.documentElement.scrollWidth")) as number;
  check("no sideways scrolling at 375 pixels", width <= 375, width);
  await narrow.context().close();
  await page.context().close();
}

/** Types a search and watches the list for 12 seconds: once a match appears, it stays. */
async function search({ check, figure, picture }: World, page: Page, order: string, name: string): Promise<void> {
  await page.getByRole("searchbox").first().fill(order);
  const begun = Date.now();
  const found = page.locator(`a[href*="${transactionOf(order)}"]`).first();
  const isFound = await found.waitFor({ timeout: 45_000 }).then(
    () => true,
    () => false,
  );
  figure(`order ${order}, ${older} events back, found after`, `${Date.now() - begun} ms`);
  const isThere: boolean[] = [];
  let denials = 0;
  for (let second = 0; second < 12; second++) {
    isThere.push(await found.isVisible());
    denials += await page.getByText("No events match").count();
    await page.waitForTimeout(1_000);
  }
  await picture(page, name);
  check(`order ${order} stays found while events flow`, isFound && isThere.every(Boolean), isThere);
  check(`nothing says that order ${order} does not exist`, denials === 0, denials);
}

async function back({ check, picture, url }: World, page: Page): Promise<void> {
  await page.goto(`${url}/activity`);
  await page.locator("a[href*='/activity/']").first().waitFor();
  await page.mouse.move(640, 500);
  for (let turn = 0; turn < 30; turn++) {
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(800);
  const place = () =>
    page.evaluate("globalThis.scrollY || document.querySelector('main')?.scrollTop || 0") as Promise<number>;
  const before = await place();
  const rows = page.locator("a[href*='/activity/']");
  const middle = rows.nth(Math.floor((await rows.count()) / 2));
  await middle.click();
  await page.waitForURL(/\/activity\/.+/);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await picture(page, "run");
  await page.goBack();
  await page.locator("a[href*='/activity/']").first().waitFor();
  await page.waitForTimeout(1_500);
  const after = await place();
  await picture(page, "activity-back");
  check("Back returns to the same place of the list", before > 1_000 && Math.abs(after - before) < 400, {
    before,
    after,
  });
}

async function palette({ check, picture }: World, page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("ada");
  await page.waitForTimeout(1_500);
  const names = await page.getByRole("option").allInnerTexts();
  await picture(page, "palette-name");
  check("Ctrl-K finds every Ada by name", names.filter((text) => text.includes("Ada")).length >= 5, names);
  const typed = await page.getByRole("combobox").first().inputValue();
  check("Ctrl-K loses no key", typed === "ada", typed);
  await page.getByRole("combobox").first().fill("4711");
  await page.waitForTimeout(1_500);
  const orders = await page.getByRole("option").allInnerTexts();
  await picture(page, "palette-order");
  check(
    "Ctrl-K offers to search an order in Activity",
    orders.some((text) => /4711/.test(text) && /activity/i.test(text)),
    orders,
  );
  await page.keyboard.press("Escape");
}
