// Environments, in a browser: publishing to production with the diff, rolling it back, keys and variables.
import assert from "node:assert/strict";
import type { StepIn } from "@tidings/contract";
import { browserTest } from "@tidings/testkit/chromium";
import { createClient } from "@tidings/testkit/client";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const { client, production } = service;

const wait = {
  name: "Wait",
  stepId: "wait",
  type: "delay",
  controlValues: { type: "regular", amount: 2, unit: "hours" },
};
const mail = (subject: string) => ({
  name: "Email",
  stepId: "email",
  type: "email",
  controlValues: { subject, body: "<p>Hello</p>" },
});
const subjectInProduction = async () => {
  const { body } = await production("workflows.retrieve", { params: { workflowId: "order" } });
  return body.steps.find(({ stepId }) => stepId === "email")!.controlValues!.subject;
};

browserTest("publish to production with the diff and roll it back", async (context) => {
  await createWorkflow(client, "order", [wait, mail("Order shipped")] as StepIn[], { name: "Order" });
  const toProduction = { params: { targetEnvironmentId: "production" }, body: {} };
  await production("environments.publish", toProduction);
  await trigger(production, "order", "ada");
  await eventually(
    async () => (await production("workflows.retrieveInFlight", { params: { workflowId: "order" } })).body.total === 1,
    "the run to wait",
  );
  const { body: old } = await client("workflows.retrieve", { params: { workflowId: "order" } });
  const steps = [...old.steps.map((one) => ({ ...one, ...(one.stepId === "email" && mail("It is on its way")) }))];
  const sms = { name: "SMS", type: "sms", controlValues: { body: "Hi" } };
  await client("workflows.update", {
    params: { workflowId: "order" },
    body: { name: "Order", origin: old.origin, preferences: {}, active: true, steps: [...steps, sms] as never },
  });
  await createWorkflow(client, "unwanted", [inApp()], { name: "Unwanted" });
  await createWorkflow(client, "broken", [mail("{{ payload.x | truncat: 3 }}")] as StepIn[], { name: "Broken" });

  const page = await openDashboard(context, service, "/environments?tab=publish");
  const list = page.getByRole("list", { name: "Differences" });
  const order = list.getByRole("listitem").filter({ hasText: "Order" }).first();
  await order.getByText("Email subject changes from “Order shipped” to “It is on its way”").waitFor();
  await order.getByText("A step is added: SMS after 2 hours").waitFor();
  await order
    .getByText("1 run is waiting in Wait of version 1; it finishes with the version it started with.")
    .waitFor();
  await order.getByText("Compare every field").click();
  await order.getByText("It is on its way").nth(1).waitFor();
  await order.getByText("Production has no active integration for email").waitFor();
  await page.getByRole("checkbox", { name: "Publish Unwanted" }).uncheck();
  // What has an error is left out until it is chosen, and named again in the question.
  const broken = page.getByRole("checkbox", { name: "Publish Broken" });
  assert.equal(await broken.isChecked(), false);
  const checks = page.getByRole("list", { name: "Before you publish Broken" });
  await checks.getByText("Email: undefined filter: truncat (line 1, column 1)").waitFor();
  await page.getByText("1 resource is left out because of a problem.").waitFor();
  await broken.check();
  await page.getByRole("button", { name: "Publish 2 to Production" }).click();
  await page.getByRole("dialog").getByText("Broken: Email: undefined filter: truncat").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await broken.uncheck();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Publish 1 to Production" }).click();
  await page.getByRole("dialog").getByText("where real messages go to real people").waitFor();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText("Published to Production: 1 updated.").waitFor();
  assert.equal(await subjectInProduction(), "It is on its way");

  // Meanwhile a colleague renames it in production: the restore names that, and asks.
  await production("workflows.patch", { params: { workflowId: "order" }, body: { name: "Order by hand" } });
  await page.getByRole("link", { name: "View in history" }).click();
  await page.getByText("version 1 → version 2").waitFor();
  await page.getByText("A step is added: SMS after 2 hours").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revert" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Changed since").waitFor();
  const agree = dialog.getByRole("button", { name: "Revert" });
  assert.equal(await agree.isDisabled(), true);
  await expectAccessible(page);
  await dialog.getByRole("checkbox", { name: "Revert these changes too" }).check();
  await agree.click();
  await page.getByRole("status").getByText("Reverted", { exact: true }).waitFor();
  await page.getByRole("list", { name: "Publishes to Production" }).getByText("Reverted", { exact: true }).waitFor();
  assert.equal(await subjectInProduction(), "Order shipped");
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await page.goto(`${service.url}/environments?tab=publish`);
  await page.getByRole("button", { name: /^Publish \d/ }).waitFor();
  await expectNoOverflow(page);
});

browserTest("a key gets a scope, an expiry, networks and an owner, and says what is wrong with it", async (context) => {
  const page = await openDashboard(context, service, "/environments", { allow: /422/ });
  await page.getByRole("button", { name: "New environment" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Staging");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const development = page.getByRole("region", { name: "Development", exact: true });
  const keys = page.getByRole("table", { name: "API keys for Development" });
  await development.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Reports");
  await dialog.getByLabel("Owner", { exact: true }).fill("Data team");
  await dialog.getByRole("combobox", { name: /^May do/ }).click();
  await page.getByRole("option", { name: "Chosen operations" }).click();
  const submit = dialog.getByRole("button", { name: "Create key" });
  assert.equal(await submit.isDisabled(), true, "a list without an operation is not sent");
  await dialog.getByLabel("Search operations").fill("workflows.list");
  await dialog.getByRole("checkbox", { name: /^workflows\.list List/ }).check();
  await dialog.getByLabel("Search operations").fill("list the subscribers that nobody named");
  await dialog.getByText("No operation matches.").waitFor();
  await dialog.getByLabel("Search operations").fill("activity.listEvents");
  await dialog.getByRole("checkbox", { name: /^activity\.listEvents/ }).check();
  await dialog.getByText("2 chosen").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Allowed networks").fill("10.0.0.0/33");
  await submit.click();
  await dialog.getByRole("alert").getByText('"10.0.0.0/33" is not a network').waitFor();
  await dialog.getByLabel("Allowed networks").fill("192.0.2.0/24, 2001:db8::/32");
  await submit.click();
  const clear = (await page.getByRole("region", { name: "API key", exact: true }).innerText()).trim();
  await page.getByRole("button", { name: "Done" }).click();
  const row = keys.getByRole("row").filter({ hasText: "Reports" });
  await row.getByRole("cell", { name: "2 operations From 2 networks" }).waitFor();
  await row.getByText("Owner: Data team").waitFor();
  await row.getByRole("cell", { name: "Never used" }).waitFor();
  const limited = createClient({ baseUrl: service.url, apiKey: clear });
  const codeOf = async (id: "workflows.list" | "subscribers.list") => {
    const { status, body } = await limited.raw(id);
    return status === 200 ? "allowed" : (body as { code: string }).code;
  };
  assert.equal(await codeOf("workflows.list"), "API_KEY_NETWORK");

  await row.getByRole("button", { name: `Edit the key ending in ${clear.slice(-4)}` }).click();
  await dialog.getByLabel("Allowed networks").fill("");
  await dialog.getByRole("combobox", { name: /^May do/ }).click();
  await page.getByRole("option", { name: "Read only" }).click();
  await dialog.getByText("What a viewer sees. It changes nothing.").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Key saved").waitFor();
  await row.getByRole("cell", { name: "Read only" }).waitFor();
  await eventually(async () => (await codeOf("subscribers.list")) === "allowed", "the key to read");

  // Times that nobody can wait for.
  await sql`update api_keys set last_used_at = now() - interval '100 days', created_at = now() - interval '400 days',
    expires_at = now() + interval '3 days 1 hour' where name = 'Reports'`.execute(service.db);
  await page.reload();
  await row.getByText("It expires in 3 days.").waitFor();
  await row.getByText("It has not been used for 100 days. Revoke it if nothing needs it.").waitFor();
  await row.getByText("It is more than a year old. Replace it with a new one.").waitFor();
  await expectAccessible(page);
  await sql`update api_keys set expires_at = now() - interval '1 day' where name = 'Reports'`.execute(service.db);
  await page.reload();
  await row.getByText(/^It expired on .* and is refused\.$/).waitFor();
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await row.getByRole("button", { name: /^Edit the key/ }).click();
  await dialog.getByLabel("Allowed networks").waitFor();
  await expectNoOverflow(page);
});

browserTest("a variable and a secret get values for each environment; a used one is not deleted", async (context) => {
  const page = await openDashboard(context, service, "/environments?tab=variables");
  await page.getByRole("button", { name: "New variable" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("BASE_URL");
  await dialog.getByLabel("Value in Development").fill("https://dev.example.com");
  await dialog.getByLabel("Value in Production").fill("https://example.com");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  const agree = async () => {
    const question = page.getByRole("dialog", { name: /^Save / });
    await question.getByText("where real messages go to real people").waitFor();
    await question.getByRole("button", { name: "Save" }).click();
    // The question closes over the form: one after the other, since two dialogs at once have no single locator.
    await question.waitFor({ state: "detached" });
    await dialog.waitFor({ state: "detached" });
  };
  await agree();
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("BASE_URL").getByText("https://dev.example.com").waitFor();
  const valuesOf = async (via: typeof client) =>
    (await via("environmentVariables.list", {})).body.map((one) => one.values);
  assert.equal((await valuesOf(production))[0]![0]!.value, "https://example.com");

  await page.getByRole("button", { name: "New variable" }).click();
  await dialog.getByLabel("Name").fill("API_TOKEN");
  await dialog.getByRole("checkbox", { name: /^Secret/ }).check();
  await dialog.getByLabel("Value in Production").fill("browser-canary");
  await dialog.getByRole("button", { name: "Create" }).click();
  await agree();
  await row("API_TOKEN").getByText("Set", { exact: true }).waitFor();
  await row("API_TOKEN").getByText("Not set").first().waitFor();
  assert.ok(!(await page.content()).includes("browser-canary"), "a secret is not shown");
  await expectAccessible(page);

  // An empty field keeps the secret; the new value goes to the other environment.
  await row("API_TOKEN").getByRole("button", { name: "Actions for API_TOKEN" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await dialog.getByText("A value is set. Leave the field empty to keep it.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Value in Development").fill("second");
  await dialog.getByRole("button", { name: "Save" }).click();
  await eventually(async () => (await valuesOf(client)).flat().length === 2, "both variables in development");
  await dialog.waitFor({ state: "detached" });
  assert.equal((await valuesOf(production)).flat().length, 2);

  // Clearing a plain value removes it from that environment.
  await row("BASE_URL").getByRole("button", { name: "Actions for BASE_URL" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await dialog.getByLabel("Value in Production").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await agree();
  await row("BASE_URL").getByText("Not set").first().waitFor();

  await createWorkflow(client, "linked", [inApp({ body: "{{ env.BASE_URL }}" })] as StepIn[], { name: "Linked" });
  const remove = async (key: string) => {
    await row(key)
      .getByRole("button", { name: `Actions for ${key}` })
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
  };
  await remove("BASE_URL");
  await dialog.getByText("BASE_URL is in use").waitFor();
  await dialog.getByRole("link", { name: "Linked" }).waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Close" }).click();
  await remove("API_TOKEN");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("API_TOKEN was deleted").waitFor();
  assert.deepEqual((await valuesOf(production)).flat(), []);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
});
