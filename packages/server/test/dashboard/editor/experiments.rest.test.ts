// The experiments of a workflow in a browser: nobody yet, then what the people of each variant did, and what it shows.
import assert from "node:assert/strict";
import { browserTest } from "@tidings/testkit/chromium";
import { connectInbox, createWorkflow, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { startDashboard } from "../kept-page.ts";
import { expectAccessible, expectNoOverflow, narrow } from "../support.ts";

const service = await startDashboard();
const { client } = service;

browserTest("an experiment is shown with shares, intervals and a sentence", async (context) => {
  await connectInbox(client);
  const variants = [
    { id: "short", name: "Short subject", weight: 1 },
    { id: "long", weight: 1 },
  ];
  const controlValues = { variants, holdOutPercent: 10, goals: ["upgraded"] };
  await createWorkflow(client, "subject-test", [
    { name: "Which subject", stepId: "which", type: "experiment", controlValues },
    inApp({ body: "{{ steps.which.variant }}" }),
  ]);
  const path = "/workflows/subject-test?tab=experiments";
  const page = await service.open(context, path, { colorScheme: "light" });
  await page.getByRole("heading", { name: "Nobody is in this experiment yet" }).waitFor();

  const people = Array.from({ length: 60 }, (_, number) => `person-${number}`);
  await settled(client, await trigger(client, "subject-test", people));
  const feeds = await Promise.all(people.map(async (person) => ({ person, feed: await feedOf(client, person) })));
  const inside = (id: string) => feeds.filter(({ feed }) => feed[0]?.content === id).map(({ person }) => person);
  const goal = async (to: string[]) => void (await client("signals.send", { body: { name: "upgraded", to } }));
  await goal(inside("long"));
  await goal(inside("short").slice(0, 1));
  await page.reload();
  const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) });
  await row("long").getByText("100.0 %", { exact: true }).waitFor();
  assert.match(await row("Short subject").innerText(), new RegExp(`Baseline\\s+${inside("short").length}\\s`));
  await row("Held out").getByText("0.0 %", { exact: true }).waitFor();
  await page.getByText(/^Variant long: 100 % reached the goal upgraded against .* the difference is between/).waitFor();
  await page.getByText(/^People held out: 0 % .* The difference is not shown yet: /).waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [{ width: 1280, height: 860 }, narrow]) {
      await page.setViewportSize(viewport);
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
  }
  await page.getByRole("combobox", { name: /^Measure/ }).click();
  await page.getByRole("option", { name: "Delivered" }).click();
  await page.getByText(/^Variant long: 100 % had a message delivered against 100 %/).waitFor();
  assert.equal(await row("Held out").count(), 0, "nothing is sent to people who are held out");
});
