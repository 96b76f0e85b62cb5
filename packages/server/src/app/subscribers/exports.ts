// Exports as CSV, page by page: memory holds one page, whatever the size of the environment. What is exported can be imported
// again (docs/import.md).
import { importColumns } from "@tidings/contract";
import type { Caller, NetworkCtx } from "../../context.ts";
import { writeCsvRow } from "../../lib/csv.ts";
import type { Db } from "../../store/db.ts";
import { findLastSubscriberId, findSubscribersAfter, type SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { type ExportedSubscription, findSubscriptionsAfter } from "../../store/topics/subscription-exports.ts";
import { requireTopic } from "../topics/topics.ts";

const rowsPerPage = 500;

/** Each page waits for its turn like any other read, and keeps no connection while the client reads slowly. */
async function readPage<T>({ reads }: NetworkCtx, { environmentId }: Caller, read: (db: Db) => Promise<T>): Promise<T> {
  const release = await reads.slots.acquire(environmentId);
  try {
    return await read(reads.db);
  } finally {
    release();
  }
}

const subscriberCells = (row: SubscriberRow): string[] =>
  [
    row.subscriber_id,
    row.email,
    row.phone,
    row.first_name,
    row.last_name,
    row.locale,
    row.timezone,
    row.avatar,
    row.data && JSON.stringify(row.data),
  ].map((cell) => cell ?? "");

/** All subscribers that exist when the export begins, in the order of their creation. */
export async function* exportSubscribers(ctx: NetworkCtx, caller: Caller): AsyncGenerator<string> {
  yield writeCsvRow(importColumns.subscribers);
  const { environmentId } = caller;
  const until = await readPage(ctx, caller, (db) => findLastSubscriberId(db, environmentId));
  for (let after: string | null = null; until !== null; ) {
    const range: { after: string | null; until: string; limit: number } = { after, until, limit: rowsPerPage };
    const rows = await readPage(ctx, caller, (db) => findSubscribersAfter(db, environmentId, range));
    if (rows.length > 0) yield rows.map((row) => writeCsvRow(subscriberCells(row))).join("");
    if (rows.length < rowsPerPage) return;
    after = rows.at(-1)!.id;
  }
}

/** The subscriptions of one topic, or of all; without their rules. */
export async function* exportSubscriptions(
  ctx: NetworkCtx,
  caller: Caller,
  topicKey: string | undefined,
): AsyncGenerator<string> {
  yield writeCsvRow(importColumns.subscriptions);
  const { environmentId } = caller;
  for (let after: ExportedSubscription | null = null; ; ) {
    const range: Parameters<typeof findSubscriptionsAfter>[2] = { after, topicKey, limit: rowsPerPage };
    const rows = await readPage(ctx, caller, (db) => findSubscriptionsAfter(db, environmentId, range));
    const cells = (row: ExportedSubscription) => [row.topic_key, row.subscriber_key, row.identifier, row.name ?? ""];
    if (rows.length > 0) yield rows.map((row) => writeCsvRow(cells(row))).join("");
    if (rows.length < rowsPerPage) return;
    after = rows.at(-1)!;
  }
}

/** 404 before the first byte of an export of a topic that does not exist. */
export async function requireExportedTopic(ctx: NetworkCtx, caller: Caller, topicKey: string): Promise<void> {
  await requireTopic(ctx, caller, topicKey);
}
