// The inbox in the browser of a subscriber: the envelopes that existing clients read, and nothing of other subscribers.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { type Inbox, openInbox } from "./browser.ts";

const service = await shareService();

type Item = { id: string; isRead: boolean; isSeen: boolean; isArchived: boolean; isSnoozed: boolean };
type Page = { data: Item[]; hasMore: boolean; filter: object };

const button = { label: "Open", redirect: { url: "https://example.com" } };

/** Ada and Eve of one environment, and Ada of another one, with one message each. */
async function withInboxes() {
  const inboxOf = async (client: Client, applicationIdentifier: string, subscriberId: string) => {
    await settled(client, await trigger(client, "hello", subscriberId));
    const inbox = await openInbox(service, { applicationIdentifier, subscriber: { subscriberId } });
    return { ...inbox, item: (await list(inbox)).data[0]! };
  };
  const [here, there] = [await newStage(service), await newStage(service)];
  for (const { client } of [here, there]) {
    await createWorkflow(client, "hello", [inApp({ subject: "Hi", body: "Ho", primaryAction: button })], {
      severity: "high",
      tags: ["a"],
    });
  }
  return {
    ...here,
    ada: await inboxOf(here.client, here.environmentId, "ada"),
    eve: await inboxOf(here.client, here.environmentId, "eve"),
    far: await inboxOf(there.client, there.environmentId, "ada"),
  };
}

const list = async ({ call }: Inbox, query = ""): Promise<Page> => {
  const reply = await call("GET", `/notifications${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body as Page;
};

test("the calls of the published widget get the envelopes it reads", async () => {
  const { ada } = await withInboxes();
  const page = await list(ada, "?limit=10&archived=false&snoozed=false");
  assert.deepEqual([page.data.length, page.hasMore, page.filter], [1, false, { archived: false, snoozed: false }]);
  const filters = ["high", "medium"].map((severity) => ({ read: false, archived: false, snoozed: false, severity }));
  const counts = await ada.call("GET", `/notifications/count?filters=${encodeURIComponent(JSON.stringify(filters))}`);
  assert.deepEqual(counts.body, { data: filters.map((filter, index) => ({ count: 1 - index, filter })) });
  const tagged = [{ tags: { or: ["a"] } }, { tags: ["none"] }, { tags: { or: ["none", "a"] } }];
  const byTag = await ada.call("GET", `/notifications/count?filters=${encodeURIComponent(JSON.stringify(tagged))}`);
  assert.deepEqual(byTag.body, { data: tagged.map((filter, index) => ({ count: [1, 0, 1][index], filter })) });
  const patch = async (verb: string, body?: object) => {
    const reply = await ada.call("PATCH", `/notifications/${ada.item.id}/${verb}`, body);
    assert.equal(reply.status, 200, reply.text);
    const { isRead, isArchived, isSnoozed, ...rest } = (reply.body as { data: Item }).data;
    return { isRead, isArchived, isSnoozed, action: (rest as { primaryAction?: object }).primaryAction };
  };
  const open = { ...button, isCompleted: false, redirect: { ...button.redirect, target: "_self" } };
  const state = { isRead: false, isArchived: false, isSnoozed: false, action: open };
  assert.deepEqual(await patch("read"), { ...state, isRead: true });
  assert.deepEqual(await patch("unread"), state);
  assert.deepEqual(await patch("archive"), { ...state, isRead: true, isArchived: true });
  assert.deepEqual(await patch("unarchive"), { ...state, isRead: true });
  const snoozeUntil = new Date(Date.now() + 3_600_000).toISOString();
  assert.deepEqual(await patch("snooze", { snoozeUntil }), { ...state, isRead: true, isSnoozed: true });
  assert.deepEqual(await patch("unsnooze"), { ...state, isRead: true });
  const actionType = "primary";
  const done = { ...state, isRead: true, action: { ...open, isCompleted: true } };
  assert.deepEqual(await patch("complete", { actionType }), done);
  assert.deepEqual(await patch("revert", { actionType }), { ...state, isRead: true });
  for (const verb of ["seen", "read", "archive", "read-archive", "delete"]) {
    const reply = await ada.call("POST", `/notifications/${verb}`, verb === "seen" ? { notificationIds: ["x"] } : {});
    assert.deepEqual([reply.status, reply.text], [204, ""], verb);
  }
  assert.deepEqual((await list(ada)).data, []);
});

test("a notification is deleted with an empty answer", async () => {
  const { ada } = await withInboxes();
  const reply = await ada.call("DELETE", `/notifications/${ada.item.id}/delete`);
  assert.deepEqual([reply.status, reply.text], [204, ""]);
  assert.deepEqual((await list(ada)).data, []);
});

test("a mark of all notifications is taken back by its time, and leaves others alone", async () => {
  const { client, ada, eve } = await withInboxes();
  const states = async (inbox: Inbox, query = "") =>
    (await list(inbox, query)).data.map(({ isRead, isArchived }) => `${isRead ? "read" : "unread"} ${isArchived}`);
  const mark = async (body: object) => {
    const reply = await ada.call("POST", "/notifications/mark", body);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { data: { markedAt: string; count: number } }).data;
  };
  const undo = async (inbox: Inbox, markedAt: string) => {
    const reply = await inbox.call("POST", "/notifications/undo", { markedAt });
    assert.deepEqual([reply.status, reply.text], [204, ""]);
  };
  await settled(client, await trigger(client, "hello", "ada"));
  await settled(client, await trigger(client, "hello", "ada"));
  await ada.call("PATCH", `/notifications/${ada.item.id}/read`);
  const before = ["unread false", "unread false", "read false"];
  assert.deepEqual(await states(ada), before);

  const archived = await mark({ mark: "archived" });
  assert.equal(archived.count, 3);
  assert.deepEqual(await states(ada), []);
  await undo(eve, archived.markedAt);
  assert.deepEqual(await states(ada, "?archived=true"), ["read true", "read true", "read true"], "of Ada, not of Eve");
  await undo(ada, archived.markedAt);
  assert.deepEqual(await states(ada), before);

  const read = await mark({ mark: "read", tags: ["a"] });
  assert.equal(read.count, 2);
  await undo(ada, read.markedAt);
  assert.deepEqual(await states(ada), before);

  const part = await mark({ mark: "archived", only: "read" });
  assert.equal(part.count, 1);
  assert.deepEqual(await states(ada), ["unread false", "unread false"]);
  await undo(ada, part.markedAt);
  await undo(ada, part.markedAt);
  assert.deepEqual(await states(ada), before);

  assert.equal((await mark({ mark: "read", tags: ["none"] })).count, 0);
  for (const [path, body] of [
    ["undo", { markedAt: "yesterday" }],
    ["undo", {}],
    ["mark", { mark: "unread" }],
    ["mark", { mark: "read", only: "unread" }],
  ] as const)
    errorOf(await ada.call("POST", `/notifications/${path}`, body), "VALIDATION_ERROR");
  assert.deepEqual(await states(ada), before, "bad input changes nothing");
});

test("a subscriber reaches no notification of another one, nor of another environment", async () => {
  const { ada, eve, far } = await withInboxes();
  const shown = async () => [(await list(eve)).data, (await list(far)).data];
  const before = await shown();
  const snoozeUntil = new Date(Date.now() + 3_600_000).toISOString();
  const bodies: Record<string, object | undefined> = {
    ...{ read: undefined, unread: undefined, archive: undefined, unarchive: undefined, unsnooze: undefined },
    ...{ snooze: { snoozeUntil }, complete: { actionType: "primary" }, revert: { actionType: "primary" } },
  };
  for (const { item } of [eve, far]) {
    for (const [verb, body] of Object.entries(bodies)) {
      errorOf(await ada.call("PATCH", `/notifications/${item.id}/${verb}`, body), "NOTIFICATION_NOT_FOUND");
    }
    errorOf(await ada.call("DELETE", `/notifications/${item.id}/delete`), "NOTIFICATION_NOT_FOUND");
    await ada.call("POST", "/notifications/seen", { notificationIds: [item.id] });
    assert.deepEqual(
      (await list(ada, `?after=${item.id}`)).data.filter(({ id }) => id === item.id),
      [],
    );
  }
  for (const verb of ["seen", "read", "archive", "read-archive", "delete"]) {
    assert.equal((await ada.call("POST", `/notifications/${verb}`, {})).status, 204);
  }
  assert.deepEqual((await list(ada)).data, []);
  assert.deepEqual(await shown(), before, "the others are as they were");
});

test("a session with contexts sees only messages of these contexts", async () => {
  const { client, environmentId } = await withInboxes();
  const context = { tenant: "acme" };
  const to = "cara";
  const body = { name: "hello", to, payload: {}, context };
  const scoped = (await client("events.trigger", { body })).body.transactionId!;
  const plain = await trigger(client, "hello", to);
  for (const transactionId of [scoped, plain]) await settled(client, transactionId);
  const subscriber = { subscriberId: to };
  const all = await openInbox(service, { applicationIdentifier: environmentId, subscriber });
  const some = await openInbox(service, { applicationIdentifier: environmentId, subscriber, context });
  assert.deepEqual([all.session.totalUnreadCount, some.session.totalUnreadCount], [2, 1]);
  const visible = (await list(some)).data;
  assert.equal(visible.length, 1);
  assert.equal((await list(some, "?contextKeys=")).data.length, 1, "a request cannot leave its session");
  const hidden = (await list(all)).data.find(({ id }) => id !== visible[0]!.id)!;
  errorOf(await some.call("PATCH", `/notifications/${hidden.id}/read`), "NOTIFICATION_NOT_FOUND");
  await some.call("POST", "/notifications/delete", {});
  assert.deepEqual(
    (await list(all)).data.map(({ id }) => id),
    [hidden.id],
  );
});

test("idempotency keys have no meaning in an inbox: no subscriber finds the answers of another one", async () => {
  const { ada, eve } = await withInboxes();
  const key = { "idempotency-key": "shared" };
  await ada.call("POST", "/notifications/read", {}, key);
  const reply = await eve.call("POST", "/notifications/read", {}, key);
  assert.deepEqual([reply.status, reply.headers.get("idempotency-replay")], [204, null]);
  assert.equal((await list(eve)).data[0]?.isRead, true);
});
