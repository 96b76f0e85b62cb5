// Exports as CSV, page by page: memory holds one page, whatever the size of the environment. What is exported can be
// imported again (docs/import.md).
import { importColumns } from "@tidings/contract";
import type { Caller, NetworkCtx } from "../../context.ts";
import { writeCsvRow } from "../../lib/text/csv.ts";
import { type ImportRow, listImportErrors } from "../../store/subscribers/imports.ts";
import { findLastSubscriberId, findSubscribersAfter, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import { type ExportedSubscription, findSubscriptionsAfter } from "../../store/topics/subscription-exports.ts";
import { readPage } from "../export-pages.ts";
import { requireTopic } from "../topics/topics.ts";
import { requireImport } from "./imports.ts";
import { peopleOf } from "./subscribers.ts";

const rowsPerPage = 500;

const subscriberCells = (row: RecipientRow): string[] =>
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

type Range = Parameters<typeof findSubscribersAfter>[2];

/** All subscribers that exist when the export begins, in the order of their creation; or those of one audience. */
async function* exportSubscribers(
  ctx: NetworkCtx,
  caller: Caller,
  audience: Range["audience"],
): AsyncGenerator<string> {
  yield writeCsvRow(importColumns.subscribers);
  const { environmentId } = caller;
  const until = await readPage(ctx, caller, (db) => findLastSubscriberId(db, environmentId));
  for (let after: string | null = null; until !== null; ) {
    const range: Range = { after, until, limit: rowsPerPage, audience };
    const rows = await readPage(ctx, caller, (db) => findSubscribersAfter(db, environmentId, range));
    if (rows.length > 0) yield rows.map((row) => writeCsvRow(subscriberCells(row))).join("");
    if (rows.length < rowsPerPage) return;
    after = rows.at(-1)!.id;
  }
}

/** The subscriptions of one topic, or of all; without their rules. */
async function* exportSubscriptions(
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

/**
 * The invalid rows of an import as a file of the same columns, with what is wrong: corrected, it can be imported
 * unchanged.
 */
async function* exportFaultyLines(ctx: NetworkCtx, caller: Caller, { id, columns }: ImportRow): AsyncGenerator<string> {
  const kept = columns.flatMap((name, index) => (["line", "problem"].includes(name) ? [] : index));
  yield writeCsvRow([...kept.map((index) => columns[index]!), "line", "problem"]);
  for (let offset = 0; ; offset += rowsPerPage) {
    const page = { offset, limit: rowsPerPage };
    const errors = await readPage(ctx, caller, (db) => listImportErrors(db, caller.environmentId, id, page));
    for (const { cells, line, message } of errors.slice(0, rowsPerPage)) {
      yield writeCsvRow([...kept.map((index) => cells[index] ?? ""), String(line), message]);
    }
    if (errors.length <= rowsPerPage) return;
  }
}

/** Finds what an export names, so that a wrong name is refused before the first byte. */
export const openExport = {
  async subscribers(ctx: NetworkCtx, caller: Caller, audienceId: string | undefined) {
    const audience = audienceId === undefined ? undefined : await peopleOf(ctx, caller, audienceId);
    return exportSubscribers(ctx, caller, audience);
  },
  async subscriptions(ctx: NetworkCtx, caller: Caller, topicKey: string | undefined) {
    if (topicKey !== undefined) await requireTopic(ctx, caller, topicKey);
    return exportSubscriptions(ctx, caller, topicKey);
  },
  async faultyLines(ctx: NetworkCtx, caller: Caller, importId: string | undefined) {
    return exportFaultyLines(ctx, caller, await requireImport(ctx, caller, importId ?? ""));
  },
};
