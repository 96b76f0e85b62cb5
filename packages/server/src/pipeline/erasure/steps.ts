// The steps of an erasure: first the rows of the person that an index finds, then a scan of every table that may
// mention the person. Each call is one page.

import {
  clearTaskErrors,
  deleteOwnRows,
  emptyOwnMessages,
  emptyOwnNotifications,
  type OwnPage,
  type OwnTable,
} from "../../store/subscribers/erasure-own.ts";
import { replaceInPages } from "../../store/subscribers/erasure-pages.ts";
import {
  deletePersonalRows,
  findPageEnd,
  lockPersonalRows,
  type ScanKey,
  type ScannedTable,
  writePersonalRows,
} from "../../store/subscribers/erasure-scans.ts";
import { type ErasureTools, redactRows } from "./redaction.ts";
import { type ErasureTable, erasureTableNames, ruleOf } from "./tables.ts";

/** `after`: null when the step has ended. `counts`: changed or deleted rows. `read`: rows that the page read. */
type StepPage = { after: ScanKey | null; counts: Record<string, number>; read: number };

export type Step = {
  table: ErasureTable;
  isTimed: boolean;
  isOnce: boolean;
  run(tools: ErasureTools, after: ScanKey | null): Promise<StepPage>;
};

const rowsPerPage = 1_000;
const ownRowsPerPage = 500;
/** Each has up to 500 people. */
const pagesPerPage = 100;

type OwnStep = typeof emptyOwnMessages;

const ownStep = (table: ErasureTable, empty: OwnStep): Step => ({
  table,
  isTimed: false,
  isOnce: false,
  async run({ db, environmentId, person, shell }, after) {
    const own = { ids: person.ids, shell, after: after?.id ?? null, limit: ownRowsPerPage };
    const { last, counts, ids }: OwnPage = await empty(db, environmentId, own);
    return { after: last === null ? null : { id: last }, counts, read: ids.length };
  },
});

const deleteStep = (table: OwnTable): Step => ({
  table,
  isTimed: false,
  isOnce: false,
  async run({ db, environmentId, person }) {
    const rows = await deleteOwnRows(db, environmentId, table, person.ids);
    return { after: null, counts: { [table]: rows }, read: rows };
  },
});

/** Written while the person exists, who is deleted before the first step. */
const pagesStep: Step = {
  table: "event_pages",
  isTimed: false,
  isOnce: true,
  async run({ db, environmentId, person, shell }, after) {
    const range = { after: after && { event_id: after.event_id!, page: after.page! }, limit: pagesPerPage };
    const { last, read, changed } = await replaceInPages(db, environmentId, { ids: person.ids, shell }, range);
    return { after: last, counts: { event_pages: changed }, read };
  },
};

const queueStep: Step = {
  table: "queue.job_common",
  isTimed: false,
  isOnce: false,
  async run({ db, environmentId, patterns }) {
    const rows = await clearTaskErrors(db, environmentId, patterns);
    return { after: null, counts: { "queue.job_common": rows }, read: rows };
  },
};

function scanStep(name: ErasureTable): Step[] {
  const rule = ruleOf(name);
  const scan = "scan" in rule ? rule.scan : undefined;
  if (!scan) return [];
  const { rewrite = redactRows, isTimed = false, isOnce = false, ...described } = scan;
  const table: ScannedTable = { ...described, table: name };
  const limit = table.rowsPerPage ?? rowsPerPage;
  const run: Step["run"] = async (tools, after) => {
    const { db, environmentId, person, pseudonym, patterns, shell } = tools;
    const end = await findPageEnd(db, environmentId, { table, after, limit });
    if (!end) return { after: null, counts: {}, read: 0 };
    const owner = { subscriberId: person.subscriberId, ids: [...person.ids, shell], pseudonym, patterns };
    const rows = await lockPersonalRows(db, environmentId, { table, after, last: end.last, owner });
    const { changed, deleted, also } = await rewrite(tools, rows, table);
    await writePersonalRows(db, environmentId, table, changed);
    await deletePersonalRows(db, environmentId, table, deleted);
    const isLast = end.count < limit;
    const counts = { ...also, [name]: changed.length + deleted.length };
    return { after: isLast ? null : end.last, counts, read: end.count };
  };
  return [{ table: name, isTimed, isOnce, run }];
}

export const steps: readonly Step[] = [
  ownStep("messages", emptyOwnMessages),
  ownStep("notifications", emptyOwnNotifications),
  ...(
    [
      "digest_windows",
      "digest_passes",
      "throttle_windows",
      "attention_ledgers",
      "run_waits",
      "signals",
      "supersede_keys",
      "deleted_subscribers",
    ] as const
  ).map(deleteStep),
  pagesStep,
  ...erasureTableNames.flatMap(scanStep),
  queueStep,
];
