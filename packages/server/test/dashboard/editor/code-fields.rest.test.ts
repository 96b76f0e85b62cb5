// Fields for code in a browser: what is typed fast, typed early or undone in them is kept, and errors are said at their
// place.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { startDashboard } from "../kept-page.ts";
import { fillHtml, save } from "./actions.ts";

const service = await startDashboard();
const { client } = service;
const allow = /status of 4(?:09|22)/;

const retrieve = async (workflowId: string) => (await client("workflows.retrieve", { params: { workflowId } })).body;

browserTest("what is typed faster than the page draws stays in the editor", async (context) => {
  await createWorkflow(client, "typed", [email()]);
  const page = await service.open(context, "/workflows/typed?step=email", { allow });
  const body = page.getByRole("textbox", { name: "Body" });
  await eventually(async () => {
    await fillHtml(page, "> ");
    return (await body.innerText()).startsWith(">");
  }, "the editor to be emptied");
  const text = "Dear reader, order 4711 is on its way and will be with you on Tuesday. ".repeat(4).trim();
  // Without a pause for drawing: the page learns of characters while it still works on those before them.
  await body.evaluate(async (editor: { focus(): void }, characters) => {
    type Typing = { document: { execCommand(name: string, hasInterface: boolean, text: string): void } };
    const { document } = globalThis as unknown as Typing;
    editor.focus();
    for (const character of characters) {
      document.execCommand("insertText", false, character);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, text);
  await save(page);
  assert.equal((await retrieve("typed")).steps[0]?.controls.values.body, `> ${text}`);
});

browserTest("the editor takes over from the plain field in the middle of a word", async (context) => {
  await createWorkflow(client, "early", [email({ subject: "Hi", body: "Hello" })]);
  let load = () => {};
  const wanted = new Promise<void>((resolve) => (load = resolve));
  const page = await service.open(context, "/workflows", { allow });
  await page.route(/code-editor/, async (route) => {
    await wanted;
    await route.continue();
  });
  await page.goto(`${service.url}/workflows/early?step=email`);
  const plain = page.locator("textarea").filter({ hasText: "Hello" });
  await plain.focus();
  await page.keyboard.press("End");
  await page.keyboard.type(", Ad");
  load();
  await page.locator(".cm-content").waitFor();
  await page.keyboard.type("a!");
  await eventually(
    async () => (await page.getByRole("textbox", { name: "Body" }).innerText()) === "Hello, Ada!",
    "what was typed in both",
  );
});

browserTest("what is undone in a code editor can be done again", async (context) => {
  const steps = [email({ subject: "S", body: "<p>One</p>" }), { name: "Own", type: "custom", controlValues: {} }];
  await createWorkflow(client, "undone", steps as never);
  const page = await service.open(context, "/workflows/undone", { allow });
  const [undo, redo] = ["Undo", "Redo"].map((name) => page.getByRole("button", { name: new RegExp(`^${name}`) }));
  const body = page.getByRole("textbox", { name: "Body" });
  await fillHtml(page, "<p>Two</p>");
  await undo!.click();
  await eventually(async () => (await body.innerText()) === "<p>One</p>", "the text to be undone");
  await redo!.click();
  await eventually(async () => (await body.innerText()) === "<p>Two</p>", "the text to be back");
  await body.focus();
  await page.keyboard.press("Control+z");
  await eventually(async () => (await body.innerText()) === "<p>One</p>", "the text to be undone by keyboard");
  await page.keyboard.press("Control+Shift+z");
  await eventually(async () => (await body.innerText()) === "<p>Two</p>", "the text to be back by keyboard");

  await page.getByRole("button", { name: /^2\. Own/ }).click();
  const values = page.getByRole("textbox", { name: "Values for your code" });
  await page.locator(".cm-content").first().waitFor();
  await values.fill('{ "a": 1 }');
  await undo!.click();
  await eventually(async () => (await values.innerText()).trim() === "", "the JSON to be undone");
  await redo!.click();
  await eventually(async () => /"a": 1/.test(await values.innerText()), "the JSON to be back");
  await values.fill('{ "a": 1,\n}');
  await page.getByText(/Invalid JSON, not saved yet \(line 2/).waitFor();

  // A sample is not part of the workflow: it has its own way back.
  await page.getByRole("tab", { name: "Simulate" }).click();
  await page.getByRole("button", { name: "Payload" }).click();
  await page.getByRole("menuitem", { name: "Edit payload" }).click();
  const payload = page.getByRole("textbox", { name: "Payload as JSON" });
  await payload.fill('{ "n": 7 }');
  await page.keyboard.press("Control+z");
  await eventually(async () => !/7/.test(await payload.innerText()), "the payload to be undone");
  await page.keyboard.press("Control+y");
  await eventually(async () => /7/.test(await payload.innerText()), "the payload to be back");
  assert.equal(await redo!.isDisabled(), true);
});

browserTest("faults of a template show with their place, and a refusal at its field", async (context) => {
  await createWorkflow(client, "faulty", [inApp({ body: "Hello" }), { name: "Wait", type: "delay" }]);
  const page = await service.open(context, "/workflows/faulty", { allow });
  await page.getByRole("textbox", { name: "Body" }).fill("Hello\n{{ payload.name | nope }}");
  await page
    .getByRole("alert")
    .getByText(/line 2/)
    .waitFor();
  await page.getByText("Advanced").click();
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("textbox", { name: "Name" }).and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByRole("alert").getByText("Not saved", { exact: true }).waitFor();
  assert.equal((await retrieve("faulty")).steps[0]?.name, "In-app");
});
