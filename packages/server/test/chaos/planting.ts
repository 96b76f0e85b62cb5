// Tools for faults that are planted into the evidence and the rows of an audited run.
import assert from "node:assert/strict";
import type pg from "pg";
import type { Call, Final } from "../../../../scripts/auditor/evidence.ts";
import type { Acted } from "./acts.ts";
import type { Sample } from "./evidence.ts";

/** `query`: on a copy of the database, which is created by the first one. */
export type Ground = {
  evidence: Sample;
  north: Acted;
  south: Acted;
  query(text: string, values?: unknown[]): Promise<Row[]>;
  /** A connection that stays open until the audit has ended. */
  connect(): Promise<pg.Client>;
};

// biome-ignore lint/suspicious/noExplicitAny: columns of any table
export type Row = Record<string, any>;

export type Fault = { name: string; promise: string; plant(ground: Ground): void | Promise<void> };

export type Inbox = Extract<Final, { kind: "inbox" }>;
type InboxMessage = Inbox["messages"][number];

/** Fails if there is none: a fault that is not planted would be found by no promise. */
export function only<T>(list: readonly T[], isWanted: (item: T) => boolean, what: string): T {
  const found = list.filter(isWanted);
  assert.equal(found.length, 1, `${what}: ${found.length} instead of one`);
  return found[0]!;
}

export const callOf = ({ calls }: Sample, text: string): Call =>
  only(
    calls,
    ({ events, attempt }) => attempt === 1 && Boolean(events?.some((event) => event.text === text)),
    `call of ${text}`,
  );

const inboxOf = ({ finals }: Sample, environment: string, person: string): Inbox =>
  only(
    finals.filter((final): final is Inbox => final.kind === "inbox"),
    (inbox) => inbox.environment === environment && inbox.subscriberId === person,
    `inbox of ${person}`,
  );

export type Shown = { inbox: Inbox; message: InboxMessage };

/** The message in the inbox of the first recipient. */
export function shownOf(evidence: Sample, { text, to }: { text: string; to: string[] }): Shown {
  const inbox = inboxOf(evidence, text.split("-")[0]!, to[0]!);
  return { inbox, message: only(inbox.messages, (one) => one.text.split(" ").includes(text), `message of ${text}`) };
}

/** Adds messages that are neither read nor seen to the counts of the inbox, or removes them. */
export function addToCounts({ counts }: Inbox, change: number): void {
  counts.unread += change;
  counts.unseen += change;
  counts.total += change;
}

/** An id that is the next one in the order of ids. */
export function idAfter(id: string): string {
  const digits = (BigInt(`0x${id.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Copies rows, each with other values in some columns. Returns the copies. */
export async function copyRows(
  query: Ground["query"],
  table: string,
  [column, value]: [string, string],
  changesOf: (row: Row) => Row,
): Promise<Row[]> {
  const copies: Row[] = [];
  for (const { row } of await query(`select to_jsonb(t) as row from ${table} t where ${column} = $1`, [value])) {
    const statement = `insert into ${table} select (jsonb_populate_record(null::${table}, $1)).* returning *`;
    copies.push(...(await query(statement, [{ ...row, ...changesOf(row) }])));
  }
  return copies;
}

export const eventRow = async ({ query }: Ground, text: string): Promise<Row> =>
  only(await query("select * from events where payload->>'text' = $1", [text]), () => true, `row of ${text}`);

export const messageRow = async ({ query }: Ground, text: string): Promise<Row> =>
  only(
    await query("select * from messages where case channel when 'email' then subject else content end = $1", [text]),
    () => true,
    `message of ${text}`,
  );
