// Signing in to the dashboard, in a browser.
import assert from "node:assert/strict";
import { browserTest, journey, openBrowser } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import type { Page } from "playwright-core";
import { signInOwner } from "../app/members/browsers.ts";
import { describeViolation, expectNoOverflow, findViolations, narrow } from "./support.ts";

const service = await startTestService();

journey("the first person opens the link, signs out, and signs in again where it was", async (context) => {
  const browser = await openBrowser(context, { viewport: narrow });
  // The response 401 to a first visit is in the console of the browser, so this page is opened without the check of
  // errors.
  const page = await browser.newPage();
  await page.goto(`${service.url}/activity?outcome=failed`);
  await page.getByRole("heading", { name: "Welcome to Tidings" }).waitFor();

  await page.goto("about:blank");
  await page.goto(service.firstLink!);
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Choose a password").fill("correct horse battery");
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  assert.doesNotMatch(page.url(), /token/);

  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("button", { name: /^Account/ }).click();
  // By key: what loads under the menu may still move it while the mouse is pressed.
  await page.getByRole("menuitem", { name: "Sign out" }).press("Enter");
  await page.getByRole("heading", { name: "Sign in to Tidings" }).waitFor();

  await page.goto(`${service.url}/activity?outcome=failed`);
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill("a wrong password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  assert.match(page.url(), /\/activity\?outcome=failed/);
});

browserTest("a link that was used says so", async (context) => {
  const installed = await startTestService();
  await signInOwner(installed);
  const browser = await openBrowser(context);
  const page = await browser.newPage();
  await page.goto(installed.firstLink!);
  await page.getByText("This link no longer works").waitFor();
  await page.getByRole("button", { name: "Go to sign-in" }).click();
  await page.getByLabel("Email").waitFor();
});

/** All of these pages have one address, so `expectAccessible` would check the first one alone. */
async function expectNoViolations(page: Page): Promise<void> {
  assert.deepEqual((await findViolations(page)).map(describeViolation), []);
}

browserTest("the pages of signing in are accessible on a phone", async (context) => {
  // Another installation, whose first person has not come yet.
  const fresh = await startTestService();
  const browser = await openBrowser(context, { viewport: narrow });
  const page = await browser.newPage();
  await page.goto(fresh.url);
  await page.getByRole("heading", { name: "Welcome to Tidings" }).waitFor();
  await expectNoViolations(page);
  await page.goto("about:blank");
  await page.goto(fresh.firstLink!);
  await page.getByLabel("Your name").waitFor();
  await expectNoOverflow(page);
  await expectNoViolations(page);
  await signInOwner(fresh);
  await page.goto("about:blank");
  await page.goto(fresh.url);
  await page.getByRole("heading", { name: "Sign in to Tidings" }).waitFor();
  await expectNoOverflow(page);
  await expectNoViolations(page);
});
