// Integrations, in a browser: the catalogue, changes in the list, and a role that may change nothing.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { invite } from "../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard, ownerOf } from "./support.ts";

const service = await startTestService();
const { client } = service;

const createMail = async (name: string) => {
  const credentials = { host: "127.0.0.1", port: "9", ignoreTls: true, from: "hello@example.com" };
  const body = { providerId: "nodemailer", channel: "email", name, active: true, credentials } as const;
  return (await client("integrations.create", { body })).body;
};

browserTest("the catalogue of providers and the form of an integration are accessible", async (context) => {
  const { identifier } = await createMail("Office mail");
  const page = await openDashboard(context, service, "/integrations/new?q=smtp");
  await page
    .getByRole("list", { name: /^Providers/ })
    .getByRole("link")
    .first()
    .waitFor();
  await expectAccessible(page);
  await page.goto(`${service.url}/integrations/${identifier}`);
  await page.getByLabel("Host").waitFor();
  await expectAccessible(page);
});

browserTest("another one is made primary, is switched off, and is deleted after a question", async (context) => {
  const { _id } = await createMail("Second");
  const page = await openDashboard(context, service, "/integrations", { viewport: narrow });
  const row = page.getByRole("listitem").filter({ hasText: "Second" });
  await row.getByRole("link").click();
  await page.getByText("Not used yet").waitFor();
  await page.goBack();
  await row.getByRole("button", { name: "Actions for Second" }).click();
  await page.getByRole("menuitem", { name: "Make primary" }).click();
  await row.getByText("Primary").waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await row.getByRole("switch").click();
  await row.getByText("Off").waitFor();
  await row.getByRole("link").click();
  await page.getByRole("button", { name: "Delete integration" }).click();
  await expectNoOverflow(page);
  await page.getByRole("dialog").getByRole("button", { name: "Delete integration" }).click();
  await page.getByText("Integration deleted").waitFor();
  const { body: left } = await client("integrations.list");
  assert.ok(!left.some((one) => one._id === _id));
});

browserTest("a viewer sees the integrations and can change nothing", async (context) => {
  const viewer = await invite(service, await ownerOf(service), "viewer");
  const page = await openDashboard(context, service, "/integrations", {}, viewer);
  const toggle = page.getByRole("switch").first();
  await toggle.waitFor();
  assert.equal(await toggle.isDisabled(), true);
  assert.equal(await page.getByRole("link", { name: "Add integration" }).count(), 0);
  await page
    .getByRole("list")
    .getByRole("link", { name: /In-app|Tidings|capture/i })
    .first()
    .click();
  await page.getByText("requires the editor role").waitFor();
  assert.equal(await page.getByRole("button", { name: /Save|Delete|Send a test/ }).count(), 0);
});
