import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message, MessageMark } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";

const { client, production } = await shareService();

const action = (label: string) => ({ label, redirect: { url: "/x" } });
await createWorkflow(client, "plain", [inApp()]);
await createWorkflow(client, "buttons", [
  inApp({ body: "b", primaryAction: action("Yes"), secondaryAction: action("No") }),
]);
await createWorkflow(client, "mixed", [inApp(), email()]);

const send = async (subscriberId: string, name = "plain"): Promise<string> => {
  const transactionId = await trigger(client, name, { subscriberId, email: "ada@example.com" });
  await settled(client, transactionId);
  return (await messagesOf(client, transactionId)).find((message) => message.channel === "in_app")!._id!;
};
const mark = async (subscriberId: string, messageId: string | string[], markAs: MessageMark) =>
  (await client("subscribers.markMessages", { params: { subscriberId }, body: { messageId, markAs } })).body;
const markAll = async (subscriberId: string, markAs: MessageMark, more = {}) =>
  (await client("subscribers.markAllMessages", { params: { subscriberId }, body: { markAs, ...more } })).body;
const count = async (subscriberId: string, query = {}) =>
  (await client("subscribers.countUnseen", { params: { subscriberId }, query })).body.count;

test("read implies seen, unseen implies unread, and a mark that is there keeps its time", async () => {
  const id = await send("ada");
  const state = async (markAs: MessageMark) => {
    const [message] = await mark("ada", id, markAs);
    assert.equal(message!._id, id);
    const [item] = await feedOf(client, "ada");
    assert.deepEqual([item!.seen, item!.read], [message!.seen, message!.read]);
    return [message!.seen, message!.read];
  };
  assert.deepEqual(await state("seen"), [true, false]);
  assert.deepEqual(await state("unseen"), [false, false]);
  assert.deepEqual(await state("read"), [true, true]);
  const [before] = await mark("ada", id, "read");
  assert.deepEqual(await state("unread"), [true, false]);
  assert.equal((await mark("ada", id, "seen"))[0]!.lastSeenDate, before!.lastSeenDate);
  await state("read");
  assert.deepEqual(await state("unseen"), [false, false]);
});

test("marking unseen or unread keeps when the message was last seen and read", async () => {
  const id = await send("gus");
  const dates = async (markAs: MessageMark) => {
    const [{ lastSeenDate, lastReadDate }] = (await mark("gus", id, markAs)) as [Message];
    const [listed] = (await client("messages.list", { query: { subscriberId: "gus" } })).body.data;
    assert.deepEqual([listed!.lastSeenDate, listed!.lastReadDate], [lastSeenDate, lastReadDate]);
    return { lastSeenDate, lastReadDate };
  };
  assert.deepEqual(await dates("unseen"), { lastSeenDate: undefined, lastReadDate: undefined });
  const seen = await dates("seen");
  assert.deepEqual([typeof seen.lastSeenDate, seen.lastReadDate], ["string", undefined]);
  assert.deepEqual(await dates("unseen"), seen);
  const read = await dates("read");
  assert.ok(read.lastSeenDate! > seen.lastSeenDate!, "seen anew");
  assert.equal(read.lastReadDate, read.lastSeenDate);
  assert.deepEqual(await dates("unread"), read);
  assert.deepEqual(await dates("unseen"), read);
  const again = await dates("read");
  assert.ok(again.lastReadDate! > read.lastReadDate!);
  await markAll("gus", "unseen");
  assert.deepEqual(await dates("unseen"), again);
  const [item] = await feedOf(client, "gus");
  assert.deepEqual([item!.seen, item!.read], [false, false]);
  assert.equal(await count("gus"), 1);
});

test("many at once, answered in the order asked; an unknown one changes none", async () => {
  const ids = [await send("bob"), await send("bob"), await send("bob")];
  const foreign = await send("carl");
  const marked = await mark("bob", [ids[2]!, ids[0]!, ids[2]!], "seen");
  assert.deepEqual(
    marked.map((message) => message._id),
    [ids[2], ids[0]],
  );
  for (const unknown of [foreign, "nonsense", "01890000-0000-7000-8000-000000000000"]) {
    const answer = await client.raw("subscribers.markMessages", {
      params: { subscriberId: "bob" },
      body: { messageId: [ids[1], unknown], markAs: "read" },
    });
    assert.equal(answer.status, 404);
    const { code, message } = answer.body as { code: string; message: string };
    assert.deepEqual([code, message], ["MESSAGE_NOT_FOUND", `Message with id ${unknown} not found`]);
  }
  assert.equal(await count("bob"), 1);
});

test("mark all answers how many changed; counting stops at the limit", async () => {
  for (let index = 0; index < 3; index++) await send("dora", "mixed");
  assert.equal(await count("dora"), 3);
  assert.equal(await count("dora", { limit: 2 }), 2);
  assert.equal(await count("dora", { seen: true }), 0);
  assert.equal(await markAll("dora", "seen"), 3);
  assert.equal(await markAll("dora", "seen"), 0);
  assert.equal(await count("dora"), 0);
  assert.equal(await count("dora", { seen: true }), 3);
  assert.equal(await markAll("dora", "read", { feedIdentifier: "none" }), 0);
  assert.equal(await markAll("dora", "read"), 3);
  assert.equal(await markAll("dora", "unread"), 3);
  assert.equal(await markAll("dora", "unread"), 0);
  assert.equal(await markAll("dora", "unseen"), 3);
  assert.deepEqual(
    (await feedOf(client, "dora")).map((item) => [item.seen, item.read]),
    Array(3).fill([false, false]),
  );
});

test("a replayed mark-all answers the first number", async () => {
  await send("emil");
  const call = () =>
    client("subscribers.markAllMessages", {
      params: { subscriberId: "emil" },
      body: { markAs: "read" },
      headers: { "idempotency-key": "all" },
    });
  const answers = [await call(), await call()];
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [201, 1],
      [201, 1],
    ],
  );
});

test("a pressed button is kept with its payload", async () => {
  const messageId = await send("fay", "buttons");
  const press = async (type: string, body: { status: "pending" | "done"; payload?: object }) =>
    (await client("subscribers.markMessageAction", { params: { subscriberId: "fay", messageId, type }, body } as never))
      .body as { cta: { action: object } };
  const buttons = [
    { type: "primary", content: "Yes", url: "/x", target: "_self" },
    { type: "secondary", content: "No", url: "/x", target: "_self" },
  ];
  const done = await press("primary", { status: "done", payload: { choice: 1 } });
  assert.deepEqual(done.cta.action, { status: "done", buttons, result: { type: "primary", payload: { choice: 1 } } });
  const [item] = await feedOf(client, "fay");
  assert.deepEqual(item!.cta.action, done.cta.action);
  const open = await press("secondary", { status: "pending" });
  assert.deepEqual(open.cta.action, { status: "pending", buttons, result: { type: "secondary" } });

  const refused = async (params: object, body: unknown = { status: "done" }, via = client) => {
    const answer = await via.raw("subscribers.markMessageAction", {
      params: { subscriberId: "fay", messageId, type: "primary", ...params },
      body,
    });
    const { code, message, errors } = answer.body as { code: string; message: string; errors?: object };
    return { status: answer.status, code, message, errors };
  };
  const plain = await send("fay");
  const none = await refused({ messageId: plain });
  assert.deepEqual([none.status, none.code], [400, "ACTION_NOT_FOUND"]);
  assert.equal(none.message, `Message with id ${plain} has no primary action`);
  assert.equal((await refused({ messageId: "nope" })).code, "MESSAGE_NOT_FOUND");
  assert.equal((await refused({ subscriberId: "nobody" })).code, "SUBSCRIBER_NOT_FOUND");
  assert.equal((await refused({}, { status: "done" }, production)).status, 404);
  const type = await refused({ type: "third" });
  assert.equal(type.status, 422);
  assert.deepEqual(type.errors, { type: { messages: ["type must be one of: primary, secondary"], value: "third" } });
  const body = await refused({}, { status: "maybe", payload: [] });
  assert.equal(body.status, 422);
  assert.deepEqual(Object.keys(body.errors!).sort(), ["payload", "status"]);
});

test("unknown subscribers and malformed requests are refused", async () => {
  const marks = "must be one of: read, seen, unread, unseen";
  const cases = [
    ["subscribers.markMessages", { messageId: "x", markAs: "read" }],
    ["subscribers.markAllMessages", { markAs: "read" }],
    ["subscribers.countUnseen", undefined],
  ] as const;
  for (const [id, body] of cases) {
    for (const [via, subscriberId] of [
      [client, "nobody"],
      [production, "ada"],
    ] as const) {
      const answer = await via.raw(id, { params: { subscriberId }, body });
      assert.deepEqual([answer.status, (answer.body as { code: string }).code], [404, "SUBSCRIBER_NOT_FOUND"]);
    }
  }
  const faults = async (id: (typeof cases)[number][0], input: object) => {
    const answer = await client.raw(id, { params: { subscriberId: "ada" }, ...input });
    assert.equal(answer.status, 422);
    const { errors } = answer.body as { errors: Record<string, { messages: string[] }> };
    return Object.values(errors).flatMap((fault) => fault.messages);
  };
  assert.deepEqual(await faults("subscribers.markMessages", { body: { messageId: [], markAs: "gone" } }), [
    "messageId must not be empty",
    `markAs ${marks}`,
  ]);
  assert.deepEqual(await faults("subscribers.markMessages", { body: { messageId: 1 } }), [
    "markAs is required",
    "messageId must be a string or an array",
  ]);
  assert.deepEqual(await faults("subscribers.markAllMessages", { body: { markAs: "x" } }), [`markAs ${marks}`]);
  assert.deepEqual(await faults("subscribers.countUnseen", { query: { limit: 0, seen: "perhaps" } }), [
    "seen must be a boolean",
    "limit must not be less than 1",
  ]);
});
