// Calls by SQL, which wait in the outbox of this database or were refused and are kept as failed tasks: a call about
// the person alone is deleted, and one that also reaches others continues without the person. Rules of tables.ts, which
// checks their type.
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ScannedRow } from "../../store/subscribers/erasure-scans.ts";
import { type ErasureTools, type Rewrite, redactRow } from "./redaction.ts";

/** The same object when the call does not name the person, null when nobody else is left. */
function withoutPerson({ person }: ErasureTools, body: JsonObject): JsonObject | null {
  const isPerson = (one: unknown): boolean =>
    one === person.subscriberId || (isObject(one) && one.subscriberId === person.subscriberId);
  const { to, actor, ...rest } = body;
  const others = Array.isArray(to) ? to.filter((one) => !isPerson(one)) : to;
  const isAlone = Array.isArray(to) ? to.length > 0 && (others as unknown[]).length === 0 : isPerson(to);
  if (isPerson(body) || isAlone) return null;
  const isNamed = isPerson(actor) || (Array.isArray(to) && (others as unknown[]).length < to.length);
  if (!isNamed) return body;
  return { ...rest, to: others as never, ...(actor !== undefined && !isPerson(actor) && { actor }) };
}

type Call = { body: JsonObject | null; put: (body: JsonObject) => Partial<ScannedRow> };

const rewriteCalls =
  (callOf: (row: ScannedRow) => Call): Rewrite =>
  (tools, rows, table) => {
    const changed: ScannedRow[] = [];
    const deleted: ScannedRow["at"][] = [];
    for (const row of rows) {
      const { body, put } = callOf(row);
      const left = body && withoutPerson(tools, body);
      if (body && !left) {
        deleted.push(row.at);
        continue;
      }
      const isNamed = left !== body;
      const next = { ...row, ...(left && isNamed && put(left)), is_about: row.is_about || isNamed };
      const redacted = redactRow(tools, next, table) ?? (isNamed ? next : null);
      if (redacted) changed.push(redacted);
    }
    return { changed, deleted };
  };

const rewriteOutbox = rewriteCalls((row) => ({
  body: isObject(row.body) ? row.body : null,
  put: (body) => ({ body }),
}));

/** Tasks of other kinds hold ids, and errors. */
const rewriteFailedTasks = rewriteCalls((row) => {
  const data = isObject(row.data) ? row.data : {};
  return {
    body: row.kind === "relay" && isObject(data.body) ? data.body : null,
    put: (body) => ({ data: { ...data, body } }),
  };
});

export const callTables = {
  failed_tasks: {
    does: "rewritten",
    what: "error texts; refused calls by SQL about the person are deleted",
    scan: {
      key: { id: "uuid" },
      columns: { error: "text", data: "jsonb" },
      reads: ["kind"],
      sealed: ["data"],
      rowsPerPage: 200,
      rewrite: rewriteFailedTasks,
    },
  },
  sql_outbox: {
    does: "removed",
    what: "calls by SQL about the person that wait; those about others lose the mention",
    scan: {
      key: { id: "bigint" },
      columns: { transaction_id: "text", key: "text", body: "jsonb" },
      rowsPerPage: 200,
      rewrite: rewriteOutbox,
    },
  },
} as const;
