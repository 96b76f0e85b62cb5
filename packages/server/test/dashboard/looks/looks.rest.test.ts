// Every screen of authors and every page of their readers is accessible, by all rules of axe, and not wider than its
// window. `npm run test:rest` sees those that no other test sees, each in one theme and width; `npm run test:long` sees
// all in all four.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest } from "@tidings/testkit/chromium";
import { isLong } from "@tidings/testkit/long";
import type { Page } from "playwright-core";
import { openHost } from "../../inbox/host-page.ts";
import { startDashboard } from "../kept-page.ts";
import { describeViolation, expectNoOverflow, findViolations, narrow, wide } from "../support.ts";
import { forgetDrafts, looks, openLook } from "./screens.ts";
import { type Authored, seedAuthoring } from "./seed-authoring.ts";

const service = await startDashboard({ TIDINGS_PUBLIC_URL: "http://localhost:3000" });
let authored: Authored;
before(async () => {
  authored = await seedAuthoring(service.client);
});

type Styled = { ownerDocument: { defaultView: { getComputedStyle(element: unknown): { color: string } } } };
const inkOf = (element: unknown): string =>
  (element as Styled).ownerDocument.defaultView.getComputedStyle(element).color;

const kinds = [
  { colorScheme: "light", viewport: wide },
  { colorScheme: "dark", viewport: narrow },
  { colorScheme: "dark", viewport: wide },
  { colorScheme: "light", viewport: narrow },
] as const;

async function expectFaultless(page: Page, name: string): Promise<void> {
  const violations = await findViolations(page);
  assert.deepEqual(violations.map(describeViolation), [], name);
  await expectNoOverflow(page);
}

browserTest("an email of blocks in the layout of the brand can be read in the dark", async (context) => {
  const page = await service.open(context, "/categories", { colorScheme: "dark", viewport: wide });
  await forgetDrafts(page);
  await openLook(page, service.url, looks.find(({ name }) => name === "email-preview")!, authored);
  const mail = page.frameLocator("iframe").frameLocator("iframe");
  const colorOf = (text: string) => mail.getByText(text).first().evaluate(inkOf);
  assert.equal(await colorOf("Thank you, Ada"), "rgb(249, 250, 251)");
  assert.equal(await colorOf("is on its way"), "rgb(229, 231, 235)");
  // Its section has a light background.
  assert.equal(await colorOf("you pay no postage"), "rgb(55, 65, 81)");
});

for (const [index, kind] of kinds.entries()) {
  const { colorScheme, viewport } = kind;
  browserTest(`looks in ${colorScheme}, ${viewport.width} pixels wide`, async (context) => {
    const allow = /Applying inline style|status of 4/;
    const page = await service.open(context, "/categories", { ...kind, allow });
    page.on("dialog", (dialog) => void dialog.accept());
    await forgetDrafts(page);
    const others = looks.filter(({ isSeenElsewhere }) => !isSeenElsewhere);
    const seen = isLong ? looks : others.filter((_, at) => at % kinds.length === index);
    for (const look of seen) {
      await openLook(page, service.url, look, authored);
      await expectFaultless(page, look.name);
    }
    if (!isLong) return;
    const inbox = await openHost(context, service, "ada", { settings: kind });
    await inbox.getByRole("button", { name: "Preferences" }).click();
    await inbox.locator(".preferences").waitFor();
    await expectFaultless(inbox, "preferences in the inbox");
  });
}
