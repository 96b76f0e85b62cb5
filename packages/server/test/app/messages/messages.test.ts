import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, production, db } = await shareService();

const sent: Record<string, string> = {};

before(async () => {
  const redirect = { url: "/orders/{{ payload.order }}" };
  const rich = inApp({
    ...{ subject: "Order {{ payload.order }}", body: "<b>Hi</b><script>x()</script>", redirect, data: { a: 1 } },
    primaryAction: { label: "Yes", redirect: { url: "https://shop.example/{{ payload.order }}", target: "_blank" } },
    secondaryAction: { label: "No" },
  });
  await createWorkflow(client, "both", [rich, email({ subject: "S {{ payload.order }}", body: "<p>Mail</p>" })]);
  const ada = { subscriberId: "ada", email: "ada@example.com", firstName: "Ada", data: { plan: "gold" } };
  sent.ada = await trigger(client, "both", ada, { order: 7 });
  await settled(client, sent.ada);
  sent.bob = await trigger(client, "both", "bob", { order: 8 });
  await settled(client, sent.bob);
  await createWorkflow(production, "both", [inApp()]);
  await settled(production, await trigger(production, "both", ada));
});

type Query = Record<string, unknown>;
type Page = { data: Message[]; hasMore: boolean; pageSize: number; page: number; totalCount: number };
const list = async (query: Query = {}, by = client): Promise<Page> => {
  const { status, body } = await by.raw("messages.list", { query });
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page;
};
const found = async (query: Query) =>
  (await list(query)).data.map(({ channel, transactionId }) => [transactionId === sent.ada ? "ada" : "bob", channel]);

const all = [
  ["bob", "email"],
  ["bob", "in_app"],
  ["ada", "email"],
  ["ada", "in_app"],
];
const ofAda = all.slice(2);

const filters: [name: string, query: () => Query, expected: string[][]][] = [
  ["nothing, newest first", () => ({}), all],
  ["a channel", () => ({ channel: "in_app" }), all.filter(([, channel]) => channel === "in_app")],
  ["an unused channel", () => ({ channel: "push" }), []],
  ["a subscriber", () => ({ subscriberId: "ada" }), ofAda],
  ["an unknown subscriber", () => ({ subscriberId: "nobody" }), []],
  ["a transaction", () => ({ transactionId: sent.ada }), ofAda],
  ["any of several transactions", () => ({ transactionId: [sent.ada, sent.bob, "unknown"] }), all],
  ["transactions in brackets", () => ({ "transactionId[]": [sent.ada], "transactionId[1]": "unknown" }), ofAda],
  ["an unknown transaction", () => ({ transactionId: "unknown" }), []],
  ["records without context", () => ({ contextKeys: "" }), all],
  ["an unused context", () => ({ contextKeys: ["tenant:acme", "app:web"] }), []],
  ["filters together", () => ({ subscriberId: "ada", channel: "email" }), [["ada", "email"]]],
  ["filters that contradict", () => ({ subscriberId: "bob", transactionId: sent.ada }), []],
];

for (const [name, query, expected] of filters) {
  test(`filter by ${name}`, async () => {
    assert.deepEqual(await found(query()), expected);
    assert.equal((await list(query())).totalCount, expected.length);
  });
}

const refusals: [query: Query, faults: Record<string, string[]>][] = [
  [{ limit: 1001 }, { limit: ["limit must not be greater than 1000"] }],
  [
    { limit: 0, page: "x" },
    { limit: ["limit must not be less than 1"], page: ["page must be a number"] },
  ],
  [{ channel: "fax" }, { channel: ["channel must be one of: in_app, email, sms, chat, push"] }],
  [{ contextKeys: ["a:b", "c"] }, { contextKeys: ["contextKeys must have the form <type>:<id>"] }],
];

for (const [query, faults] of refusals) {
  test(`a list with ${JSON.stringify(query)} is refused`, async () => {
    assert.deepEqual(await faultsOf(client, "messages.list", { query }), faults);
  });
}

test("pages are exact", async () => {
  const pages = [await list({ limit: 3 }), await list({ limit: 3, page: 1 }), await list({ limit: 3, page: 2 })];
  assert.deepEqual(
    pages.map(({ hasMore, pageSize, page, totalCount }) => [hasMore, pageSize, page, totalCount]),
    [
      [true, 3, 0, 4],
      [false, 1, 1, 4],
      [false, 0, 2, 4],
    ],
  );
  const ids = pages.flatMap(({ data }) => data.map(({ _id }) => _id));
  assert.deepEqual(
    ids,
    (await list()).data.map(({ _id }) => _id),
  );
  assert.deepEqual((await list({ limit: 4 })).hasMore, false);
  assert.deepEqual((await list({ limit: 1000, page: 9_007_199_254_740_991 })).data, []);
});

test("a message carries what the contract requires and what was made", async () => {
  const { body } = await client("messages.list", { query: { transactionId: [sent.ada!] } });
  assertShape("messages.list", body);
  const [mail, inbox] = body.data;
  const required = [
    ...["_environmentId", "_organizationId", "_notificationId", "_subscriberId", "createdAt", "transactionId"],
    ...["channel", "read", "seen", "cta", "status"],
  ];
  for (const message of body.data) for (const name of required) assert.ok(name in message, name);

  assert.equal(inbox!.content, "<b>Hi</b>");
  assert.equal(inbox!.subject, "Order 7");
  assert.deepEqual(inbox!.cta, {
    ...{ type: "redirect", data: { url: "/orders/7" } },
    action: {
      status: "pending",
      buttons: [
        { type: "primary", content: "Yes", url: "https://shop.example/7", target: "_blank" },
        { type: "secondary", content: "No" },
      ],
    },
  });
  const { body: feed } = await client("subscribers.listFeed", { params: { subscriberId: "ada" } });
  assertShape("subscribers.listFeed", feed);
  assert.deepEqual(feed.data[0]!.cta, inbox!.cta);
  assert.deepEqual([inbox!.status, inbox!.read, inbox!.seen, inbox!.providerId], ["sent", false, false, "svc"]);
  assert.deepEqual(inbox!.deliveredAt, [inbox!.createdAt]);
  assert.deepEqual([mail!.subject, mail!.content, mail!.email], ["S 7", "<p>Mail</p>", "ada@example.com"]);
  assert.deepEqual([mail!.cta, mail!.contextKeys, mail!.status, mail!.providerId], [{}, [], "sent", "svc-email"]);
  for (const message of body.data) {
    assert.equal(message.templateIdentifier, "both");
    assert.deepEqual(message.payload, { order: 7 });
    assert.ok(!("template" in message));
    const { subscriberId, firstName, deleted, data } = message.subscriber!;
    assert.deepEqual([subscriberId, firstName, deleted, data], ["ada", "Ada", false, { plan: "gold" }]);
    assert.equal(message.subscriber!._id, message._subscriberId);
  }
});

test("a message that could not be sent has its error", async () => {
  const [mail] = (await list({ transactionId: sent.bob, channel: "email" })).data;
  assert.deepEqual([mail!.status, mail!.errorId], ["warning", "subscriber_missing_email"]);
  assert.ok(mail!.errorText!.length > 0);
  await createWorkflow(production, "broken", [inApp({ body: "{{ payload.a | no_such_filter }}" })]);
  const transactionId = await trigger(production, "broken", "ada");
  await settled(production, transactionId);
  const [broken] = (await list({ transactionId }, production)).data;
  assert.deepEqual([broken!.status, broken!.errorId], ["error", "render_failed"]);
});

test("read and seen follow the record", async () => {
  const time = new Date("2026-01-02T03:04:05.678Z");
  const transactionId = await trigger(production, "both", "reader");
  await settled(production, transactionId);
  await sql`update messages m set read_at = ${time}, seen_at = ${time} from events e
    where e.id = m.event_id and e.transaction_id = ${transactionId}`.execute(db);
  const [message] = (await list({ transactionId }, production)).data;
  assert.deepEqual([message!.read, message!.seen], [true, true]);
  assert.deepEqual([message!.lastReadDate, message!.lastSeenDate], [time.toISOString(), time.toISOString()]);
});

test("environments do not see each other's messages", async () => {
  const { data, totalCount } = await list({}, production);
  assert.equal(totalCount, data.length);
  const own = new Set((await list()).data.map(({ _id }) => _id));
  assert.ok(data.length > 0 && data.every(({ _id }) => !own.has(_id)));
  assert.deepEqual((await list({ transactionId: sent.ada }, production)).data, []);
});
