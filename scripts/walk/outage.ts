// A mail server that is away while 5,000 mails are due, and its repair: what Home, Statistics, the run and the
// integration say, and how soon the mails go out.
import type { OperationId } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import type { Page } from "playwright-core";
import { eventually, type World } from "./world.ts";

const mails = 5_000;
const perRequest = 100;

export async function walkOutage(world: World): Promise<void> {
  const { owner, production, mail, check, figure, picture } = world;
  const call = async (id: OperationId, input: RawInput) => {
    const reply = await owner.call(id, input, production);
    if (reply.status >= 400) throw new Error(`${id}: ${reply.status} ${reply.text}`);
    return reply.body as { data: never };
  };
  await call("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "shop-smtp",
      name: "Shop SMTP",
      active: true,
      credentials: { host: "127.0.0.1", port: String(mail.port), ignoreTls: true, from: "shop@example.com" },
    },
  });
  const steps = [
    {
      name: "Email",
      stepId: "email",
      type: "email",
      controlValues: { subject: "Shipped", body: "<p>It is on its way</p>" },
    },
  ];
  await call("workflows.create", { body: { name: "Shipped", workflowId: "shipped", steps, active: true } });
  for (let first = 0; first < mails; first += perRequest) {
    const events = Array.from({ length: perRequest }, (_, index) => {
      const subscriberId = `buyer-${first + index}`;
      return {
        name: "shipped",
        to: { subscriberId, email: `${subscriberId}@example.com` },
        transactionId: `order-${first + index}`,
      };
    });
    await call("events.triggerBulk", { body: { events } });
  }

  const page = await world.openDashboard("/?env=production");
  await page.getByText("Shop SMTP").first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(12_000);
  await picture(page, "outage-home");
  const home = await textOf(page);
  check(
    "Home names the provider, the cause and what waits",
    /refused/i.test(home) && /5,000|4,9\d\d/.test(home),
    linesWith(home, /Shop SMTP|wait/i),
  );

  await page.goto(`${world.url}/statistics`);
  await page.waitForTimeout(2_500);
  await picture(page, "outage-statistics");
  const statistics = await textOf(page);
  check(
    "Statistics do not call an outage health",
    !/Nothing failed/.test(statistics) && /waiting/i.test(statistics),
    linesWith(statistics, /wait|failed/i),
  );

  await page.goto(`${world.url}/activity/order-4999`);
  await page.waitForTimeout(2_500);
  await picture(page, "outage-run");
  const run = await textOf(page);
  check(
    "the run of a held mail names the provider",
    /Shop SMTP/.test(run) && !/Decided by the delay/i.test(run),
    linesWith(run, /Shop SMTP|wait|try/i),
  );

  await page.goto(`${world.url}/integrations`);
  await page.getByText("Shop SMTP").first().click();
  await page.waitForTimeout(2_500);
  await picture(page, "outage-integration");
  const integration = await textOf(page);
  check(
    "the integration shows its last error and what waits",
    /refused/i.test(integration) && /waiting/i.test(integration),
    linesWith(integration, /refused|wait|next/i),
  );
  await page.getByRole("button", { name: /check/i }).first().click();
  await page.waitForTimeout(3_000);
  await picture(page, "outage-check");
  const checked = await textOf(page);
  check(
    "a refused connection is not called wrong credentials",
    !/rejected the credentials/i.test(checked),
    linesWith(checked, /answer|refused|credentials/i),
  );

  const countMails = () => [...mail.received.values()].reduce((sum, count) => sum + count, 0);
  await mail.start();
  const repaired = Date.now();
  const retry = page.getByRole("button", { name: "Try now" });
  if (await retry.count()) await retry.first().click();
  else await page.getByRole("button", { name: /check/i }).first().click();
  await eventually(() => mail.received.size > 0, "the first mail", 300_000);
  figure("first mail after the repair", `${((Date.now() - repaired) / 1000).toFixed(1)} s`);
  await page.waitForTimeout(1_000);
  await picture(page, "outage-repaired");
  await eventually(() => countMails() >= mails, "all mails", 300_000);
  const seconds = (Date.now() - repaired) / 1000;
  figure(`all ${mails} mails after`, `${seconds.toFixed(1)} s`);
  check("every mail went out, each once", mail.received.size === mails && countMails() === mails, countMails());
  check("they did not wait for minutes", seconds < 120, `${seconds.toFixed(0)} s`);
  await page.goto(`${world.url}/`);
  await page.waitForTimeout(12_000);
  await picture(page, "outage-over");
  await page.context().close();
}

const textOf = (page: Page): Promise<string> => page.evaluate("document.body.innerText") as Promise<string>;

const linesWith = (text: string, part: RegExp): string[] =>
  text
    .split("\n")
    .filter((line) => part.test(line))
    .slice(0, 8);
