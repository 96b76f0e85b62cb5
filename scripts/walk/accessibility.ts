// axe, with all of its rules and every impact, on each screen of the dashboard, light and dark, and on the widget.
import type { Page } from "playwright-core";
import { seedCompany } from "../../packages/server/test/dashboard/seed.ts";
import { findViolations } from "../../packages/server/test/dashboard/support.ts";
import type { World } from "./world.ts";

const screens = [
  "/",
  "/activity",
  "/activity/order-T-1045",
  "/statistics",
  "/workflows",
  "/workflows/order-shipped?step=email",
  "/workflows/login-code?step=email",
  "/workflows/comment-mention?view=canvas&step=email",
  "/workflows/order-shipped?tab=settings",
  "/workflows/trial-ends?tab=simulate",
  "/workflows/comment-mention?tab=digests",
  "/workflows/order-shipped?tab=versions",
  "/layouts",
  "/layouts/frame",
  "/translations",
  "/subscribers",
  "/subscribers/grace",
  "/subscribers/grace?tab=preferences",
  "/subscribers/grace?tab=schedule",
  "/subscribers/ada?tab=inbox",
  "/subscribers/ada?tab=topics",
  "/subscribers/ada?tab=profile",
  "/imports/new",
  "/topics",
  "/topics/all-hands",
  "/topics?tab=contexts",
  "/topics?tab=suppressions",
  "/integrations",
  "/integrations/new",
  "/webhooks",
  "/sources",
  "/dead-letters",
  "/mailbox",
  "/clock",
  "/environments",
  "/environments?tab=variables",
  "/settings",
  "/settings?tab=audit",
];

const findFaults = async (page: Page): Promise<string[]> =>
  (await findViolations(page)).map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes[0]?.html.slice(0, 120)}`);

export async function walkAccessibility(world: World): Promise<void> {
  const { client, check } = world;
  await seedCompany(client, { crowd: 5, mailPort: world.mail.port });
  await client("layouts.create", { body: { layoutId: "frame", name: "Frame" } as never });
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await world.openDashboard("/", { colorScheme });
    const faults: string[] = [];
    for (const path of screens) {
      await page.goto(world.url + path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.waitForTimeout(800);
      faults.push(...(await findFaults(page)).map((fault) => `${path}: ${fault}`));
      const name = path.slice(1).replaceAll(/[^a-z0-9]+/gi, "-") || "home";
      await world.picture(page, `screen-${name}-${colorScheme}`);
    }
    for (const fault of faults) console.log(`       ${fault}`);
    check(
      `axe finds nothing on ${screens.length} screens, ${colorScheme}`,
      faults.length === 0,
      `${faults.length} findings`,
    );
    await page.context().close();

    const inbox = await world.openInbox("ada", "", { colorScheme });
    await inbox.locator(".item").first().waitFor();
    const found = await findFaults(inbox);
    await world.picture(inbox, `widget-${colorScheme}`);
    await inbox.getByRole("button", { name: "Preferences" }).click();
    await inbox.locator(".preferences").waitFor();
    found.push(...(await findFaults(inbox)));
    await world.picture(inbox, `widget-preferences-${colorScheme}`);
    check(`axe finds nothing in the widget, ${colorScheme}`, found.length === 0, found);
    await inbox.context().close();
  }
}
