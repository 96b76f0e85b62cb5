// The client of the widget without a browser, on the real service: what a mark costs, long lists, lost connections,
// undo.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { InboxNotification, InboxOptions, InboxState } from "../../../inbox/src/client/types.ts";

/** What the tests use of the client; its sources need the types of browsers. */
type Mark = (id: string) => Promise<unknown>;
type Inbox = Record<"read" | "unread" | "archive" | "unarchive" | "remove", Mark> &
  Record<
    "load" | "loadMore" | "refresh" | "undo" | "markAllRead" | "archiveAll" | "archiveAllRead",
    () => Promise<void>
  > & {
    getState(): InboxState;
    close(): void;
  };

const built = pathToFileURL(join(import.meta.dirname, "../../../inbox/dist/index.js")).href;
const { createInbox } = (await import(built)) as { createInbox: (options: InboxOptions) => Inbox };

const service = await startTestService();
const { client, url } = service;
await createWorkflow(client, "note", [inApp({ subject: "{{ payload.title }}", body: "Text" })]);

const note = (to: string, title: string) => trigger(client, "note", to, { title });
const send = async (to: string, count: number) => {
  const events = Array.from({ length: count }, (_, index) => ({
    name: "note",
    to,
    payload: { title: `No. ${index}` },
  }));
  while (events.length > 0) await client("events.triggerBulk", { body: { events: events.splice(0, 100) } });
};
const stored = async (subscriberId: string, query: object = {}) =>
  (await client("subscriberNotifications.list", { params: { subscriberId }, query: query as never })).body.data;

/** An inbox whose way to the service can be broken: `answer` decides about a request, undefined lets it pass. */
async function open(context: TestContext, subscriberId: string, options: Partial<InboxOptions> = {}) {
  const line = {
    requests: [] as string[],
    answer: (_path: string): Response | undefined | "lost" => undefined,
    streams: new Set<AbortController>(),
    cut() {
      line.answer = () => "lost";
      for (const stream of line.streams) stream.abort();
    },
  };
  const doFetch: typeof fetch = async (input, init) => {
    const path = String(input).replace(`${url}/v1/inbox`, "");
    const given = line.answer(path);
    if (given === "lost") throw new TypeError("fetch failed");
    if (given) return given;
    if (path !== "/stream") {
      line.requests.push(`${init?.method} ${path.replace(/[0-9a-f-]{36}/, "id").replace(/\?.*/, "")}`);
      return fetch(input, init);
    }
    const stream = new AbortController();
    line.streams.add(stream);
    return fetch(input, { ...init, signal: AbortSignal.any([init!.signal!, stream.signal]) });
  };
  const inbox = createInbox({
    ...{ url, applicationIdentifier: "development", subscriberId, shareConnection: false, fetch: doFetch },
    ...options,
  });
  context.after(() => inbox.close());
  await inbox.load();
  await eventually(() => inbox.getState().status === "live" && inbox.getState().counts, "a live inbox");
  const titles = () => inbox.getState().notifications.map(({ subject }) => subject);
  const find = (title: string): InboxNotification =>
    inbox.getState().notifications.find(({ subject }) => subject === title)!;
  return { inbox, line, titles, find, state: inbox.getState };
}

test("the list is read once, and every mark is one request", async (context) => {
  await note("ada", "One");
  await note("ada", "Two");
  const { inbox, line, find, state } = await open(context, "ada");
  assert.deepEqual(line.requests, ["POST /session", "GET /notifications"]);
  line.requests.length = 0;
  const { id } = find("One");
  const verbs = ["read", "unread", "archive", "unarchive"] as const;
  for (const verb of verbs) await inbox[verb](id);
  // Two at once: the stream may tell of the first one while the second one is on its way.
  await Promise.all([inbox.unread(id), inbox.read(id)]);
  await note("ada", "Three");
  await eventually(() => state().notifications.length === 3 && state().counts?.total === 2, "all that the stream says");
  const expected = [...verbs, "unread", "read"].map((verb) => `PATCH /notifications/id/${verb}`);
  assert.deepEqual(line.requests, expected);
});

test("a long list is read again as far as it is loaded, and keeps what is older", async (context) => {
  await send("bea", 240);
  await eventually(async () => (await stored("bea", { limit: 1, offset: 239 })).length === 1, "all messages");
  const { inbox, line, titles, state } = await open(context, "bea", { pageSize: 100 });
  while (state().hasMore) await inbox.loadMore();
  assert.equal(titles().length, 240);
  const deep = state().notifications[200]!;
  await inbox.archive(deep.id);
  const other = state().notifications[150]!;
  await client("subscriberNotifications.archive", { params: { subscriberId: "bea", notificationId: other.id } });
  line.requests.length = 0;
  const kept = state().notifications[180];
  await inbox.refresh();
  assert.equal(titles().length, 238);
  assert.equal(new Set(titles()).size, 238);
  assert.equal(state().notifications[179], kept, "what has not changed is the same object");
  assert.equal(line.requests.filter((text) => text === "GET /notifications").length, 3);
});

test("marks made without a connection wait, keep their order, and are sent when it is back", async (context) => {
  for (const title of ["One", "Two", "Three", "Gone"]) await note("cleo", title);
  const { inbox, line, titles, find, state } = await open(context, "cleo");
  const [one, two, three, gone] = ["One", "Two", "Three", "Gone"].map((title) => find(title).id) as string[];
  line.cut();
  await eventually(() => state().status === "offline", "the lost connection");
  const work = [inbox.read(one!), inbox.archive(two!), inbox.unread(one!), inbox.read(one!), inbox.markAllRead()];
  const last = inbox.unread(three!);
  const refused = inbox.archive(gone!).then(
    () => "saved",
    (error) => error.code,
  );
  await eventually(() => titles().length === 2 && state().counts?.total === 1, "the changes to show");
  assert.equal((await stored("cleo", { read: false })).length, 4, "nothing was sent");
  await client("subscriberNotifications.delete", { params: { subscriberId: "cleo", notificationId: gone! } });
  line.requests.length = 0;
  line.answer = () => undefined;
  await Promise.all([...work, last]);
  assert.equal(await refused, "NOTIFICATION_NOT_FOUND");
  await eventually(() => state().status === "live", "the connection");
  assert.deepEqual(
    line.requests.filter((text) => !text.startsWith("GET")),
    [
      "PATCH /notifications/id/read",
      "PATCH /notifications/id/archive",
      "PATCH /notifications/id/unread",
      "PATCH /notifications/id/read",
      "POST /notifications/mark",
      "PATCH /notifications/id/unread",
      "PATCH /notifications/id/archive",
    ],
  );
  await eventually(() => titles().join() === "Three,One" && state().counts?.total === 1, "the list of the service");
  assert.deepEqual(
    (await stored("cleo", { read: false })).map(({ subject }) => subject),
    ["Three"],
  );
});

test("a change that is refused takes its count with it, also when nothing else can be read", async (context) => {
  await note("dora", "One");
  await note("dora", "Two");
  const { inbox, line, find, state } = await open(context, "dora");
  assert.equal(state().counts?.total, 2);
  line.answer = () => Response.json({ code: "INTERNAL_ERROR", message: "no" }, { status: 500 });
  const refused = inbox.read(find("One").id);
  assert.equal(state().counts?.total, 1);
  await assert.rejects(refused);
  assert.equal(state().counts?.total, 2);
  const all = inbox.markAllRead();
  assert.equal(state().counts?.total, 0);
  await assert.rejects(all);
  assert.equal(state().counts?.total, 2);
  assert.ok(state().notifications.every(({ isRead }) => !isRead));
});

test("no more than 100 changes wait", async (context) => {
  await note("emma", "One");
  const { inbox, line, find } = await open(context, "emma");
  const { id } = find("One");
  line.cut();
  const ends: string[] = [];
  for (let index = 0; index < 103; index++) {
    void (index % 2 ? inbox.archiveAllRead() : inbox.markAllRead()).catch((error) => ends.push(error.code));
  }
  await eventually(() => ends.length === 3, "the refusals");
  void inbox.read(id).catch((error) => ends.push(error.code));
  await eventually(() => ends.length === 4, "one more");
  assert.deepEqual([...new Set(ends)], ["UNREACHABLE"]);
});

test("marks of all messages can be undone", async (context) => {
  for (const title of ["One", "Two", "Three"]) await note("fay", title);
  const { inbox, titles, find, state } = await open(context, "fay");
  await inbox.read(find("Two").id);
  for (const mark of ["archiveAll", "archiveAllRead", "markAllRead"] as const) {
    await inbox[mark]();
    const { undoable } = state();
    assert.equal(undoable?.kind, mark === "markAllRead" ? "read" : "archive");
    assert.notEqual(
      state().notifications.filter(({ isRead }) => !isRead).length,
      mark === "archiveAllRead" ? 0 : 2,
      mark,
    );
    await inbox.undo();
    assert.deepEqual(titles(), ["Three", "Two", "One"], mark);
    assert.deepEqual(
      state().notifications.map(({ isRead }) => isRead),
      [false, true, false],
      mark,
    );
    await eventually(() => state().counts?.total === 2, "the counts");
    assert.equal(state().undoable, null);
  }
  await inbox.undo();
});

test("a refused session is said to the developer, with what to change", async (context) => {
  const errors = context.mock.method(console, "error", () => {});
  const inbox = createInbox({ url, applicationIdentifier: "nowhere", subscriberId: "x", shareConnection: false });
  context.after(() => inbox.close());
  await eventually(() => inbox.getState().status === "error", "the refusal");
  await eventually(() => errors.mock.callCount() === 1, "the reason");
  assert.match(String(errors.mock.calls[0]!.arguments[0]), /^Tidings inbox: .*nowhere.*\(ENVIRONMENT_NOT_FOUND\)$/);
});
