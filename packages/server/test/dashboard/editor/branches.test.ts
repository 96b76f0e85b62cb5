// Branches in a browser: the outline and the canvas draw them, and steps move between arms by mouse and by keyboard.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "../support.ts";

const service = await startTestService();
const { client } = service;
const allow = /status of 4(?:09|22)/;

const arms = [
  { id: "pro", name: "Pro plan", condition: { "==": [{ var: "payload.plan" }, "pro"] } },
  { id: "free", name: "Free plan", condition: { "==": [{ var: "payload.plan" }, "free"] } },
];
const branch = { name: "By plan", stepId: "by-plan", type: "branch" as const, controlValues: { arms } };
const feed = (name: string, arm?: string) => ({
  ...inApp({ body: `Text of ${name}` }),
  name,
  stepId: name.toLowerCase(),
  ...(arm !== undefined && { arm }),
});
const steps = [feed("First"), branch, feed("Thanks", "by-plan/pro"), feed("Upgrade", "by-plan/free"), feed("Last")];

/** The steps as they are saved, each with its arm. */
async function savedSteps(page: Page, workflowId: string): Promise<string> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  const { body } = await client("workflows.retrieve", { params: { workflowId } });
  return body.steps.map(({ stepId, arm }) => (arm === undefined ? stepId : `${arm}:${stepId}`)).join(" ");
}

browserTest("steps move between arms by keyboard and mouse, are duplicated, and undone", async (context) => {
  await createWorkflow(client, "moved", steps);
  const page = await openDashboard(context, service, "/workflows/moved?step=first", { allow });
  const outline = page.getByRole("region", { name: "Steps of the workflow" });
  const list = outline.getByRole("list", { name: "Arms of By plan" });
  const row = (name: string) => outline.getByRole("button", { name: new RegExp(`^\\d+\\. ${name}`) });
  await list.getByText('when payload.plan is "pro"').waitFor();
  await list.getByText("when no other arm is taken").waitFor();
  await expectAccessible(page);

  await row("First").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await outline.getByRole("status").getByText("First is now step 2 of 5, in Pro plan of By plan").waitFor();
  await page.keyboard.press("Alt+ArrowDown");
  await page.keyboard.press("Alt+ArrowDown");
  assert.equal(
    await savedSteps(page, "moved"),
    "by-plan by-plan/pro:thanks by-plan/free:first by-plan/free:upgrade last",
  );

  await row("Last").dragTo(list.getByRole("button", { name: "Add step to Else of By plan" }));
  await row("Upgrade").dragTo(row("Thanks"), { targetPosition: { x: 40, y: 4 } });
  await outline.getByRole("button", { name: /^2\. Upgrade/ }).waitFor();
  const moved = "by-plan by-plan/pro:upgrade by-plan/pro:thanks by-plan/free:first by-plan/else:last";
  assert.equal(await savedSteps(page, "moved"), moved);

  await row("By plan").click();
  await outline.getByRole("button", { name: "Duplicate step" }).click();
  await outline.getByRole("list", { name: "Arms of By plan 2" }).waitFor();
  assert.equal(
    await savedSteps(page, "moved"),
    `${moved} by-plan-2 by-plan-2/pro:upgrade-2 by-plan-2/pro:thanks-2 by-plan-2/free:first-2 by-plan-2/else:last-2`,
  );
  await row("By plan 2").focus();
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("dialog", { name: "Remove By plan 2?" });
  await dialog.getByText("4 steps are in its arms").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Remove with 4 steps" }).click();
  await row("By plan").focus();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Keep the steps" }).click();
  assert.equal(await savedSteps(page, "moved"), "upgrade thanks first last");
  await page.keyboard.press("Control+z");
  await list.waitFor();
  assert.equal(await savedSteps(page, "moved"), moved);
});

browserTest("a branch is copied with its steps, and a step without its branch has no arm", async (context) => {
  await createWorkflow(client, "source", steps);
  await createWorkflow(client, "target", [feed("First")]);
  const page = await openDashboard(context, service, "/workflows/source?step=by-plan", { allow });
  await page.getByRole("button", { name: "Copy step" }).click();
  const paste = async (name: string) => {
    await page.goto(`${service.url}/workflows/target`);
    await page.getByRole("button", { name: "Add step", exact: true }).click();
    await page.getByRole("menuitem", { name: `Paste ${name}` }).click();
  };
  await paste("By plan");
  assert.equal(await savedSteps(page, "target"), "first by-plan by-plan/pro:thanks by-plan/free:upgrade");
  await page.goto(`${service.url}/workflows/source?step=thanks`);
  await page.getByRole("button", { name: "Copy step" }).click();
  await paste("Thanks");
  assert.match(await savedSteps(page, "target"), / thanks-2$/);
});

browserTest(
  "another identifier moves the steps of its arms along; one that is taken is not applied",
  async (context) => {
    await createWorkflow(client, "renamed", steps);
    const page = await openDashboard(context, service, "/workflows/renamed?step=by-plan", { allow });
    await page.getByText("Advanced").click();
    const field = page.getByRole("textbox", { name: "Identifier" });
    await field.fill("last");
    await page.getByText("Another step has this identifier.").waitFor();
    await field.fill("plan");
    assert.equal(await savedSteps(page, "renamed"), "first plan plan/pro:thanks plan/free:upgrade last");
  },
);

browserTest("the canvas draws arms side by side, on a phone below each other", async (context) => {
  await createWorkflow(client, "drawn", steps);
  const page = await openDashboard(context, service, "/workflows/drawn?view=canvas&step=by-plan", { allow });
  const canvas = page.getByRole("region", { name: "Steps of the workflow" });
  const box = async (name: string) => (await canvas.getByRole("button", { name: new RegExp(name) }).boundingBox())!;
  await canvas.getByRole("button", { name: /Thanks/ }).waitFor();
  const [thanks, upgrade, last] = [await box("Thanks"), await box("Upgrade"), await box("Last")];
  assert.ok(thanks.x + thanks.width < upgrade.x && Math.abs(thanks.y - upgrade.y) < 2);
  assert.ok(last.y > upgrade.y + upgrade.height);
  await expectAccessible(page);
  await canvas.getByRole("button", { name: "Add step to Free plan of By plan" }).click();
  await page.getByRole("menuitem", { name: "Delay", exact: true }).click();
  await page.getByRole("heading", { level: 2, name: "Delay" }).waitFor();
  assert.equal(
    await savedSteps(page, "drawn"),
    "first by-plan by-plan/pro:thanks by-plan/free:upgrade by-plan/free:delay last",
  );
  await page.setViewportSize(narrow);
  await eventually(async () => {
    const [above, below] = [await box("Thanks"), await box("Upgrade")];
    return Math.abs(above.x - below.x) < 2 && above.y + above.height < below.y;
  }, "the arms below each other");
  await expectNoOverflow(page);
  await expectAccessible(page);
});
