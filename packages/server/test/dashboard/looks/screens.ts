// The screens of authors and the pages of their readers, each in a state that is worth a look: what is checked for
// accessibility, and what `npm run walk -- looks` takes pictures of.

import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { chooseAda } from "../support.ts";
import type { Authored } from "./seed-authoring.ts";

export type Look = {
  name: string;
  path: string | ((authored: Authored) => string);
  /** Brings the page into the state. */
  act?: (page: Page) => Promise<unknown>;
  /** Another test checks the accessibility of the screen: `npm run test:rest` does not do so twice. */
  isSeenElsewhere?: boolean;
};

const mail = "/workflows/order?step=email";
const dialog = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string | RegExp, exact = true) =>
  page.getByRole("button", { name, exact }).first().click();

/** On a narrow page, form and preview take turns. */
async function showPreview(page: Page): Promise<void> {
  const panes = page.getByRole("group", { name: "Form or preview" });
  if (await panes.isVisible()) await panes.getByRole("button", { name: "Preview" }).click();
  await chooseAda(page);
  await page.getByRole("region", { name: "Preview" }).getByText("Order 1042 is confirmed").first().waitFor();
}

const previewAs =
  (...modes: string[]) =>
  async (page: Page) => {
    await showPreview(page);
    const preview = page.getByRole("region", { name: "Preview" });
    for (const name of modes) await preview.getByRole("button", { name, exact: true }).click();
  };

const editor = (page: Page) => page.getByRole("textbox", { name: "Body" });

/** Selects a block, or with `up` the one so many levels above it, and opens its settings. */
const settingsOf =
  (selector: string, up = 0) =>
  async (page: Page) => {
    await editor(page).locator(selector).first().click();
    for (let times = 0; times < up; times++) await page.keyboard.press("Escape");
    await page.keyboard.press("Alt+Enter");
    await page.getByRole("region", { name: /^Settings: / }).waitFor();
  };

/** Types at the end of the first paragraph. */
const typeInBody = (typed: string) => async (page: Page) => {
  await editor(page).locator("p").first().click();
  await page.keyboard.press("End");
  await page.keyboard.type(typed);
  await page.getByRole("listbox").waitFor();
};

const openTest = async (page: Page) => {
  await press(page, "Test");
  await dialog(page).locator(".cm-content").waitFor();
};

const stepOf = (name: string, step: string, act?: Look["act"]): Look => ({
  name: `step-${name}`,
  path: `/workflows/invitation?step=${step}`,
  act,
});

const steps: Look[] = [
  stepOf("in-app", "in-app"),
  stepOf("throttle", "let-two-through"),
  stepOf("digest-cron", "collect", (page) => page.getByText(/^Next: /).waitFor()),
  stepOf("delay", "wait"),
  stepOf("condition", "email", async (page) => {
    await page.getByRole("combobox", { name: "Value to compare" }).first().scrollIntoViewIfNeeded();
    await press(page, "Who would match?");
    await page.getByText(/^Runs for/).waitFor();
  }),
  stepOf("sms", "sms"),
  stepOf("push", "push"),
  stepOf("chat", "chat"),
];

const decision = (step: string): Look => ({
  name: `step-${step}`,
  path: `/workflows/decisions?step=${step}`,
  act: (page) => page.getByRole("heading", { level: 2 }).first().waitFor(),
});

const decisions: Look[] = [
  ...["subject-line", "reply", "by-plan", "account", "welcome", "remember"].map(decision),
  {
    name: "canvas-arms",
    path: "/workflows/decisions?view=canvas&step=account",
    // Steps are hidden until their places are known.
    act: (page) => page.locator(".react-flow__node button").first().waitFor(),
  },
];

const emails: Look[] = [
  { name: "email", path: mail, act: (page) => editor(page).getByText("Thank you").waitFor() },
  { name: "email-preview", path: mail, act: showPreview },
  { name: "email-phone", path: mail, act: previewAs("Phone") },
  { name: "email-dark", path: mail, act: previewAs("Dark") },
  { name: "email-no-images", path: mail, act: previewAs("No images") },
  { name: "email-text", path: mail, act: previewAs("Text") },
  { name: "email-source", path: mail, act: previewAs("Source") },
  { name: "email-slash", path: mail, act: typeInBody(" /") },
  { name: "email-variables", path: mail, act: typeInBody(" {{") },
  { name: "email-chip", path: mail, act: settingsOf("[data-type=variable]") },
  { name: "email-button", path: mail, act: settingsOf("[data-type=button]") },
  { name: "email-image", path: mail, act: settingsOf("[data-type=image]") },
  { name: "email-show-if", path: mail, act: settingsOf("[data-type=section] p", 2) },
  {
    name: "email-to-html",
    path: mail,
    act: async (page) => {
      await page.getByRole("group", { name: "Written as" }).getByRole("button", { name: "HTML" }).click();
      await dialog(page).waitFor();
    },
  },
  {
    name: "email-checks",
    path: "/workflows/sale?step=email",
    act: async (page) => {
      const panes = page.getByRole("group", { name: "Form or preview" });
      if (await panes.isVisible()) await panes.getByRole("button", { name: "Preview" }).click();
      await page.getByRole("region", { name: "Checks" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "email-comments",
    path: mail,
    act: async (page) => {
      // Open where there is something to read.
      await page.getByRole("list", { name: "Comments" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "test",
    path: mail,
    act: async (page) => {
      await openTest(page);
      await dialog(page).getByRole("button", { name: "Send now" }).click();
      await dialog(page).getByRole("link", { name: "Open the mailbox" }).waitFor();
      await dialog(page).getByText("Running").first().waitFor({ state: "detached" });
    },
  },
];

const workflows: Look[] = [
  { name: "home", path: "/" },
  { name: "activity", path: "/activity" },
  { name: "workflows", path: "/workflows" },
  { name: "gallery", path: "/gallery" },
  {
    name: "gallery-template",
    path: "/gallery?template=order-confirmed",
    act: (page) => dialog(page).getByRole("button", { name: "Email" }).click(),
  },
  {
    name: "canvas",
    path: "/workflows/invitation?view=canvas&step=email",
    act: (page) => page.getByRole("button", { name: /^In-app/ }).waitFor(),
  },
  { name: "no-steps", path: "/workflows/draft" },
  { name: "settings", path: "/workflows/order?tab=settings" },
  {
    name: "find-replace",
    path: "/workflows",
    act: async (page) => {
      await press(page, "Find and replace");
      await dialog(page).getByRole("textbox", { name: "Find" }).fill("invit");
      await dialog(page).getByRole("textbox", { name: "Replace with" }).fill("ask");
      await dialog(page)
        .getByRole("button", { name: /^Replace \d/ })
        .waitFor();
    },
  },
  {
    name: "keyboard",
    path: "/workflows/invitation",
    act: async (page) => {
      await page.getByRole("heading", { level: 1 }).click();
      await page.keyboard.press("?");
      await dialog(page).waitFor();
    },
  },
];

/** From everything. */
const unsubscribe = (page: Page) => page.locator("button[value=all]").click();

const others: Look[] = [
  { name: "translations", path: "/translations" },
  { name: "texts", path: "/translations/workflow/greeting" },
  { name: "brand", path: "/brand" },
  { name: "brand-page", path: "/brand", act: (page) => press(page, "Page") },
  { name: "brand-inbox", path: "/brand", act: (page) => press(page, "Inbox") },
  { name: "layouts", path: "/layouts" },
  { name: "layout", path: "/layouts/brand" },
  { name: "categories", path: "/categories" },
  { name: "category-new", path: "/categories", act: (page) => press(page, "New category") },
  { name: "attention", path: "/attention" },
  { name: "attention-new", path: "/attention", act: (page) => press(page, "Add budget") },
  { name: "subscriber-preferences", path: "/subscribers/ada?tab=preferences" },
  { name: "hosted", path: ({ hosted }) => hosted },
  { name: "hosted-arabic", path: ({ hostedArabic }) => hostedArabic },
  { name: "hosted-unsubscribed", path: ({ left }) => left, act: unsubscribe },
  { name: "hosted-unsubscribed-hebrew", path: ({ leftHebrew }) => leftHebrew, act: unsubscribe },
];

const seenElsewhere = new Set([
  ...["home", "activity", "gallery", "no-steps", "find-replace", "keyboard", "step-digest-cron"],
  ...["email", "email-preview", "email-show-if", "email-comments", "texts", "brand", "categories"],
  ...["category-new", "attention", "attention-new", "hosted-arabic"],
]);

export const looks: Look[] = [...workflows, ...steps, ...decisions, ...emails, ...others].map((look) => ({
  ...look,
  isSeenElsewhere: seenElsewhere.has(look.name),
}));

/** Drafts of one look are not part of the next one. Frames of emails have no storage. */
export const forgetDrafts = (page: Page): Promise<unknown> =>
  page.addInitScript("try { localStorage.clear() } catch {}");

/** Opens a look in a signed-in page, and waits until it has settled. */
export async function openLook(page: Page, url: string, look: Look, authored: Authored): Promise<void> {
  await page.goto(url + (typeof look.path === "string" ? look.path : look.path(authored)));
  // Not by its role, which it does not have behind a dialog.
  await page.locator("h1").first().waitFor();
  await eventually(() => page.evaluate("!/loading/i.test(document.body.innerText)"), "the page to be loaded");
  await look.act?.(page);
}
