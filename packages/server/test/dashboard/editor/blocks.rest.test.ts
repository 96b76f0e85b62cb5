// Blocks of the email editor by mouse: moved by their handle, tables, social links, and images that are refused.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { pngOf } from "@tidings/testkit/images";
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { startDashboard } from "../kept-page.ts";
import { expectAccessible } from "../support.ts";
import { save } from "./actions.ts";

const service = await startDashboard();
const { client } = service;

type Block = { type: string; attrs?: Record<string, unknown>; content?: Block[]; text?: string };

const line = (text: string): Block => ({ type: "paragraph", content: [{ type: "text", text }] });
const bodyOf = (...content: Block[]) => JSON.stringify({ type: "doc", content });
const editorOf = (page: Page) => page.getByRole("textbox", { name: "Body" });
const settingsOf = (page: Page) => page.getByRole("region", { name: /^Settings: / });
const storedBlocks = async (workflowId: string): Promise<Block[]> => {
  const { body } = await client("workflows.retrieve", { params: { workflowId } });
  return JSON.parse(String(body.steps[0]?.controls.values.body)).content;
};

async function insert(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Insert" }).click();
  await page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("menu").waitFor({ state: "detached" });
}

browserTest("a block is dragged by its handle; a table grows; social links are added", async (context) => {
  const body = bodyOf(line("First"), line("Second"), line("Third"));
  await createWorkflow(client, "moved", [email({ subject: "Hi", body, editorType: "block" })]);
  const page = await service.open(context, "/workflows/moved?step=email");
  const editor = editorOf(page);
  const texts = () => editor.locator("p").allInnerTexts();
  await editor.getByText("Third").hover();
  const handle = page.getByRole("button", { name: "Drag to move, click to select" });
  await handle.dragTo(editor.getByText("First"), { targetPosition: { x: 5, y: 2 } });
  await eventually(async () => (await texts()).join() === "Third,First,Second", "the block to be moved");

  await editor.getByText("Second").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await insert(page, "Table");
  await page.keyboard.type("Item");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Price");
  await page.keyboard.press("Alt+Enter");
  await settingsOf(page).getByRole("button", { name: "Add row" }).click();
  await settingsOf(page).getByRole("button", { name: "Add column" }).click();
  await eventually(async () => (await editor.locator("tr").count()) === 4, "the fourth row");
  assert.equal(await editor.locator("tr").first().locator("td, th").count(), 3);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await insert(page, "Social links");
  await settingsOf(page).getByRole("button", { name: "Add link" }).click();
  await settingsOf(page).getByRole("textbox", { name: "Network 1" }).fill("github");
  await settingsOf(page).getByRole("textbox", { name: "Address 1" }).fill("https://github.com/acme");
  await expectAccessible(page);
  await save(page);
  const stored = await storedBlocks("moved");
  assert.deepEqual(
    stored.map(({ type }) => type),
    ["paragraph", "paragraph", "paragraph", "table", "socialLinks"],
  );
  assert.deepEqual(stored[4]!.attrs!.links, [{ network: "github", url: "https://github.com/acme" }]);
});

browserTest("images that are too large or could run code are refused in a sentence", async (context) => {
  const image: Block = { type: "image", attrs: { src: "https://elsewhere.example/a.png", alt: "Elsewhere" } };
  await createWorkflow(client, "pictured", [email({ subject: "Hi", body: bodyOf(image), editorType: "block" })]);
  const page = await service.open(context, "/workflows/pictured?step=email", {
    allow: /elsewhere|NAME_NOT_RESOLVED|status of 4/,
  });
  const editor = editorOf(page);
  await editor.getByText("The editor loads no images of other sites").waitFor();
  await editor.getByText("Elsewhere", { exact: true }).click();
  const settings = settingsOf(page);
  const choose = async (name: string, mimeType: string, buffer: Buffer) => {
    const button = settings.getByRole("button", { name: "Upload image" });
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
    await chooser.setFiles({ name, mimeType, buffer });
  };
  await choose("large.png", "image/png", Buffer.concat([pngOf(), Buffer.alloc(12_000_000)]));
  await page.getByText("The image has more than 5 MB. Choose a smaller one.").waitFor();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  await choose("drawing.svg", "image/svg+xml", svg);
  await page.getByText("Only PNG, JPEG, GIF and WebP images can be uploaded.").waitFor();
  // Called a PNG, it is the service that finds out.
  await choose("drawing.png", "image/png", svg);
  await page
    .getByText(/PNG, JPEG, GIF or WebP/)
    .last()
    .waitFor();
  assert.equal((await client("assets.list", { query: {} })).body.data.length, 0);
  await choose("logo.png", "image/png", pngOf(40, 20));
  await editor.locator("[data-type=image] img").waitFor();
  // Settings complete variables, with their values in the preview.
  await settings.getByRole("textbox", { name: "Links to" }).fill("");
  await settings
    .getByRole("textbox", { name: "Links to" })
    .pressSequentially("https://shop.example/{{subscriber.first");
  await page.getByRole("option", { name: /subscriber\.firstName/ }).click();
  await save(page);
  const [stored] = await storedBlocks("pictured");
  assert.equal(stored!.attrs!.externalLink, "https://shop.example/{{subscriber.firstName}}");
});
