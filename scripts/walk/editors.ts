// Every editor: undo and redo, conditions with long values at five widths, broken content, and two people at once.

import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import type { Locator, Page } from "playwright-core";
import type { World } from "./world.ts";

const widths = [375, 768, 1280, 1440, 1920];
const minValueWidth = 140;

export async function walkEditors(world: World): Promise<void> {
  const { client, check, picture } = world;
  await createWorkflow(client, "written", [inApp(), email()], { name: "Written" });
  const condition = {
    and: [
      { "==": [{ var: "payload.customer.subscription.plan" }, "enterprise-with-a-long-name-2026"] },
      { ">": [{ var: "payload.total" }, 100] },
    ],
  };
  await createWorkflow(client, "ruled", [email({ subject: "Hi", body: "Hello", skip: condition })], {
    name: "Ruled",
  });

  const page = await world.openDashboard("/workflows/written?step=email");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.locator(".cm-content").first().waitFor();
  await undoAndRedo(world, page, "email body", page.locator(".cm-content").first());
  await page.goto(`${world.url}/workflows/written?step=in-app`);
  await undoAndRedo(world, page, "in-app body", page.getByRole("textbox", { name: "Body" }).first());
  await page.goto(`${world.url}/workflows/written?tab=settings`);
  await page.locator(".cm-content").first().waitFor();
  await undoAndRedo(world, page, "payload schema", page.locator(".cm-content").first(), '{"type":"object"}');
  await client("layouts.create", { body: { layoutId: "brand", name: "Brand" } as never });
  await page.goto(`${world.url}/layouts/brand`);
  await page.locator(".cm-content").first().waitFor();
  await undoAndRedo(world, page, "layout", page.locator(".cm-content").first());

  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${world.url}/workflows/ruled?step=email`);
    const value = page.getByRole("textbox", { name: "Compare with" }).first();
    await value.waitFor();
    await value.scrollIntoViewIfNeeded();
    const box = (await value.boundingBox())!;
    await picture(page, `condition-${width}`);
    check(
      `a condition's value can be read at ${width} pixels`,
      box.width >= minValueWidth,
      `${Math.round(box.width)} px`,
    );
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await brokenContent(world, page);
  await page.context().close();
  await twoPeople(world);
}

async function undoAndRedo(
  { check, picture }: World,
  page: Page,
  name: string,
  field: Locator,
  added = " typed by hand",
): Promise<void> {
  const read = async () => (await field.inputValue().catch(() => null)) ?? (await field.innerText());
  await field.click();
  await page.keyboard.press("Control+End");
  const before = await read();
  await page.keyboard.type(added, { delay: 15 });
  await page.waitForTimeout(1_200);
  const typed = await read();
  await page.getByRole("button", { name: "Undo" }).first().click();
  await page.waitForTimeout(600);
  const undone = await read();
  const redo = page.getByRole("button", { name: "Redo" }).first();
  const isOffered = await redo.isEnabled();
  if (isOffered) await redo.click();
  await page.waitForTimeout(600);
  const redone = await read();
  await picture(page, `redo-${name.replace(" ", "-")}`);
  check(`undo and redo in the ${name}`, undone !== typed && isOffered && squeeze(redone) === squeeze(typed), {
    before: before.slice(-20),
    undone: undone.slice(-20),
    redone: redone.slice(-20),
  });
}

/** A JSON field may be written with other spaces when it comes back. */
const squeeze = (text: string): string => text.replaceAll(/\s+/g, "");

async function brokenContent({ check, picture, url }: World, page: Page): Promise<void> {
  await page.goto(`${url}/workflows/written?step=email`);
  const body = page.locator(".cm-content").first();
  await body.waitFor();
  await body.fill("{{ payload.x | truncat: 3 }}");
  await page.keyboard.press("Control+s");
  await page.waitForTimeout(2_500);
  await picture(page, "broken-saved");
  const green = await page.getByText("Saved", { exact: true }).count();
  const amber = await page.getByText(/Saved with \d+ problem/).count();
  check("broken Liquid is saved with a word about it", green === 0 && amber > 0, { green, amber });

  await page.goto(`${url}/layouts/brand`);
  await page.locator(".cm-content").first().fill("<p>no content</p>");
  await page.keyboard.press("Control+s");
  await page.waitForTimeout(2_000);
  await picture(page, "layout-without-content");
  check("a layout without content is not called saved", (await page.getByText("Saved", { exact: true }).count()) === 0);
  await page.goto(`${url}/environments?tab=publish`);
  await page.waitForTimeout(2_000);
  await picture(page, "publish-checklist");
}

async function twoPeople({ openDashboard, check, picture }: World): Promise<void> {
  const [first, second] = await Promise.all([
    openDashboard("/workflows/ruled?step=email"),
    openDashboard("/workflows/ruled?step=email"),
  ]);
  const subject = (page: Page) => page.getByRole("textbox", { name: "Subject" }).first();
  await subject(first).fill("From the first");
  await subject(second).fill("From the second");
  await first.keyboard.press("Control+s");
  await first.waitForTimeout(1_500);
  await second.keyboard.press("Control+s");
  await second.getByRole("dialog").first().waitFor();
  await picture(second, "conflict");
  check("the second of two people is asked", await second.getByRole("dialog").first().isVisible());
  await Promise.all([first.context().close(), second.context().close()]);
}
