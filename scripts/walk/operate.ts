// What an operator does: an alert rule, a provider that goes away, how long data is kept, and a person whose data is
// exported and erased.

import { createWorkflow, email, trigger } from "@tidings/testkit/verbs";
import type { Page } from "playwright-core";
import { eventually, type World } from "./world.ts";

/** From the first failed mail to the alert. */
const maxAlertMs = 120_000;

export async function walkOperate(world: World): Promise<void> {
  await createRule(world);
  await walkAlert(world);
  await walkRetention(world);
  await walkPerson(world);
}

async function createRule(world: World): Promise<void> {
  const { client, check, picture } = world;
  const page = await world.openDashboard("/alerts?tab=rules");
  await page.getByRole("list", { name: "Rules" }).waitFor();
  await picture(page, "operate-rules");
  await page.getByRole("button", { name: "Add rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Mail is down");
  await dialog.getByLabel("Failing for, seconds").fill("soon");
  await dialog.getByRole("button", { name: "Add target" }).click();
  await dialog.getByLabel("Addresses").fill("ops@example.com, on-call@example.com");
  await dialog.getByLabel("Hold messages back").check();
  await picture(page, "operate-rule");
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await dialog.getByRole("alert").first().waitFor();
  await picture(page, "operate-rule-refused");
  const refused = await dialog.getByRole("alert").allInnerTexts();
  check("a word instead of seconds is refused at its field", refused.length === 1, refused.join(" | "));
  await dialog.getByLabel("Failing for, seconds").fill("30");
  await dialog.getByLabel("Hold messages back").uncheck();
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByText("Mail is down").first().waitFor();
  const { body } = await client("alertRules.list", {});
  const rule = body.find(({ name }) => name === "Mail is down");
  check("the rule is stored as it was typed", rule?.targets[0]?.to?.length === 2 && rule.quiet === null, rule?.targets);
  await page.setViewportSize({ width: 375, height: 800 });
  await picture(page, "operate-rules-375");
  check("no sideways scrolling at 375", await fits(page));
  await page.context().close();
}

async function walkAlert(world: World): Promise<void> {
  const { client, mail, check, figure, picture } = world;
  await mail.stop();
  await client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "away",
      name: "Mail server",
      active: true,
      credentials: { host: "127.0.0.1", port: String(mail.port), ignoreTls: true, from: "shop@example.com" } as never,
    },
  });
  await client("integrations.setPrimary", { params: { integrationId: "away" } }).catch(() => {});
  await createWorkflow(client, "parcel", [email()], { name: "Parcel" });
  const begun = performance.now();
  for (let index = 0; index < 8; index++)
    await trigger(client, "parcel", { subscriberId: `parcel-${index}`, email: `parcel-${index}@example.com` });
  const opened = await eventually(
    async () => {
      const { body } = await client("alerts.list", { query: { status: "open", kind: "integration_failing" } });
      return body.data[0];
    },
    "the alert",
    180_000,
  );
  const tookMs = performance.now() - begun;
  figure("from the first failed mail to the alert", `${(tookMs / 1000).toFixed(0)} s`);
  check("an alert opens within two minutes", tookMs < maxAlertMs, opened.title);
  const page = await world.openDashboard("/alerts", { colorScheme: "dark" });
  await page.getByText(opened.title).first().click();
  await page.getByText("Open the screen that fixes it").first().waitFor();
  await picture(page, "operate-alert");
  await page.getByRole("button", { name: "Acknowledge" }).first().click();
  await page.getByText("Acknowledged by").first().waitFor();
  await page.getByText("Open the screen that fixes it").first().click();
  await page.getByRole("heading", { level: 1, name: /Mail server/ }).waitFor();
  check("the alert leads to the integration", page.url().includes("/integrations/"), page.url());
  await mail.start();
  await page.context().close();
}

async function walkRetention({ openDashboard, check, picture }: World): Promise<void> {
  const page = await openDashboard("/settings?tab=data");
  await page.getByRole("table", { name: "Data" }).waitFor();
  await picture(page, "operate-data");
  await page.getByRole("button", { name: "Change retention" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Messages and events, days").fill("1");
  await dialog.getByRole("button", { name: "Show what this deletes" }).click();
  await dialog.getByRole("alert").first().waitFor();
  await picture(page, "operate-data-refused");
  const refused = await dialog.getByRole("alert").first().innerText();
  check("a retention shorter than the longest wait is refused with the numbers", /\d/.test(refused), refused);
  await dialog.getByLabel("Messages and events, days").fill("");
  await dialog.getByLabel("Captured messages, days").fill("7");
  await dialog.getByRole("button", { name: "Show what this deletes" }).click();
  await dialog.getByText(/deletes nothing today|deletes for good/).waitFor();
  await picture(page, "operate-data-preview");
  await dialog.getByRole("button", { name: "Save and delete" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByText("7 days").first().waitFor();
  await page.setViewportSize({ width: 375, height: 800 });
  await picture(page, "operate-data-375");
  check("no sideways scrolling at 375", await fits(page));
  await page.context().close();
}

async function walkPerson(world: World): Promise<void> {
  const { client, check, picture } = world;
  const profile = { subscriberId: "grace", firstName: "Grace", lastName: "Hopper", email: "grace@example.com" };
  await client("subscribers.create", { body: profile });
  await createWorkflow(client, "captured-mail", [email()], { name: "Captured mail" });
  await trigger(client, "captured-mail", "grace", { order: "for Grace" });
  const page = await world.openDashboard("/subscribers/grace?tab=profile");
  const button = page.getByRole("button", { name: "Export data" });
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  check("the archive is a zip", download.suggestedFilename().endsWith(".zip"));
  await picture(page, "operate-person");
  await page.getByRole("button", { name: /^Erase/ }).click();
  const dialog = page.getByRole("dialog");
  await picture(page, "operate-erase");
  await dialog.getByLabel("Type grace to confirm").fill("grace");
  await dialog.getByRole("button", { name: "Erase data" }).click();
  await page.getByRole("heading", { name: "Data erased" }).waitFor({ timeout: 150_000 });
  await picture(page, "operate-erased");
  const { status } = await client("subscribers.retrieve", { params: { subscriberId: "grace" } }).catch(() => ({
    status: 404,
  }));
  check("the person is gone", status === 404, status);
  await page.context().close();
}

const fits = async (page: Page): Promise<boolean> =>
  (await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")) as boolean;
