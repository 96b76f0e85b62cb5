// `npm run walk -- docs`: takes the pictures of the documentation again, in docs/images. Only when it is named: the
// files are committed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { settled, trigger } from "@tidings/testkit/verbs";
import { forgetDrafts, looks, openLook } from "../../packages/server/test/dashboard/looks/screens.ts";
import { orderPayload, seedAuthoring } from "../../packages/server/test/dashboard/looks/seed-authoring.ts";
import { shrinkPng } from "./small-png.ts";
import type { World } from "./world.ts";

const folder = join(import.meta.dirname, "../../docs/images");

/** What a page of the documentation needs at most, so that a clone stays small. */
const maxBytes = 120_000;

/** File and look; `height` in pixels, where less of the page is enough. */
const pictures: [file: string, look: string, height?: number][] = [
  ["activity", "activity", 700],
  ["workflow-steps", "step-in-app"],
  ["condition", "step-condition"],
  ["email-editor", "email-preview", 780],
  ["email-blocks", "email-slash"],
  ["email-settings", "email-show-if"],
  ["email-checks", "email-checks"],
  ["email-dark", "email-dark", 780],
  ["test", "test"],
  ["gallery", "gallery"],
  ["gallery-template", "gallery-template"],
  ["brand", "brand"],
  ["categories", "categories", 440],
  ["preference-page", "hosted"],
  ["translations", "texts", 440],
];

export async function walkDocs(world: World): Promise<void> {
  const { client } = world;
  const authored = await seedAuthoring(client);
  for (const to of ["ada", "grace", "noor"]) await trigger(client, "offers", to);
  await trigger(client, "sale", "grace");
  for (const to of ["grace", "yael"]) await trigger(client, "invitation", to, { who: "Ada", project: "Apollo" });
  await trigger(client, "greeting", "ada");
  await settled(client, await trigger(client, "order", "ada", orderPayload));
  // No emulated colour scheme, so that the preview of an email can have another one than the page.
  const page = await world.openDashboard("/", { colorScheme: null, reducedMotion: "reduce" });
  await forgetDrafts(page);
  for (const [file, name, height = 820] of pictures) {
    await page.setViewportSize({ width: 1280, height });
    const look = looks.find((one) => one.name === name);
    if (!look) throw new Error(`there is no look "${name}"`);
    await openLook(page, world.url, look, authored);
    await page.waitForTimeout(800);
    const png = shrinkPng(await page.screenshot());
    writeFileSync(join(folder, `${file}.png`), png);
    world.check(`${file}.png is small`, png.length <= maxBytes, `${png.length} bytes`);
  }
  await page.context().close();
}
