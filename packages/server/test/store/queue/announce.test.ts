// Announcements of tasks: after the commit, gathered, and again when they could not be sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { inTransaction, openDb } from "../../../src/store/db.ts";
import { createAnnouncer, type Start } from "../../../src/store/queue/announce.ts";
import type { Notification } from "../../../src/store/queue/listen.ts";
import { openQueue } from "../../../src/store/queue/queue.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

/** `failing`: how many sendings fail first. */
function startAnnouncer(failing = 0) {
  const heard: string[] = [];
  const sent: string[][] = [];
  const textOf = ({ channel, text }: Notification) => `${channel} ${text}`;
  let left = failing;
  const announcer = createAnnouncer({
    taskChannel: "tasks",
    hintedMs: 60_000,
    send: async (notifications) => {
      if (left-- > 0) throw new Error("no connection");
      sent.push(notifications.map(textOf).sort());
    },
    hear: (notification) => void heard.push(textOf(notification)),
  });
  atEnd(async () => announcer.close());
  const announce = (starts: Start[], kind = "wake") =>
    inTransaction(db, async (tx) => {
      await sql`select 1`.execute(tx);
      announcer.announce(tx, kind, starts);
      assert.deepEqual(heard, [], "before the commit");
    });
  return { announcer, announce, heard, sent };
}

test("tasks are announced after the commit, and not after a rollback", async () => {
  const { announcer, announce, heard, sent } = startAnnouncer();
  const rolledBack = inTransaction(db, async (tx) => {
    announcer.announce(tx, "wake", [undefined]);
    throw new Error("back");
  });
  await assert.rejects(rolledBack, /back/);
  await announce([undefined, 5, 2, 3_600, new Date(1_000), new Date(Date.now() + 3_600_000)]);
  assert.deepEqual(heard, ["tasks wake", "tidings_due 1000", "tidings_due +2000"]);
  await eventually(() => sent.length > 0, "the sending");
  assert.deepEqual(sent, [["tasks wake", "tidings_due +2000", "tidings_due 1000"]]);
});

test("tasks that begin later than a look are not announced", async () => {
  const { announcer, heard } = startAnnouncer();
  announcer.announce(db, "wake", [3_600, new Date(Date.now() + 3_600_000)]);
  assert.deepEqual(heard, []);
  announcer.announce(db, "wake", [0]);
  assert.deepEqual(heard, ["tidings_due +0"], "at once without a transaction");
});

test("what comes together is sent together, and what could not be sent is sent later", async () => {
  const { announcer, sent } = startAnnouncer(1);
  for (let n = 0; n < 100; n++) announcer.announce(db, n % 2 ? "wake" : "deliver", [undefined, 50 - (n % 50)]);
  await eventually(() => sent.length > 0, "the sending");
  assert.deepEqual(sent, [["tasks deliver", "tasks wake", "tidings_due +1000"]]);
});

test("no transaction of the queue notifies, also on an installation whose queues did", async () => {
  const open = async () => (await openQueue({ url: database.url, onError: () => {} })).stop();
  const notifying = async () =>
    (await sql<{ name: string }>`select name from queue.queue where notify order by name`.execute(db)).rows;
  await open();
  assert.deepEqual(await notifying(), []);
  await sql`update queue.queue set notify = true where name in ('wake', 'deliver')`.execute(db);
  await open();
  assert.deepEqual(await notifying(), []);
});
