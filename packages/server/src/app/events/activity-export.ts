// The list of events as CSV, page by page, with the filters of the list. Bounded: it ends with a line that says so
// where more events match.
import { type ActivityEvent, type Input, notificationOutcomes } from "@tidings/contract";
import type { Caller, NetworkCtx } from "../../context.ts";
import { writeCsvRow } from "../../lib/text/csv.ts";
import { readPage } from "../export-pages.ts";
import { list } from "./activity-list.ts";

type Filters = Omit<Input<"activity.listEvents">["query"], "cursor" | "limit">;

const pageSize = 100;
/** Events of one file. */
const maxExportedEvents = 10_000;
/** Pages of one file, also empty ones: each examines a bounded number of events, and takes a second at most. */
const maxPages = 300;

const columns = [
  "time",
  "transactionId",
  "workflowId",
  "workflow",
  "searchKey",
  "searchValue",
  "subscriberId",
  "recipients",
  ...notificationOutcomes,
  "verdict",
  "payload",
];

const cellsOf = (event: ActivityEvent): string[] => [
  event.createdAt,
  event.transactionId,
  event.workflow.workflowId,
  event.workflow.name,
  event.searchKey?.key ?? "",
  event.searchKey?.value ?? "",
  event.recipient?.subscriberId ?? "",
  `${event.recipients}${event.isCapped ? "+" : ""}`,
  ...notificationOutcomes.map((outcome) => String(event.outcomes[outcome])),
  event.verdict,
  event.payload,
];

/** The first page is read at once, so that wrong filters are refused before the first byte. */
export async function openActivityExport(ctx: NetworkCtx, caller: Caller, filters: Filters) {
  const read = (cursor?: string) =>
    readPage(ctx, caller, (db) => list({ ...ctx, db }, caller, { query: { ...filters, limit: pageSize, cursor } }));
  return writePages(await read(), read);
}

type Page = Awaited<ReturnType<typeof list>>;

async function* writePages(first: Page, read: (cursor: string) => Promise<Page>): AsyncGenerator<string> {
  yield writeCsvRow(columns);
  let page = first;
  for (let pages = 1, written = 0; ; pages++) {
    const rows = page.data.slice(0, maxExportedEvents - written);
    written += rows.length;
    if (rows.length > 0) yield rows.map((row) => writeCsvRow(cellsOf(row))).join("");
    if (page.next === null) return;
    if (written >= maxExportedEvents || pages >= maxPages) break;
    page = await read(page.next);
  }
  const { scannedTo } = page;
  yield writeCsvRow([
    `More events may match${scannedTo ? ` before ${scannedTo}` : ""}: export them with narrower filters`,
  ]);
}
