// Dead letters as CSV, page by page, newest first: those that exist when the export begins.
import type { DeadLetter, Input } from "@tidings/contract";
import type { Caller, NetworkCtx } from "../../context.ts";
import { writeCsvRow } from "../../lib/text/csv.ts";
import { toFilters } from "../../pipeline/deliver/replay.ts";
import { listLettersBefore } from "../../store/messages/dead-letters.ts";
import { readPage } from "../export-pages.ts";
import { toDeadLetter } from "./dead-letters.ts";

const rowsPerPage = 500;
/** As many as a replay takes. */
const maxRows = 50_000;

const columns = [
  "id",
  "createdAt",
  "status",
  "subscriberId",
  "workflowId",
  "stepId",
  "channel",
  "providerId",
  "integrationIdentifier",
  "errorClass",
  "errorText",
  "attempts",
  "transactionId",
  "notificationId",
  "messageId",
  "replayedAt",
] as const satisfies (keyof DeadLetter)[];

const cellsOf = (letter: DeadLetter): string[] => columns.map((name) => String(letter[name] ?? ""));

type Query = Input<"deadLetters.list">["query"];

export async function exportDeadLetters(
  ctx: NetworkCtx,
  caller: Caller,
  _name: string | undefined,
  { page, limit, status, ...filter }: Query,
): Promise<AsyncGenerator<string>> {
  return rows(ctx, caller, { ...toFilters(filter), status });
}

async function* rows(ctx: NetworkCtx, caller: Caller, filters: ReturnType<typeof toFilters>): AsyncGenerator<string> {
  yield writeCsvRow(columns);
  let before: string | null = null;
  for (let count = 0; count < maxRows; count += rowsPerPage) {
    const range: { before: string | null; limit: number } = { before, limit: rowsPerPage };
    const found = await readPage(ctx, caller, (db) => listLettersBefore(db, caller.environmentId, filters, range));
    if (found.length > 0) yield found.map((row) => writeCsvRow(cellsOf(toDeadLetter(row)))).join("");
    if (found.length < rowsPerPage) return;
    before = found.at(-1)!.id;
  }
}
