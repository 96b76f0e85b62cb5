// The published headless client of existing inboxes, @novu/js, unmodified against the service, over both kinds of
// socket.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { Novu } from "@novu/js";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await startTestService();
const { client, url } = service;
await createWorkflow(
  client,
  "hello",
  [inApp({ subject: "Hi", body: "Hello {{ payload.n }}", primaryAction: { label: "Go", redirect: { url: "/go" } } })],
  { severity: "high", tags: ["news"] },
);

/** A session; `received` are the notifications that arrived live, `unread` the last unread count. */
function openInbox(subscriberId: string, socketType: "self-hosted" | "cloud") {
  const novu = new Novu({
    applicationIdentifier: "development",
    subscriber: { subscriberId, firstName: "Ada" },
    backendUrl: url,
    socketUrl: url.replace("http", "ws"),
    socketOptions: { socketType },
  });
  const live = { received: [] as string[], unread: -1 };
  const stops = [
    novu.on("notifications.notification_received", ({ result }) => live.received.push(result.body)),
    novu.on("notifications.unread_count_changed", ({ result }) => {
      live.unread = result.total;
    }),
  ];
  const close = async () => {
    for (const stop of stops) stop();
    await novu.socket.disconnect();
  };
  return { novu, live, close };
}

/** The data of a call that has to succeed. */
const dataOf = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  assert.equal(error, undefined, String(error));
  return data as T;
};

for (const socketType of ["self-hosted", "cloud"] as const) {
  describe(`socket type ${socketType}`, () => {
    const subscriberId = `reader-${socketType}`;
    const { novu, live, close } = openInbox(subscriberId, socketType);
    after(close);

    test("session, live message, counts, list", async () => {
      await eventually(() => live.unread === 0, "the first counts");
      await trigger(client, "hello", subscriberId, { n: 1 });
      await eventually(() => live.received.length === 1 && live.unread === 1, "the message and its count");
      assert.deepEqual(live.received, ["Hello 1"]);
      const { notifications, hasMore } = dataOf(await novu.notifications.list({ limit: 10 }));
      assert.equal(hasMore, false);
      const [item] = notifications;
      assert.equal(item!.body, "Hello 1");
      assert.equal(item!.primaryAction!.label, "Go");
      assert.deepEqual(item!.tags, ["news"]);
      const filters = [{ read: false }, { tags: ["news"] }, { archived: true }];
      const { counts } = dataOf(await novu.notifications.count({ filters })) as { counts: { count: number }[] };
      assert.deepEqual(
        counts.map(({ count }) => count),
        [1, 1, 0],
      );
    });

    test("every mark", async () => {
      const item = dataOf(await novu.notifications.list({ limit: 1 })).notifications[0]!;
      assert.equal(dataOf(await item.read()).isRead, true);
      await eventually(() => live.unread === 0, "the count after reading");
      assert.equal(dataOf(await item.unread()).isRead, false);
      assert.equal(dataOf(await item.archive()).isArchived, true);
      assert.equal(dataOf(await item.unarchive()).isArchived, false);
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      assert.equal(dataOf(await item.snooze(tomorrow)).isSnoozed, true);
      assert.equal(dataOf(await item.unsnooze()).isSnoozed, false);
      assert.equal(dataOf(await item.completePrimary()).primaryAction!.isCompleted, true);
      assert.equal(dataOf(await item.revertPrimary()).primaryAction!.isCompleted, false);
      for (const mark of ["seenAll", "readAll", "archiveAllRead", "archiveAll"] as const) {
        dataOf(await novu.notifications[mark]());
      }
      const archived = dataOf(await novu.notifications.list({ archived: true })).notifications;
      assert.equal(archived.length, 1);
      dataOf(await archived[0]!.delete());
      assert.equal(dataOf(await novu.notifications.list({ archived: true, useCache: false })).notifications.length, 0);
    });

    test("preferences and topic subscriptions", async () => {
      const all = dataOf(await novu.preferences.list());
      const own = all.find(({ level }) => level === "template")!;
      assert.equal(dataOf(await own.update({ channels: { in_app: false } })).channels.in_app, false);
      const topicKey = `topic-${socketType}`;
      await client("topics.create", { body: { key: topicKey, name: "News" } });
      assert.deepEqual(dataOf(await novu.subscriptions.list({ topicKey })), []);
      dataOf(await novu.subscriptions.create({ topicKey, identifier: "mine" }));
      assert.equal(dataOf(await novu.subscriptions.list({ topicKey })).length, 1);
    });
  });
}

test("the options in docs/inbox.md connect to this service, and to no other", async () => {
  const text = readFileSync(new URL("../../../../docs/inbox.md", import.meta.url), "utf8");
  const [, written] = /new Novu\((\{.*?\})\)/s.exec(text)!;
  const options = JSON.parse(written!.replaceAll(/(\w+): "/g, '"$1": "').replace(/,\s*\}/, "}")) as Record<
    string,
    string
  >;
  const { host } = new URL(url);
  const novu = new Novu({
    applicationIdentifier: options.applicationIdentifier!,
    subscriber: options.subscriber!,
    backendUrl: options.backendUrl?.replace("https://notify.example.com", `http://${host}`),
    socketUrl: options.socketUrl?.replace("wss://notify.example.com", `ws://${host}`),
  });
  const addresses = new Set<string>();
  novu.on("socket.connect.pending", ({ args }) => addresses.add(String((args as { socketUrl?: string })?.socketUrl)));
  assert.equal(novu.options.socketUrl, `ws://${host}`, "checked before anything connects");
  let unread = -1;
  const stop = novu.on("notifications.unread_count_changed", ({ result }) => {
    unread = result.total;
  });
  after(async () => {
    stop();
    await novu.socket.disconnect();
  });
  await eventually(() => unread === 0, "the first counts");
  assert.deepEqual([...addresses], [`ws://${host}`]);
});

test("no page of the docs names backendUrl of a browser without socketUrl", () => {
  for (const page of globSync("../../../../docs/*.md", { cwd: import.meta.dirname })) {
    const parts = readFileSync(new URL(page, import.meta.url), "utf8").split(/\n(?:```\w*)?\n/);
    // A program on a server (@novu/node) has a key and no socket.
    const ofBrowsers = parts.filter((part) => part.includes("backendUrl") && !part.includes("process.env"));
    for (const part of ofBrowsers) assert.ok(part.includes("socketUrl"), `${page}: ${part}`);
  }
});

test("the routes of the older API exist in the vocabulary novu only", async () => {
  const headers = { authorization: `ApiKey ${service.apiKey}` };
  for (const path of ["/v1/subscribers", "/v1/topics", "/v1/widgets/session/initialize"])
    assert.equal((await fetch(`${url}${path}`, { headers })).status, 404);
});
