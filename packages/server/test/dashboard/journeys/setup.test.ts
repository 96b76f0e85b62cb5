// What an installation is set up with, in a browser: an integration, an endpoint, an environment, a layout, an address
// that gets nothing.
import assert from "node:assert/strict";
import { journey, openBrowser } from "@tidings/testkit/chromium";
import { createClient } from "@tidings/testkit/client";
import { closedPort, startMailServer } from "@tidings/testkit/mail/smtp";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { enter, expectNoOverflow, narrow, openDashboard } from "../support.ts";

const mail = await startMailServer();
const receiver = await startReceiver(() => ({ status: 200, text: "taken" }));
const service = await startTestService();
const { client } = service;

journey("a provider is found, its credentials are checked, and it becomes primary and sends", async (context) => {
  const browser = await openBrowser(context, { viewport: { width: 1280, height: 860 } });
  await enter(browser, service);
  // The refusals on the way are in the console of the browser, so this page is opened without the check of errors.
  const page = await browser.newPage();
  await page.goto(`${service.url}/integrations`);
  await page.getByRole("link", { name: "Add integration" }).click();
  await page.getByRole("searchbox", { name: "Search providers" }).fill("smtp");
  await page.waitForURL(/q=smtp/);
  await page
    .getByRole("list", { name: /^Providers/ })
    .getByRole("link")
    .first()
    .click();

  await page.getByLabel("Host").fill("127.0.0.1");
  await page.getByLabel("Port").fill(String(mail.port));
  await page.getByLabel(/^User/).fill(mail.user);
  await page.getByLabel(/^Password/).fill("wrong");
  await page.getByLabel(/^From email/).fill("hello@example.com");
  await page.getByLabel(/^Name/).fill("Office mail");
  await page.getByRole("button", { name: "Add integration" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "The provider rejected the credentials" });
  await refusal.waitFor();
  await page.getByLabel("Port").fill(String(await closedPort()));
  await page.getByRole("button", { name: "Add integration" }).click();
  const away = page.getByRole("alert").filter({ hasText: "(connection refused). Is the server running?" });
  await away.waitFor();
  const box = (await away.boundingBox())!;
  assert.ok(box.y > 0 && box.y + box.height <= 860, "what was refused is in sight");
  await page.getByLabel("Port").fill(String(mail.port));
  await page.getByLabel(/^Password/).fill(mail.password);
  await page.getByRole("button", { name: "Add integration" }).click();
  await page.getByRole("heading", { level: 1, name: "Office mail" }).waitFor();
  await page.getByText("Healthy").waitFor();

  // The secret is never shown, and is kept when its field is left empty.
  assert.equal(await page.getByLabel(/^Password/).inputValue(), "");
  assert.doesNotMatch(await page.content(), new RegExp(mail.password));
  await page.getByLabel(/^Name/).fill("The office");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { level: 1, name: "The office" }).waitFor();
  await page.getByRole("button", { name: "Check credentials" }).click();
  await page.getByText("The provider accepted the credentials").waitFor();

  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("dialog").getByLabel("Subscriber id").fill("ada");
  await page
    .getByRole("dialog")
    .getByLabel(/^Email address/)
    .fill("ada@example.com");
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL(/\/activity\//);
  await eventually(() => mail.received.some(({ subject }) => subject === "A test from Tidings"), "the test mail");
});

journey("an endpoint is refused without events, made, and gets a signed test", async (context) => {
  const page = await openDashboard(context, service, "/webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(`${receiver.url}/shop`);
  await dialog.getByRole("combobox", { name: /^Events/ }).click();
  await page.getByRole("option", { name: "Selected events" }).click();
  await dialog.getByText("Choose at least one event").waitFor();
  await dialog.getByRole("checkbox", { name: /^workflow\.created/ }).check();
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  const secret = (await dialog.getByText(/^whsec_/).textContent())!;
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("link", { name: /\/shop/ }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test event was accepted").waitFor();
  assert.ok(isSignedWith(secret, receiver.received.at(-1)!));
});

journey("an environment is made; its key is rotated, with the last use of each", async (context) => {
  const page = await openDashboard(context, service, "/environments");
  await page.getByRole("button", { name: "New environment" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Staging");
  await page.getByRole("button", { name: "Create environment" }).click();
  const first = (await page.getByRole("region", { name: "API key", exact: true }).innerText()).trim();
  await page.getByRole("button", { name: "Done" }).click();
  const keys = page.getByRole("table", { name: "API keys for Staging" });
  await keys.getByRole("cell", { name: "Never used" }).waitFor();
  assert.equal(await keys.getByText(first).count(), 0, "a key is shown once");

  await page.getByRole("region", { name: "Staging", exact: true }).getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Second");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const second = (await page.getByRole("region", { name: "API key", exact: true }).innerText()).trim();
  await page.getByRole("button", { name: "Done" }).click();
  await createClient({ baseUrl: service.url, apiKey: second })("environments.list");
  const row = keys.getByRole("row").filter({ hasText: second.slice(-4) });
  await eventually(async () => {
    await page.reload();
    await row.waitFor();
    return (await row.getByRole("cell", { name: "Never used" }).count()) === 0;
  }, "the use of the key to be shown");
  await keys.getByRole("button", { name: `Revoke the key ending in ${first.slice(-4)}` }).click();
  await page.getByRole("dialog").getByText("It has not been used within the last hour.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Key revoked").waitFor();
  await eventually(
    async () => (await createClient({ baseUrl: service.url, apiKey: first }).raw("environments.list")).status === 401,
    "the old key to be refused",
  );
});

journey(
  "a layout is shown while it is typed, and says before it is saved that it shows no content",
  async (context) => {
    await client("layouts.create", { body: { layoutId: "company", name: "Company" } });
    // The style that the browser gives to what `fill` puts into an element that is edited is refused.
    const allow = /status of 422|Applying inline style/;
    const page = await openDashboard(context, service, "/layouts/company", { allow });
    const code = page.getByRole("textbox", { name: "Content" });
    await code.fill("<p>no content</p>");
    await page.getByText("Without it, emails are sent without this layout").first().waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("alert").getByText("Not saved", { exact: true }).waitFor();
    const read = async () => (await client("layouts.retrieve", { params: { layoutId: "company" } })).body;
    assert.equal((await read()).controls.values.email?.body, "{{ content }}");
    await code.fill("<h1>Northwind</h1>{{content}}");
    const preview = page.frameLocator("iframe").frameLocator("iframe");
    await preview.getByRole("heading", { name: "Northwind" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal((await read()).controls.values.email?.body, "<h1>Northwind</h1>{{content}}");
  },
);

journey("an address is suppressed and sent to again; a context is made", async (context) => {
  const page = await openDashboard(context, service, "/topics?tab=suppressions", { viewport: narrow });
  await page.getByRole("button", { name: "Suppress address" }).click();
  await page.getByRole("textbox", { name: "Address", exact: true }).fill("Ada@Example.com");
  await page.getByRole("button", { name: "Suppress", exact: true }).click();
  await page.getByRole("cell", { name: "ada@example.com", exact: true }).waitFor();
  await page.getByText("Manual").waitFor();
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Lift the suppression of ada@example.com" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Lift" }).click();
  await page.getByText("No suppressed addresses").waitFor();
  await page.getByRole("tab", { name: "Contexts" }).click();
  await page.getByRole("button", { name: "Create context" }).click();
  await page.getByRole("textbox", { name: "Id", exact: true }).fill("acme");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("cell", { name: "acme", exact: true }).waitFor();
  await expectNoOverflow(page);
});
