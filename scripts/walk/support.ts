// "Ada says she got no email": why, the correction, that one email again, and what the audit log says of it.
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually, type World } from "./world.ts";

export async function walkSupport(world: World): Promise<void> {
  const { client, check, picture, url } = world;
  await client("subscribers.create", { body: { subscriberId: "lost", firstName: "Lou", lastName: "Lost" } });
  await createWorkflow(client, "receipt", [inApp({ body: "Paid" }), email()], { name: "Receipt" });
  const transactionId = await trigger(client, "receipt", "lost", { order: "A-17" });
  const page = await world.openDashboard("/subscribers/lost");
  await page
    .getByText(/no email/i)
    .first()
    .waitFor();
  await picture(page, "support-subscriber");
  const log = await page.getByRole("main").innerText();
  check("a subscriber who got the in-app message is not called failed", !/\bfailed\b/i.test(log), log.slice(0, 300));

  await client("subscribers.update", { params: { subscriberId: "lost" }, body: { email: "lou@example.com" } });
  await page.goto(`${url}/activity/${transactionId}`);
  await page.getByRole("button", { name: "Send this email again" }).click();
  await page.getByRole("dialog").waitFor();
  await picture(page, "support-resend-question");
  const question = await page.getByRole("dialog").innerText();
  check(
    "the question names the subscriber and the address",
    /Lou/.test(question) && /lou@example\.com/.test(question),
    question,
  );
  await page.getByRole("dialog").getByRole("button", { name: /^Send/ }).click();
  const captured = async () => {
    const { body } = await client("captured.list", { query: { channel: "email" } });
    return body.data.filter(({ to }) => JSON.stringify(to).includes("lou@example.com")).length;
  };
  await eventually(captured, "the email");
  await page.waitForTimeout(1_500);
  await picture(page, "support-resent");
  check("one email went out", (await captured()) === 1, await captured());
  const { body } = await client("subscriberNotifications.list", { params: { subscriberId: "lost" } });
  check("the in-app message was not repeated", body.data.length === 1, body.data.length);

  await page.goto(`${url}/settings?tab=audit`);
  await page.waitForTimeout(1_500);
  await picture(page, "support-audit");
  const audit = await page.getByRole("main").innerText();
  check(
    "the audit log says who sent it again",
    /again/i.test(audit) && !/notifications\.resendStep/.test(audit),
    audit.slice(0, 400),
  );
  await page.context().close();
}
