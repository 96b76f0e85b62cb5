// The brand and the gallery, in a browser: colours that are hard to read are said while they are typed, a tenant gets
// its own brand, and a template becomes a workflow.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { startDashboard } from "./kept-page.ts";
import { expectAccessible, expectNoOverflow, narrow } from "./support.ts";

const service = await startDashboard();
const { client } = service;
const brandOf = async () => (await client("brand.retrieve")).body;

browserTest("a brand is previewed, said to be hard to read, saved, and overridden for a tenant", async (context) => {
  await client("contexts.create", { body: { type: "tenant", id: "globex" } });
  const page = await service.open(context, "/brand", { allow: /status of 422/ });
  const mail = page.frameLocator("iframe").frameLocator("iframe");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Northwind");
  await mail.getByText("Northwind").first().waitFor();
  await page.getByText("All colours can be read").waitFor();
  await page.getByRole("textbox", { name: "Text, light", exact: true }).fill("#cccccc");
  await page.getByText("#cccccc on #ffffff has a contrast of 1.6").waitFor();
  await page.getByRole("textbox", { name: "Logo", exact: true }).fill("javascript:alert(1)");
  await page.getByRole("button", { name: "Save brand" }).click();
  await page.getByRole("alert").getByText("must be a web address").first().waitFor();
  assert.equal((await brandOf()).isSet, false);
  await page.getByRole("textbox", { name: "Logo", exact: true }).fill("");
  await page.getByRole("button", { name: "Add link" }).click();
  await page.getByRole("textbox", { name: "Address of Website" }).fill("https://northwind.example");
  await page.getByRole("button", { name: "Save brand" }).click();
  await page.getByText("Brand saved").waitFor();
  const { own } = await brandOf();
  assert.deepEqual(own, {
    name: "Northwind",
    colors: { text: "#cccccc" },
    socialLinks: [{ network: "website", url: "https://northwind.example" }],
  });
  await page.getByRole("textbox", { name: "Text, light", exact: true }).fill("#222222");
  await page.getByText("All colours can be read").waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);

  await page.getByRole("combobox", { name: /^Applies to/ }).click();
  await page.getByRole("option", { name: "tenant: globex" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Globex");
  await page.getByRole("button", { name: "Save brand" }).click();
  await page.getByText("Brand saved").first().waitFor();
  const params = { type: "tenant", id: "globex" };
  await eventually(
    async () => (await client("brand.retrieveContext", { params })).body.own.name === "Globex",
    "the brand of the tenant",
  );
});

browserTest("brand and gallery fit a phone in the dark", async (context) => {
  await client("brand.update", { body: { name: "Northwind", colors: { primary: "#0b5fff" } } });
  const page = await service.open(context, "/brand", { viewport: narrow, colorScheme: "dark" });
  await page.getByRole("button", { name: "Save brand" }).waitFor();
  await page.getByRole("button", { name: "Inbox" }).click();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.goto(`${service.url}/gallery`);
  await page.getByRole("button", { name: "Preview Mention" }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
});

browserTest("the preview of an email shows the brand of the chosen context", async (context) => {
  await client("brand.updateContext", { params: { type: "tenant", id: "globex" }, body: { name: "Globex" } });
  await createWorkflow(client, "greeting", [email({ subject: "From {{ brand.name }}" })], { name: "Greeting" });
  const page = await service.open(context, "/workflows/greeting?step=email");
  await page.getByText("From Northwind").first().waitFor();
  await page.getByRole("combobox", { name: /^Context/ }).click();
  await page.getByRole("option", { name: "tenant: globex" }).click();
  await page.getByText("From Globex").first().waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
});

browserTest(
  "texts and the domain of the pages are edited; leaving asks, keeps the draft, and saves",
  async (context) => {
    const page = await service.open(context, "/brand", { allow: /status of 422/ });
    await page.getByRole("textbox", { name: "Own domain" }).fill("http://pages.example.com");
    await page.getByRole("combobox", { name: /^Own texts/ }).click();
    await page.getByRole("option", { name: "German", exact: true }).click();
    await page.getByRole("textbox", { name: "Title, German" }).fill("Ihre Mails");
    await page.getByRole("textbox", { name: "Footer, German" }).fill("Northwind");
    await page.getByRole("button", { name: "Save brand" }).click();
    await page.getByText("pagesUrl must be https and a host name").first().waitFor();
    assert.equal((await brandOf()).own.pageTexts, undefined);
    await page.getByRole("link", { name: "Topics" }).click();
    const question = page.getByRole("dialog", { name: "Leave with unsaved changes?" });
    await question.getByRole("button", { name: "Leave", exact: true }).click();
    await page.getByRole("heading", { name: "Topics", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Brand" }).click();
    await page.getByText("These are your unsaved changes from an earlier visit.").waitFor();
    await page.getByRole("textbox", { name: "Own domain" }).fill("https://pages.example.com");
    await expectAccessible(page);
    await expectNoOverflow(page);
    await page.getByRole("link", { name: "Topics" }).click();
    await question.getByRole("button", { name: "Save and leave" }).click();
    await page.getByRole("heading", { name: "Topics", level: 1 }).waitFor();
    assert.deepEqual((await brandOf()).own.pageTexts, { de: { title: "Ihre Mails", footer: "Northwind" } });
    const [development] = (await client("environments.list")).body;
    assert.equal(development!.pagesUrl, "https://pages.example.com");
    const phone = await service.open(context, "/brand", { viewport: narrow, colorScheme: "dark" });
    await phone.getByRole("textbox", { name: "Title, German" }).waitFor();
    await expectNoOverflow(phone);
  },
);
