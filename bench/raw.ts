// The raw limit: the rows that the service wrote, written again by two set-based writers without the service, on the
// same PostgreSQL in the same run.
import { sql } from "kysely";
import { type Db, inTransaction } from "../packages/server/src/store/db.ts";
import { type EventRow, insertEvents } from "../packages/server/src/store/events/events.ts";
import { insertJobs } from "../packages/server/src/store/events/jobs.batch.ts";
import type { JobRow } from "../packages/server/src/store/events/jobs.ts";
import { insertNotifications } from "../packages/server/src/store/events/notifications.batch.ts";
import type { NotificationRow } from "../packages/server/src/store/events/notifications.ts";
import { insertMessages } from "../packages/server/src/store/messages/messages.batch.ts";
import type { MessageRow } from "../packages/server/src/store/messages/messages.ts";

const rowsPerStatement = 500;
const writers = 2;

/** Waits until the feed query shows all of them. */
export async function visible(db: Db, count: number): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from messages where status = 'sent'`.execute(
      db,
    );
    if (rows[0]!.count >= count) return;
    if (Date.now() > deadline) throw new Error(`only ${rows[0]!.count} of ${count} messages after 5 minutes`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Deletes all rows of the pipeline, once it is idle. */
export async function clear(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ busy: boolean }>`
      select exists (select 1 from queue.job where state < 'completed' and start_after <= now()) as busy`.execute(db);
    if (!rows[0]!.busy) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await sql`truncate events, notifications, jobs, messages, attempts, idempotency_keys, transaction_ids`.execute(db);
}

export type Rows = { events: EventRow[]; notifications: NotificationRow[]; jobs: JobRow[]; messages: MessageRow[] };

export async function readBack(db: Db): Promise<Rows> {
  const read = async <T>(table: string) =>
    (await sql<T>`select * from ${sql.table(table)} order by id`.execute(db)).rows;
  return {
    events: await read<EventRow>("events"),
    notifications: await read<NotificationRow>("notifications"),
    jobs: await read<JobRow>("jobs"),
    messages: await read<MessageRow>("messages"),
  };
}

/** Writes the rows again, 500 notifications a statement by two writers; returns the seconds. */
export async function writeRaw(db: Db, rows: Rows): Promise<number> {
  let next = 0;
  const started = performance.now();
  const write = async () => {
    while (next < rows.notifications.length) {
      const from = next;
      next += rowsPerStatement;
      const slice = <T>(list: T[]) => list.slice(from, from + rowsPerStatement);
      await inTransaction(db, async (tx) => {
        await insertEvents(tx, slice(rows.events));
        await insertNotifications(tx, slice(rows.notifications));
        await insertJobs(tx, slice(rows.jobs));
        await insertMessages(tx, slice(rows.messages));
      });
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (performance.now() - started) / 1000;
}
