// Events to audiences: who gets them, what is refused, and what is deleted between the request and the start.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, inApp, messagesOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { createList, idsOf } from "../broadcasts/lists.ts";

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client, production } = service;
await createWorkflow(client, "news", [inApp({ body: "News" })]);

const toAudience = (audienceId: string, more: object = {}) => ({ type: "Audience", audienceId, ...more });

async function accept(to: unknown, more: object = {}): Promise<string> {
  const { body } = await client("events.trigger", { body: { name: "news", to, payload: {}, ...more } } as never);
  assert.equal(body.status, "processed", JSON.stringify(body));
  return body.transactionId!;
}

/** Ids of the people who got the event, as often as they got it. */
async function reached(transactionId: string, count: number): Promise<string[]> {
  const messages = await eventually(async () => {
    const { data } = (await client("activity.listEvents", { query: { search: transactionId } })).body;
    const all = await messagesOf(client, transactionId);
    return data[0]?.status === "expanded" && all.length >= count ? all : null;
  }, "the end of the event");
  return messages.map(({ subscriber }) => subscriber!.subscriberId).sort();
}

// Everything is accepted before anything starts: a worker begins after this.
await createList(client, "list", idsOf("list", 3));
await createList(client, "other", ["list0", "other0", "other1"]);
await createList(client, "doomed", ["doomed0", "doomed1"]);
await createList(client, "shrinking", ["leaves", "stays"]);
await client("subscribers.create", { body: { subscriberId: "vip", data: { plan: "pro" } } });
const rule = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
await client("audiences.create", { body: { audienceId: "pro", name: "Pro", rule } });
const several = await accept([toAudience("list", { exclude: ["list2"] }), toAudience("other"), "list1", "named"], {
  actor: "other1",
});
const ruled = await accept(toAudience("pro"));
const doomed = await accept([toAudience("doomed"), "named"]);
const onlyDoomed = await accept(toAudience("doomed"));
const shrinking = await accept(toAudience("shrinking"));
await client("audiences.delete", { params: { audienceId: "doomed" } });
await client("subscribers.delete", { params: { subscriberId: "leaves" } });
await client("subscribers.create", { body: { subscriberId: "joined", data: { plan: "pro" } } });
test("events to audiences", async (t) => {
  const worker = await startWorker(service, encryptionKey);
  try {
    await t.test(
      "everyone in one of the audiences gets it once, without those who are excluded and the actor",
      async () => {
        assert.deepEqual(await reached(several, 4), ["list0", "list1", "named", "other0"]);
      },
    );

    await t.test("a rule is evaluated when the event starts", async () => {
      assert.deepEqual(await reached(ruled, 2), ["joined", "vip"]);
    });

    await t.test(
      "an audience that was deleted before the start has nobody; the others of the event get it",
      async () => {
        assert.deepEqual(await reached(doomed, 1), ["named"]);
        assert.deepEqual(await reached(onlyDoomed, 0), []);
        assert.deepEqual(await reached(shrinking, 1), ["stays"]);
      },
    );

    await t.test("unknown audiences, and those of another environment, are named; nothing is accepted", async () => {
      await createList(production, "theirs", ["theirs0"]);
      for (const audienceId of ["doomed", "theirs", "x".repeat(300), ""]) {
        const to = toAudience(audienceId);
        const { body } = await client("events.trigger", { body: { name: "news", to, payload: {} } } as never);
        assert.equal(body.status, "invalid_recipients", JSON.stringify(body));
        const { data } = (await client("activity.listEvents", { query: { search: body.transactionId! } })).body;
        assert.deepEqual(data, []);
      }
      const both = await client("events.triggerBulk", {
        body: {
          events: [
            { name: "news", to: toAudience("theirs"), payload: {} },
            { name: "news", to: toAudience("list"), payload: {} },
          ] as never,
        },
      });
      assert.deepEqual(
        both.body.map(({ status }) => status),
        ["invalid_recipients", "processed"],
      );
      assert.deepEqual(await reached(both.body[1]!.transactionId!, 3), idsOf("list", 3));
    });

    await t.test("a dry run says who is in the audience, and sends nothing", async () => {
      const body = { name: "news", to: toAudience("list"), payload: {} };
      const { body: dry } = await client("explain.dryRun", { body } as never);
      assert.match(JSON.stringify(dry), /list0/);
      assert.doesNotMatch(JSON.stringify(dry), /other0/);
    });
  } finally {
    await worker.stop();
  }
});
