// Thirty templates, written in the manners of those that people bring along: hand-made tables, the output of
// frameworks and editors, and plain modern HTML. A mail has to look as its author wrote it, on a wide and on a narrow
// screen, light and dark: Chromium shows both, and the screens are compared.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browserTest, openPage } from "@tidings/testkit/chromium";
import { pngOf } from "@tidings/testkit/images";
import type { Page } from "playwright-core";
import { render } from "../../../../src/pipeline/render/liquid.ts";
import { renderMail } from "../../../../src/pipeline/render/mail-body.ts";

const folders = ["classic", "built", "modern"];
const templates = folders.flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder)).map((file) => ({
    folder,
    name: `${folder}/${file}`,
    html: readFileSync(join(import.meta.dirname, folder, file), "utf8"),
  })),
);

const scope = {
  payload: {
    name: "Ada",
    total: "41.00",
    gift: true,
    items: [
      { name: "Kettle & lid", count: 1, price: "29.00" },
      { name: "Cups", count: 4, price: "12.00" },
    ],
  },
};

const widths = [600, 375];
const schemes = ["light", "dark"] as const;
/** The share of all pixels that may differ. */
const maxShare = 0.001;

const written = (html: string): string => render(html, scope, "html");
const sent = (html: string): string =>
  renderMail({ controls: { body: html, editorType: "html" }, layout: null, scope }).html;

type Screen = { name: string; image: Buffer };

/** One document, seen in every way. */
async function screensOf(page: Page, html: string): Promise<Screen[]> {
  await page.setContent(html);
  const screens: Screen[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 600 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      // A picture for dark mode is loaded only then.
      await page.waitForFunction("[...document.images].every((image) => image.complete)");
      screens.push({
        name: `${width} px, ${colorScheme}`,
        image: await page.screenshot({ fullPage: true, animations: "disabled" }),
      });
    }
  }
  return screens;
}

/** Runs in the page, which can read pictures. A difference of 8 of 255 cannot be seen. */
const shareOfPixels = `async (sources) => {
  const [a, b] = await Promise.all(
    sources.map(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const drawing = new OffscreenCanvas(image.width, image.height).getContext("2d");
      drawing.drawImage(image, 0, 0);
      return drawing.getImageData(0, 0, image.width, image.height);
    }),
  );
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if ([0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > 8)) differing += 1;
  }
  return differing / (a.width * a.height);
}`;

/** The share of pixels that differ; 1 where the sizes do. Equal files are equal pictures. */
async function difference(page: Page, one: Buffer, other: Buffer): Promise<number> {
  if (one.equals(other)) return 0;
  const urls = [one, other].map((image) => `data:image/png;base64,${image.toString("base64")}`);
  return page.evaluate(`(${shareOfPixels})(${JSON.stringify(urls)})`);
}

async function compare(page: Page, one: string, other: string): Promise<Map<string, number>> {
  const [before, after] = [await screensOf(page, one), await screensOf(page, other)];
  const shares = new Map<string, number>();
  for (const [at, { name, image }] of before.entries())
    shares.set(name, await difference(page, image, after[at]!.image));
  return shares;
}

/** Every image is the same one; nothing else is loaded. */
async function openOffline(context: Parameters<typeof openPage>[0]): Promise<Page> {
  const page = await openPage(context, undefined, { allow: /Failed to load resource/ });
  const body = pngOf();
  await page.route("**/*", (route) =>
    route.request().resourceType() === "image" ? route.fulfill({ contentType: "image/png", body }) : route.abort(),
  );
  return page;
}

for (const folder of folders) {
  browserTest(`${folder} templates look as they were written`, async (context) => {
    const page = await openOffline(context);
    const faults: string[] = [];
    for (const { name, html } of templates.filter((one) => one.folder === folder)) {
      for (const [screen, share] of await compare(page, written(html), sent(html)))
        if (share > maxShare) faults.push(`${name}, ${screen}: ${(share * 100).toFixed(2)} % of the pixels differ`);
    }
    assert.deepEqual(faults, []);
  });
}

test("there are thirty of them", () => assert.equal(templates.length, 30));

browserTest("the comparison sees a colour, and a rule that lost", async (context) => {
  const page = await openOffline(context);
  const { html } = templates.find(({ name }) => name === "modern/dark-card.html")!;
  const broken = sent(html).replaceAll(" !important", "");
  const shares = await compare(page, written(html), broken);
  assert.equal(shares.get("600 px, light"), 0);
  for (const screen of ["600 px, dark", "375 px, light", "375 px, dark"])
    assert.ok(shares.get(screen)! > maxShare, `${screen}: ${shares.get(screen)}`);
});
