// A server that freezes, and one that is killed: what the pages say, and that nothing typed is lost.
import { createWorkflow, email } from "@tidings/testkit/verbs";
import { eventually, type World } from "./world.ts";

export async function walkFaults(world: World): Promise<void> {
  const { client, check, picture, service } = world;
  await createWorkflow(client, "kept", [email()], { name: "Kept" });
  const page = await world.openDashboard("/workflows/kept?step=email");
  const inbox = await world.openInbox("waiting");
  const subject = page.getByRole("textbox", { name: "Subject" }).first();
  await subject.fill("Before the freeze");

  service.signal("SIGSTOP");
  await page.keyboard.press("Control+s");
  const isSlow = await page
    .getByText(/longer than usual/i)
    .first()
    .waitFor({ timeout: 15_000 })
    .then(
      () => true,
      () => false,
    );
  await picture(page, "frozen-slow");
  check("a frozen server is said to be slow", isSlow);
  const isOver = await page
    .getByText(/Not saved/i)
    .first()
    .waitFor({ timeout: 40_000 })
    .then(
      () => true,
      () => false,
    );
  await picture(page, "frozen-failed");
  check("a save that gets no answer ends", isOver);
  check("what was typed is still there", (await subject.inputValue()) === "Before the freeze");
  service.signal("SIGCONT");
  await page.waitForTimeout(3_000);
  await page.keyboard.press("Control+s");
  const isSaved = await eventually(
    async () =>
      (await client("workflows.retrieve", { params: { workflowId: "kept" } })).body.steps[0]?.controls.values
        .subject === "Before the freeze",
    "the save after the freeze",
  ).catch(() => false);
  await picture(page, "frozen-over");
  check("after the freeze it can be saved", isSaved === true);

  service.signal("SIGKILL");
  await page.waitForTimeout(6_000);
  await inbox.waitForTimeout(6_000);
  await picture(page, "killed-dashboard");
  await picture(inbox, "killed-inbox");
  const says = (await inbox.evaluate("document.querySelector('tidings-inbox').shadowRoot.textContent")) as string;
  check(
    "the inbox does not blame the reader's connection",
    !/You are offline|You're offline/.test(says),
    says.slice(0, 200),
  );
  await service.restart();
  const isBack = await eventually(
    async () => !/cannot be reached|Cannot reach/i.test((await page.evaluate("document.body.innerText")) as string),
    "the page to recover",
    60_000,
  ).catch(() => false);
  await page.waitForTimeout(2_000);
  await picture(page, "killed-over");
  check("the page recovers by itself", isBack === true);
  await Promise.all([page.context().close(), inbox.context().close()]);
}
