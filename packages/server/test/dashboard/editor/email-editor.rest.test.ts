// The visual email editor, in a browser: an email is written without HTML, what the editor does not know is kept, and
// blocks and HTML are exchanged.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { browserTest } from "@tidings/testkit/chromium";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { startDashboard } from "../kept-page.ts";
import { expectAccessible, expectNoOverflow, narrow } from "../support.ts";
import { save } from "./actions.ts";

const service = await startDashboard();
const { client } = service;

const storedBody = async (workflowId: string, index = 0) => {
  const { body } = await client("workflows.retrieve", { params: { workflowId } });
  return String(body.steps[index]?.controls.values.body);
};

/** Browsers write images that they cannot load to their console. */
const picture = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

const editorOf = (page: Page) => page.getByRole("textbox", { name: "Body" });
const open = (context: TestContext, path: string) =>
  service.open(context, path, { allow: /status of (409|422)|Applying inline style/ });

/** Types the start of a name after the sign that opens the list, and takes the first entry. */
async function pick(page: Page, typed: string, entry: RegExp): Promise<void> {
  await page.keyboard.type(typed);
  await page.getByRole("option", { name: entry, selected: true }).waitFor();
  await page.keyboard.press("Enter");
}

browserTest("a person who knows no HTML writes an order confirmation with the keyboard", async (context) => {
  await createWorkflow(client, "order-mail", [inApp()]);
  const page = await open(context, "/workflows/order-mail");
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByRole("menuitem", { name: "Email", exact: true }).click();
  await page.getByRole("textbox", { name: "Subject" }).fill("Your order");
  const editor = editorOf(page);
  await editor.focus();

  await pick(page, "/head", /^Heading 1/);
  await page.keyboard.type("Thank you, ");
  await pick(page, "{{first", /subscriber\.firstName/);
  await page.keyboard.press("Enter");
  await page.keyboard.type("Your order is on its way. ");
  await page.keyboard.press("Control+b");
  await page.keyboard.type("It is insured.");
  await page.keyboard.press("Enter");

  // Blocks without text open their settings, and Escape leads back to the page.
  await pick(page, "/button", /^Button/);
  const settings = page.getByRole("region", { name: /^Settings: / });
  await settings.getByRole("textbox", { name: "Label" }).fill("Track it");
  await settings.getByRole("textbox", { name: "Link address" }).fill("https://shop.example/{{ payload.order }}");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await pick(page, "/image", /^Image/);
  await settings.getByText("Describe the image").waitFor();
  await settings.getByRole("textbox", { name: "Image address" }).fill(picture);
  await settings.getByRole("textbox", { name: "Alternative text" }).fill("A parcel");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");

  await pick(page, "/rep", /^Repeat/);
  await settings.getByRole("combobox", { name: "List" }).fill("payload.items");
  await page.keyboard.press("Escape");
  await pick(page, "{{payload.items.name", /payload\.items\.name/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");

  await pick(page, "/col", /^Columns/);
  await page.keyboard.type("Left");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("Right");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");

  await page.keyboard.type("For members only.");
  await page.keyboard.press("Alt+Enter");
  await settings.getByRole("button", { name: "Add a condition" }).click();
  await settings.getByRole("combobox", { name: "Value to compare" }).fill("payload.member");
  await settings.getByRole("textbox", { name: "Compare with" }).fill("true");
  await expectAccessible(page);
  await settings.getByRole("button", { name: "Close settings" }).click();

  // The last block is moved up, undone and redone with the history of the page.
  const order = () => editor.evaluate(topBlocks);
  assert.deepEqual(await order(), ["heading", "paragraph", "button", "image", "repeat", "columns", "paragraph"]);
  await page.keyboard.press("Alt+ArrowUp");
  assert.equal((await order()).at(-1), "columns");
  await page.keyboard.press("Control+z");
  await eventually(async () => (await order()).at(-1) === "paragraph", "the move to be undone");
  await page.keyboard.press("Control+Shift+z");
  await eventually(async () => (await order()).at(-1) === "columns", "the move to be redone");
  await save(page);

  const bold = { type: "text", marks: [{ type: "bold" }], text: "It is insured." };
  const line = (text: string) => ({ type: "paragraph", content: [{ type: "text", text }] });
  const variable = (id: string) => ({ type: "variable", attrs: { id } });
  const expected = {
    type: "doc",
    content: [
      {
        type: "heading",
        attrs: { level: 1 },
        content: [{ type: "text", text: "Thank you, " }, variable("subscriber.firstName")],
      },
      { type: "paragraph", content: [{ type: "text", text: "Your order is on its way. " }, bold] },
      {
        type: "button",
        attrs: { text: "Track it", url: "https://shop.example/{{ payload.order }}", alignment: "left" },
      },
      { type: "image", attrs: { src: picture, alt: "A parcel", alignment: "center" } },
      {
        type: "repeat",
        attrs: { each: "payload.items" },
        content: [{ type: "paragraph", content: [variable("payload.items.name")] }],
      },
      { ...line("For members only."), attrs: { showIf: { "==": [{ var: "payload.member" }, true] } } },
      { type: "columns", content: ["Left", "Right"].map((text) => ({ type: "column", content: [line(text)] })) },
    ],
  };
  assert.deepEqual(JSON.parse(await storedBody("order-mail", 1)), expected);

  await page.reload();
  await editor.getByText("Thank you,").waitFor();
  assert.equal(await editor.locator("[data-type=variable]").count(), 2);
  const preview = page.frameLocator("iframe").frameLocator("iframe");
  await preview.getByRole("heading", { name: /^Thank you/ }).waitFor();
  await preview.getByRole("link", { name: "Track it" }).waitFor();
  await preview.getByText("Left").waitFor();
  await expectAccessible(page);
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
});

/** The types of the blocks of a document, for `evaluate`. */
const topBlocks = (element: unknown): string[] =>
  [...(element as { children: Iterable<{ dataset: { type?: string } }> }).children].flatMap(
    ({ dataset }) => dataset.type ?? [],
  );

browserTest("what the editor does not know is kept; blocks become HTML, HTML becomes a block", async (context) => {
  const unknown = { type: "countdown", attrs: { until: "2027-01-01" }, content: [{ type: "tick" }] };
  const text = { type: "paragraph", attrs: { "x-own": 1 }, content: [{ type: "text", text: "Hello" }] };
  const body = JSON.stringify({ type: "doc", content: [text, unknown] }, null, 3);
  await createWorkflow(client, "kept", [email({ subject: "Hi", body, editorType: "block" })]);
  const page = await open(context, "/workflows/kept?step=email");
  const editor = editorOf(page);
  await editor.getByText("countdown: this editor cannot show the block").waitFor();
  await page.getByRole("textbox", { name: "Subject" }).fill("Hello");
  await save(page);
  assert.equal(await storedBody("kept"), body);

  await editor.getByText("Hello").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" Ada");
  await save(page);
  const changed = { ...text, content: [{ type: "text", text: "Hello Ada" }] };
  assert.deepEqual(JSON.parse(await storedBody("kept")), { type: "doc", content: [changed, unknown] });

  const modes = page.getByRole("group", { name: "Written as" });
  // Too much to paste is refused, what fits is cleaned.
  const paste = (html: string) =>
    editor.evaluate((element, pasted) => {
      type Dom = {
        DataTransfer: new () => { setData(type: string, text: string): void };
        ClipboardEvent: new (name: string, init: object) => unknown;
      };
      const { DataTransfer, ClipboardEvent } = globalThis as unknown as Dom;
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/html", pasted);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      (element as unknown as { dispatchEvent(one: unknown): void }).dispatchEvent(event);
    }, html);
  await paste(`<p>${"x".repeat(2_000_001)}</p>`);
  await page.getByText("more than 2 MB").waitFor();
  await editor.focus();
  await page.keyboard.press("Enter");
  await paste(
    '<h2 class="x">Title</h2><p style="color:red"><span style="font-weight:700">Bold</span></p><script>1</script>',
  );
  await editor.getByRole("heading", { name: "Title" }).waitFor();
  assert.equal(await editor.locator("strong").innerText(), "Bold");

  await modes.getByRole("button", { name: "HTML" }).click();
  await page.getByRole("dialog").getByText("cannot be turned back into these blocks").waitFor();
  await page.getByRole("button", { name: "Convert to HTML" }).click();
  await page.locator(".cm-content").getByText("Hello Ada").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await editor.getByText("Hello Ada").waitFor();
  await page.getByRole("button", { name: "Redo" }).click();
  await page.locator(".cm-content").getByText("Hello Ada").waitFor();
  await modes.getByRole("button", { name: "Blocks" }).click();
  await page.getByRole("dialog").getByText("Nothing is lost").waitFor();
  await page.getByRole("button", { name: "Use blocks" }).click();
  await eventually(
    async () => (await editor.evaluate(topBlocks)).join() === "htmlCodeBlock",
    "one block with the HTML",
  );
});

browserTest("5,000 blocks are said to be too long, and stay editable", async (context) => {
  const content = Array.from({ length: 5_000 }, (_, index) => ({
    type: "paragraph",
    content: [
      { type: "text", text: `Line ${index}` },
      ...(index % 2 === 1 ? [] : [{ type: "variable", attrs: { id: `payload.${"long".repeat(10)}` } }]),
    ],
  }));
  await createWorkflow(client, "long", [
    email({ subject: "Hi", body: JSON.stringify({ type: "doc", content }), editorType: "block" }),
  ]);
  const page = await open(context, "/workflows/long?step=email");
  // Found without roles: their names would be computed from all lines.
  await page.locator(".ProseMirror p").nth(1).click();
  await page.keyboard.press("End");
  await page.keyboard.type("!?");
  await page.getByText("the template is too long to be rendered").first().waitFor();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("!");
  await save(page);
  const saved = JSON.parse(await storedBody("long")).content as typeof content;
  assert.deepEqual(
    [saved.length, saved[1]!.content[0], saved.at(-1)!.content[0]],
    [5_000, { type: "text", text: "Line 1!?" }, { type: "text", text: "Line 4999!" }],
  );
});
