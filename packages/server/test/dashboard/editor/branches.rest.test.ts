// Branches in a browser: steps move between arms by mouse and by keyboard, and are copied with them.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { createWorkflow } from "@tidings/testkit/verbs";
import { startDashboard } from "../kept-page.ts";
import { expectAccessible } from "../support.ts";
import { branchedSteps, feed, savedSteps } from "./branched.ts";

const service = await startDashboard();
const { client } = service;
const allow = /status of 4(?:09|22)/;

browserTest("steps move between arms by keyboard and mouse, are duplicated, and undone", async (context) => {
  await createWorkflow(client, "moved", branchedSteps);
  const page = await service.open(context, "/workflows/moved?step=first", { allow });
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
    await savedSteps(client, page, "moved"),
    "by-plan by-plan/pro:thanks by-plan/free:first by-plan/free:upgrade last",
  );

  await row("Last").dragTo(list.getByRole("button", { name: "Add step to Else of By plan" }));
  await row("Upgrade").dragTo(row("Thanks"), { targetPosition: { x: 40, y: 4 } });
  await outline.getByRole("button", { name: /^2\. Upgrade/ }).waitFor();
  const moved = "by-plan by-plan/pro:upgrade by-plan/pro:thanks by-plan/free:first by-plan/else:last";
  assert.equal(await savedSteps(client, page, "moved"), moved);

  await row("By plan").click();
  await outline.getByRole("button", { name: "Duplicate step" }).click();
  await outline.getByRole("list", { name: "Arms of By plan 2" }).waitFor();
  assert.equal(
    await savedSteps(client, page, "moved"),
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
  assert.equal(await savedSteps(client, page, "moved"), "upgrade thanks first last");
  await page.keyboard.press("Control+z");
  await list.waitFor();
  assert.equal(await savedSteps(client, page, "moved"), moved);
});

browserTest("a branch is copied with its steps, and a step without its branch has no arm", async (context) => {
  await createWorkflow(client, "source", branchedSteps);
  await createWorkflow(client, "target", [feed("First")]);
  const page = await service.open(context, "/workflows/source?step=by-plan", { allow });
  await page.getByRole("button", { name: "Copy step" }).click();
  const paste = async (name: string) => {
    await page.goto(`${service.url}/workflows/target`);
    await page.getByRole("button", { name: "Add step", exact: true }).click();
    await page.getByRole("menuitem", { name: `Paste ${name}` }).click();
  };
  await paste("By plan");
  assert.equal(await savedSteps(client, page, "target"), "first by-plan by-plan/pro:thanks by-plan/free:upgrade");
  await page.goto(`${service.url}/workflows/source?step=thanks`);
  await page.getByRole("button", { name: "Copy step" }).click();
  await paste("Thanks");
  assert.match(await savedSteps(client, page, "target"), / thanks-2$/);
});

browserTest(
  "another identifier moves the steps of its arms along; one that is taken is not applied",
  async (context) => {
    await createWorkflow(client, "renamed", branchedSteps);
    const page = await service.open(context, "/workflows/renamed?step=by-plan", { allow });
    await page.getByText("Advanced").click();
    const field = page.getByRole("textbox", { name: "Identifier" });
    await field.fill("last");
    await page.getByText("Another step has this identifier.").waitFor();
    await field.fill("plan");
    assert.equal(await savedSteps(client, page, "renamed"), "first plan plan/pro:thanks plan/free:upgrade last");
  },
);
