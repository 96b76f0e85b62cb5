// A history in real time in which everything goes wrong at once: workers are killed in the middle of their work, a
// provider fails and is tried again, people are deleted and erased. A replay is as late as the service was, so it gives
// digests, throttles and waits the events that they had; each deviation that is left has a cause.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { createRandom } from "@tidings/testkit/load/random";
import { isLong } from "@tidings/testkit/long";
import { temporaryFolder } from "@tidings/testkit/process";
import { superviseWorkers } from "@tidings/testkit/programs/kills";
import { type Answer, startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, email, inApp, notificationsOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { backtest, named } from "./scene.ts";

const rounds = isLong ? 60 : 16;
const killEvery = 4;
const people = 24;
const limitMs = 120_000;

const settings = {
  TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
  TIDINGS_DELIVERY_FIRST_WAIT: "300",
  TIDINGS_DELIVERY_WAIT_FACTOR: "1",
  TIDINGS_CIRCUIT_FAILURES: "1000",
};

const failedOnce = new Set<string>();

/** One mail in twenty is refused for good, one in four at the first try. */
function answerMail(body: string): Answer {
  const n = Number(/Mail (\d+)/.exec(body)?.[1]);
  if (n % 20 === 1) return { status: 400, text: "no" };
  if (n % 4 !== 2 || failedOnce.has(String(n))) return { status: 200 };
  failedOnce.add(String(n));
  return { status: 503 };
}

const provider = await startReceiver(({ path, body }) =>
  path === "/plan" ? { status: 200, text: JSON.stringify({ plan: "pro" }) } : answerMail(body),
);
/** It takes the requests; the work is done by processes that are killed. */
const service = await startTestService({ ...settings, TIDINGS_ROLE: "api" });
const { client, db } = service;

const stepOf = (type: StepIn["type"], stepId: string, controlValues: object): StepIn =>
  named(stepId, { name: stepId, type, controlValues: controlValues as never });
const seconds = (amount: number) => ({ type: "regular", amount, unit: "seconds" });

const workflows: Record<string, StepIn[]> = {
  mails: [
    named("mail", email({ subject: "Mail {{ payload.n }}", body: "<p>{{ subscriber.firstName }}</p>" })),
    stepOf("digest", "collect", seconds(2)),
    named("summary", inApp({ body: "{% for event in steps.collect.events %}{{ event.payload.n }} {% endfor %}" })),
  ],
  limited: [
    stepOf("throttle", "limit", { type: "fixed", threshold: 2, amount: 1, unit: "minutes" }),
    named("note", inApp({ body: "{{ payload.n }} {{ payload.about }}" })),
    stepOf("delay", "pause", seconds(1)),
    named("later", inApp({ body: "Later {{ payload.n }}" })),
  ],
  waits: [
    stepOf("http_request", "ask", {
      ...{ method: "POST", url: `${provider.url}/plan`, body: "{}", enforceSchemaValidation: false },
      responseBodySchema: { type: "object", properties: { plan: { type: "string" } } },
    }),
    stepOf("wait", "wait", { ...seconds(2), signal: { name: "done" } }),
    named("end", inApp({ body: "{{ steps.ask.plan }} {{ steps.wait.reason }}" })),
  ],
};

const countOpen = async (): Promise<number> => {
  const { rows } = await sql<{ open: number }>`
    select (select count(*) from jobs where status in ('pending', 'queued', 'delayed'))::int
      + (select count(*) from events e where not exists (select 1 from notifications n where n.event_id = e.id))::int
      as open`.execute(db);
  return rows[0]!.open;
};

const countRuns = async (): Promise<number> =>
  (await sql<{ runs: number }>`select count(*)::int as runs from notifications`.execute(db)).rows[0]!.runs;

test("a messy history: at least 99.5 % are as they were, and each deviation has a cause", async (context) => {
  await connectInbox(client);
  await mailer(client, "mail", provider.url);
  for (const [name, steps] of Object.entries(workflows)) await createWorkflow(client, name, steps);
  const subscribers = Array.from({ length: people }, (_, n) => ({
    ...{ subscriberId: `p${n}`, firstName: `Person${n}`, email: `p${n}@example.com` },
  }));
  await client("subscribers.createBulk", { body: { subscribers } });

  const random = createRandom(11);
  const workers = await superviseWorkers(temporaryFolder(context), settings, service);
  let n = 0;
  for (let round = 0; round < rounds; round++) {
    const before = await countRuns();
    const events = Array.from({ length: 30 }, () => {
      const to = random.chance(0.2) ? [`p${random.below(people)}`, "p0"] : [`p${random.below(people)}`];
      return {
        name: random.pick(Object.keys(workflows)),
        to,
        payload: { n: n++, about: to.includes("p0") ? "Person0" : "" },
      };
    });
    const { body: accepted } = await client("events.triggerBulk", { body: { events } as never });
    for (let sent = 0; sent < 4; sent++)
      await client("signals.send", { body: { to: `p${random.below(people)}`, name: "done" } });
    if (round % killEvery === 2) {
      // In the middle of the round: some of its runs have begun.
      await eventually(async () => (await countRuns()) > before, "the first runs of the round", limitMs);
      await workers.kill();
    }
    if (round === 2) {
      await client("subscribers.update", { params: { subscriberId: "p2" }, body: { firstName: "Renamed" } });
    }
    if (round % 5 === 3) {
      const { transactionId = "" } = accepted[0]!;
      // Canceled before, it would have no run.
      await eventually(async () => (await notificationsOf(client, transactionId)).length > 0, "its run", limitMs);
      await client("events.cancel", { params: { transactionId } });
    }
    if (round === rounds - 2) await client("subscribers.delete", { params: { subscriberId: "p1" } });
    await eventually(async () => (await countRuns()) >= before + 20, "the runs of the round", limitMs);
  }
  await eventually(async () => (await countOpen()) === 0, "the end of all runs", limitMs);
  const erasure = await client("subscribers.erase", { params: { subscriberId: "p0" }, body: {} });
  await eventually(
    async () => {
      const { body } = await client("erasures.retrieve", { params: { erasureId: erasure.body.id } });
      return body.status === "completed";
    },
    "the end of the erasure",
    limitMs,
  );

  const { report } = await backtest(service);
  // With another text, digests have the events that they had, and mails fail that failed.
  const [mail, ...others] = workflows.mails!;
  const steps = [{ ...mail!, controlValues: { subject: "New {{ payload.n }}", body: "<p>x</p>" } as never }, ...others];
  const changed = await backtest(service, { workflows: [{ workflowId: "mails", name: "mails", steps }] });
  await workers.stop();
  const kills = workers.kills();
  const { percent, compared, deviations } = report.calibration;
  context.diagnostic(`${kills} kills, ${percent} % of ${compared} steps, ${JSON.stringify(deviations)}`);
  assert.ok(kills >= 4 && compared > 800, `${kills} kills, ${compared} steps`);
  assert.ok(failedOnce.size > 10, "mails were tried again");
  assert.ok(report.skipped.storedAnswers > 50, "HTTP requests were sent");
  assert.ok(report.skipped.deletedPeople >= 1, "people were deleted");
  assert.ok(percent! >= 99.5, JSON.stringify(deviations));
  assert.ok(
    deviations.every(({ cause }) => cause !== "unknown"),
    JSON.stringify(deviations),
  );
  assert.deepEqual(Object.keys(changed.report.totals.effects), ["content"]);
});
