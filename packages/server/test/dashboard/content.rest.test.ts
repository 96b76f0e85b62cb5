// Layouts and translations, in a browser: a live preview, a save that meets another one, a missing text filled.
import assert from "node:assert/strict";
import { before } from "@tidings/testkit/at-end";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { enter, expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const { client } = service;
const texts = (locale: string, content: Record<string, unknown>) =>
  client("translations.create", { body: { resourceType: "workflow", resourceId: "order", locale, content } });
const contentOf = async (locale: string) =>
  (await client("translations.retrieve", { params: { resourceType: "workflow", resourceId: "order", locale } })).body
    .content;

before(async () => {
  await createWorkflow(client, "order", [email()]);
  await texts("en_US", { subject: "Shipped", button: { open: "Open" } });
  await texts("de_DE", { subject: "Unterwegs", old: "Alt" });
});

browserTest(
  "a layout: created, previewed while it is typed, kept as a draft, saved, and never overwritten",
  async (context) => {
    // The template with an error and the save that comes too late are refused, which a browser writes to its console.
    // So is the style that it gives to what `fill` puts into an element that is edited.
    const browser = await openBrowser(context, { viewport: { width: 1280, height: 860 } });
    await enter(browser, service);
    const page = await openPage(context, browser, { allow: /status of (422|409)|Applying inline style/ });
    await page.goto(`${service.url}/layouts`);
    await page.getByRole("button", { name: "New layout" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Company");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Company", level: 1 }).waitFor();
    const code = page.getByRole("textbox", { name: "Content" });
    const preview = page.frameLocator("iframe").frameLocator("iframe");
    await preview.getByText("Your email content goes here.").waitFor();
    await code.fill("<h1>Northwind</h1>{{content}}");
    await preview.getByRole("heading", { name: "Northwind" }).waitFor();
    await code.fill("<h1>Northwind</h1>{{content");
    await page.getByText("The layout cannot be rendered").waitFor();
    await code.fill("<h1>Northwind AG</h1>{{content}}");
    await preview.getByRole("heading", { name: "Northwind AG" }).waitFor();
    await page.getByRole("button", { name: "Phone" }).click();
    await expectAccessible(page);
    // Undone and done again: what the page puts into the editor is not a separate change.
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => !(await code.innerText()).includes("Northwind AG"), "the text to be undone");
    await page.getByRole("button", { name: "Redo" }).click();
    await eventually(
      async () => (await code.innerText()) === "<h1>Northwind AG</h1>{{content}}",
      "the text to be back",
    );
    // Without a place for the content it is not saved, and says so before.
    await code.fill("<p>no content</p>");
    await page.getByText("Without it, emails are sent without this layout").first().waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("alert").getByText("Not saved", { exact: true }).waitFor();
    const stored = (await client("layouts.retrieve", { params: { layoutId: "company" } })).body;
    assert.equal(stored.controls.values.email?.body, "{{ content }}");
    await code.fill("<h1>Northwind AG</h1>{{content}}");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText("Restored unsaved changes").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const params = { layoutId: "company" };
    const { controls } = (await client("layouts.retrieve", { params })).body;
    assert.equal(controls.values.email?.body, "<h1>Northwind AG</h1>{{content}}");

    assert.equal(await page.getByText("Not saved", { exact: true }).count(), 0);

    await code.fill("<h1>Mine</h1>{{content}}{{ subscriber.firstName | nope }}");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved with 1 problem").waitFor();
    assert.equal(await page.getByText("Saved", { exact: true }).count(), 0);
    await code.fill("<h1>Mine</h1>{{content}}");
    await client("layouts.update", { params, body: { name: "Theirs" } });
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: /newer version was saved/ });
    await dialog.getByRole("region", { name: "Saved version" }).getByText("Theirs").waitFor();
    await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await client("layouts.retrieve", { params })).body.name, "Company");
    await page.setViewportSize(narrow);
    await expectNoOverflow(page);

    await page.getByRole("link", { name: "Layouts" }).first().click();
    await page.getByRole("button", { name: "Actions for Company" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("This is the default layout and cannot be deleted.").waitFor();
  },
);

browserTest(
  "translations: the missing text is found and filled, a language is added, a file shows what it changes",
  async (context) => {
    const page = await openDashboard(context, service, "/translations");
    await page.getByText("1 missing").waitFor();
    await page.getByText("1 not in en_US").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: /order/ }).click();
    await page.getByRole("combobox", { name: /Show/ }).click();
    await page.getByRole("option", { name: "Missing texts (1)" }).click();
    await page.getByRole("textbox", { name: "button.open in de_DE" }).fill("Öffnen");
    await page.getByText("1 unsaved change").waitFor();
    // Another person writes another text meanwhile: both stay.
    await texts("de_DE", { subject: "Unterwegs zu dir", old: "Alt" });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 text saved").waitFor();
    assert.deepEqual(await contentOf("de_DE"), { subject: "Unterwegs zu dir", old: "Alt", button: { open: "Öffnen" } });

    await page.getByRole("button", { name: "Add language" }).click();
    await page.getByRole("combobox", { name: "Language" }).fill("fr-fr");
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await page.getByRole("textbox", { name: "subject in fr_FR" }).fill("Expédié");
    await page.getByRole("button", { name: "Save" }).click();
    const french = { params: { resourceType: "workflow", resourceId: "order", locale: "fr_FR" } } as const;
    await eventually(
      async () => (await client.raw("translations.retrieve", french)).status === 200,
      "the new language to be saved",
    );
    assert.deepEqual(await contentOf("fr_FR"), { subject: "Expédié" });
    await page.getByRole("button", { name: "Discard changes" }).waitFor({ state: "detached" });
    await page.setViewportSize(narrow);
    await expectNoOverflow(page);

    await page.getByRole("link", { name: "Translations" }).first().click();
    await page.getByRole("button", { name: "Import" }).click();
    const master = { workflows: { order: { subject: "Envoyé", button: { open: "Ouvrir" } } } };
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "fr_FR.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(master)) });
    await page.getByText("1 text added, 1 changed, 0 removed").waitFor();
    await page.getByRole("button", { name: "Import 2 texts" }).click();
    await page.getByText("Texts imported").waitFor();
    assert.deepEqual(await contentOf("fr_FR"), master.workflows.order);
  },
);
