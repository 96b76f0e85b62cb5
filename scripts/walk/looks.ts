// The screens of authors and the pages of their readers, in light and dark, 1280 and 375 pixels wide: a picture of
// each, and what axe, with all of its rules, and a ruler find. TIDINGS_LOOKS has parts of names, to see some of them.
import type { BrowserContextOptions, Page } from "playwright-core";
import { forgetDrafts, type Look, looks, openLook } from "../../packages/server/test/dashboard/looks/screens.ts";
import { seedAuthoring } from "../../packages/server/test/dashboard/looks/seed-authoring.ts";
import { findViolations } from "../../packages/server/test/dashboard/support.ts";
import type { World } from "./world.ts";

const sizes = [
  { width: 1280, height: 860 },
  { width: 375, height: 812 },
];

/** Elements that end outside of the window, although nothing around them scrolls. */
const isTooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

export async function walkLooks(world: World): Promise<void> {
  const authored = await seedAuthoring(world.client);
  const parts = process.env.TIDINGS_LOOKS?.split(",") ?? [""];
  const wanted = looks.filter(({ name }) => parts.some((part) => name.includes(part)));
  for (const colorScheme of ["light", "dark"] as const)
    for (const viewport of sizes) {
      const kind = `${viewport.width}-${colorScheme}`;
      const faults: string[] = [];
      const see = async (page: Page, name: string) => {
        await page.waitForTimeout(500);
        await world.picture(page, `look-${name}-${kind}`);
        if (await page.evaluate(isTooWide)) faults.push(`${name}: wider than the window`);
        for (const { id, impact, nodes } of await findViolations(page))
          faults.push(`${name}: ${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
      };
      await seeDashboard(world, { colorScheme, viewport }, wanted, async (page, look) => {
        try {
          await openLook(page, world.url, look, authored);
        } catch (error) {
          faults.push(`${look.name}: ${(error as Error).message.split("\n")[0]}`);
        }
        await see(page, look.name);
      });
      if (parts.some((part) => "inbox-preferences".includes(part))) {
        const inbox = await world.openInbox("ada", "", { colorScheme, viewport });
        await inbox.getByRole("button", { name: "Preferences" }).click();
        await inbox.locator(".preferences").waitFor();
        await see(inbox, "inbox-preferences");
        await inbox.context().close();
      }
      for (const fault of faults) console.log(`       ${fault}`);
      world.check(`${wanted.length} looks, ${kind}`, faults.length === 0, `${faults.length} findings`);
    }
}

async function seeDashboard(
  world: World,
  options: BrowserContextOptions,
  wanted: Look[],
  see: (page: Page, look: Look) => Promise<void>,
): Promise<void> {
  const page = await world.openDashboard("/", { ...options, reducedMotion: "reduce" });
  page.on("dialog", (dialog) => void dialog.accept());
  await forgetDrafts(page);
  for (const look of wanted) await see(page, look);
  await page.context().close();
}
