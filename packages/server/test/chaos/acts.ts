// What clients do in an audited run: at least one event for each promise, to people chosen so that one act does not
// disturb another. Tests find the events by name.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { type RawBuilder, sql } from "kysely";
import type { Call, PlannedEvent } from "../../../../scripts/auditor/evidence.ts";
import type { Caller, Wanted } from "../../../../scripts/chaos/load/caller.ts";
import {
  cancelEvent,
  type Plan,
  retractEvent,
  sendSignal,
  triggerBulk,
  triggerOne,
  triggerWithId,
} from "../../../../scripts/chaos/load/events.ts";
import { sendRequest } from "../../../../scripts/chaos/load/http.ts";
import { budget, signalName } from "../../../../scripts/chaos/load/workflows.ts";
import type { LoadEnvironment } from "../../../../scripts/chaos/load/world.ts";
import { openShop } from "../pipeline/sources/shop.ts";

export type ActedEvent = PlannedEvent & { transactionId: string };

export type Acting = { service: TestService; caller: Caller; plan: Plan; calls: Call[] };

/** The events of one environment by what is special about them. */
export type Acted = Awaited<ReturnType<typeof actOut>>;

export async function actOut(environment: LoadEnvironment, acting: Acting) {
  const { caller, plan } = acting;
  const triggers = createTriggers(environment, acting);
  const { one, many, planFor } = triggers;
  const [topic] = environment.topics;
  const inOrder = [await one("now", 0, "ordered-app"), await one("now", 0, "ordered-app")];
  const bulk = [planFor("now", 12), planFor("now", 12), planFor("texted", 13), planFor("mailed", 13)];
  const pair = (await many(triggerBulk(environment, "bulk", bulk))).slice(0, 2);
  const toTopic = plan(environment, "now", { to: topic!.members, topic: topic!.key });
  await many(triggerOne(environment, "topic", toTopic));
  const toAll = plan(environment, "now", { to: environment.people.map((one) => one.subscriberId), broadcast: true });
  await many(triggerOne(environment, "broadcast", toAll));
  const limited = [];
  for (let n = 0; n < budget.limit + 2; n++) limited.push(await one("limited", 20));
  const events = {
    ...{ inOrder, pair, toTopic, toAll, limited },
    canceled: await cancelOne(environment, one("later", 14), acting),
    canceledMail: await cancelOne(environment, one("mailed-later", 24), acting),
    retractedText: await retractWaiting(environment, one("texted-later", 25), acting),
    delayedText: await one("texted-later", 26),
    delayed: await one("later", 10),
    live: await one("later", 0),
    collected: [await one("collected", 4), await one("collected", 4), await one("collected", 4)],
    signaled: await signalOne(environment, one("awaited", 15), acting),
    timedOut: await one("awaited", 16),
    plain: await one("now", 11),
    mailed: await one("mailed", 17),
    texted: await one("texted", 18),
    retracted: await retractOne(environment, one("now", 28), acting),
    unmet: await one("unmet", 21),
    unwanted: await one("unwanted", 22),
    switchedOff: (await many(triggerWithId(environment, "app", planFor("switched-off", 23))))[0]!,
    repeated: await repeatOne(environment, one("now", 29), acting),
    ...(await runTransactions(environment, triggers, acting)),
  };
  const refused = await caller.call({ ...triggerOne(environment, "app", planFor("now", 27)), body: {} });
  assert.equal(refused?.status, 422);
  return events;
}

// What waits for a few seconds is acted on at once.

async function cancelOne(environment: LoadEnvironment, triggering: Promise<ActedEvent>, { caller }: Acting) {
  const event = await triggering;
  assert.equal((await caller.call(cancelEvent(environment, event)))?.status, 200);
  return event;
}

async function signalOne(environment: LoadEnvironment, triggering: Promise<ActedEvent>, acting: Acting) {
  const event = await triggering;
  const { text, to } = event;
  const isWaiting = sql`select from run_waits w join notifications n on n.id = w.notification_id
    join events e on e.id = n.event_id where e.payload->>'text' = ${text}`;
  await eventually(() => hasRow(acting.service, isWaiting), "the wait for a signal");
  await acting.caller.call(sendSignal(environment, { signal: signalName, subscriberId: to[0]!, text }));
  return event;
}

async function retractOne(environment: LoadEnvironment, triggering: Promise<ActedEvent>, acting: Acting) {
  const event = await triggering;
  const isSent = sql`select from messages where status = 'sent' and content = ${event.text}`;
  await eventually(() => hasRow(acting.service, isSent), "the message that is retracted");
  await acting.caller.call(retractEvent(environment, event));
  return event;
}

async function retractWaiting(environment: LoadEnvironment, triggering: Promise<ActedEvent>, { caller }: Acting) {
  const event = await triggering;
  await caller.call(retractEvent(environment, event));
  return event;
}

const hasRow = async ({ db }: TestService, query: RawBuilder<unknown>): Promise<boolean> =>
  (await query.execute(db)).rows.length > 0;

export type Triggers = ReturnType<typeof createTriggers>;

export function createTriggers(environment: LoadEnvironment, { caller, plan }: Pick<Acting, "caller" | "plan">) {
  const planFor = (workflowId: string, person: number): PlannedEvent =>
    plan(environment, workflowId, { to: [environment.people[person]!.subscriberId] });
  const many = async (wanted: Wanted): Promise<ActedEvent[]> => {
    const final = await caller.call(wanted);
    assert.equal(final?.status, 201, JSON.stringify(final));
    return wanted.events!.map((event, n) => ({ ...event, transactionId: final.transactionIds[n]! }));
  };
  const one = async (workflowId: string, person: number, client = "app"): Promise<ActedEvent> =>
    (await many(triggerOne(environment, client, planFor(workflowId, person))))[0]!;
  return { planFor, many, one };
}

/** The first request for the event once more, with its key. */
async function repeatOne(environment: LoadEnvironment, triggering: Promise<ActedEvent>, { calls }: Acting) {
  const event = await triggering;
  const first = calls.find(({ events }) => events?.some(({ text }) => text === event.text))!;
  const { method, path, body, read } = triggerOne(environment, first.client, event);
  const headers = { authorization: `ApiKey ${environment.apiKey}`, "idempotency-key": first.request };
  const at = Date.now();
  const request = { url: first.url, method, path, headers, body: JSON.stringify(body), timeoutMs: 10_000 };
  const { status, body: text } = await sendRequest(request);
  assert.equal(status, 201);
  calls.push({ ...first, ...read!(JSON.parse(text)), attempt: 2, at, endedAt: Date.now(), status });
  return event;
}

/** One transaction that is committed, and one that is rolled back. */
async function runTransactions(environment: LoadEnvironment, { planFor }: Triggers, { service, calls }: Acting) {
  const shop = await openShop(service, environment.client);
  const run = (events: PlannedEvent[], end: "commit" | "rollback") =>
    shop.run(async (client) => {
      const at = Date.now();
      await client.query("begin");
      const ids: string[] = [];
      for (const { workflowId, to, text } of events) {
        const values = [workflowId, to[0], JSON.stringify({ text })];
        const { rows } = await client.query("select tidings.trigger($1, $2, $3::jsonb) as id", values);
        ids.push(rows[0].id);
      }
      await client.query(end);
      const made = {
        request: randomUUID(),
        attempt: 1,
        client: shop.role,
        url: "sql",
        at,
        endedAt: Date.now(),
        events,
      };
      const found = end === "commit" ? { status: 201, transactionIds: ids } : { status: 409 };
      calls.push({ ...made, ...found, environment: environment.name, operation: "sql" });
      return events.map((event, n): ActedEvent => ({ ...event, transactionId: ids[n]! }));
    });
  const committed = await run([planFor("now", 24), planFor("texted", 25)], "commit");
  await run([planFor("now", 26)], "rollback");
  return { committed };
}
