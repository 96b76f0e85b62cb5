// The audit log, read and exported.
import type { AuditEntry, Input, Output } from "@tidings/contract";
import type { Ctx, MemberCaller } from "../../context.ts";
import { isUuid } from "../../lib/ids.ts";
import { writeCsvRow } from "../../lib/text/csv.ts";
import { type AuditRow, type ListedAuditRow, listAuditLog } from "../../store/members/audit-log.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { nameInEntry } from "./audit-names.ts";
import { actionOf } from "./audit-words.ts";

function actorOf({ user_id, api_key_id, actor: name }: AuditRow): AuditEntry["actor"] {
  if (user_id !== null) return { type: "person", _id: user_id, name };
  return { type: api_key_id === null ? "machine" : "key", _id: api_key_id, name };
}

const toEntry = (row: ListedAuditRow): AuditEntry => ({
  _id: row.id,
  createdAt: row.created_at.toISOString(),
  actor: actorOf(row),
  operation: row.operation,
  action: actionOf(row.operation),
  environmentId: row.environment_id,
  environmentName: row.environment_name,
  target: row.target,
  targetName: row.target_name ?? nameInEntry(row.before, row.after),
  before: row.before,
  after: row.after,
  address: row.address,
  userAgent: row.user_agent,
});

const noId = "00000000-0000-0000-0000-000000000000";
/** An id of another form belongs to no entry. */
const idOrNone = (id: string | undefined) => (id === undefined || isUuid(id) ? id : noId);
const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

type Filters = Pick<
  Input<"auditLog.list">["query"],
  "person" | "operation" | "environment" | "subscriber" | "from" | "to"
>;

const readFilters = (query: Filters) => ({
  userId: idOrNone(query.person),
  operation: query.operation,
  environmentId: idOrNone(query.environment),
  subscriberId: query.subscriber,
  from: timeOf(query.from),
  to: timeOf(query.to),
});

export async function list(
  ctx: Ctx,
  { organizationId }: MemberCaller,
  { query }: Input<"auditLog.list">,
): Promise<Output<"auditLog.list">> {
  return toCursorList(await listAuditLog(ctx.db, organizationId, readFilters(query), readCursor(query)), toEntry);
}

/** An entry may have 100 kB, so that a part stays below 10 MB. */
const entriesPerPart = 100;

export async function exportPart(
  ctx: Ctx,
  { organizationId }: MemberCaller,
  { query }: Input<"auditLog.export">,
): Promise<Output<"auditLog.export">> {
  const { format = "csv", after } = query;
  const request = readCursor({ after, limit: entriesPerPart });
  const { rows, next } = await listAuditLog(ctx.db, organizationId, readFilters(query), request);
  const entries = rows.map(toEntry);
  const lines = format === "json" ? entries.map((entry) => `${JSON.stringify(entry)}\n`) : entries.map(toCsvLine);
  const head = format === "csv" && after === undefined ? csvHead : "";
  return { format, text: head + lines.join(""), count: entries.length, next };
}

const columns: [name: string, value: (entry: AuditEntry) => string | null][] = [
  ["time", ({ createdAt }) => createdAt],
  ["actor", ({ actor }) => actor.name],
  ["actorType", ({ actor }) => actor.type],
  ["actorId", ({ actor }) => actor._id],
  ["operation", ({ operation }) => operation],
  ["action", ({ action }) => action],
  ["environment", ({ environmentName }) => environmentName],
  ["environmentId", ({ environmentId }) => environmentId],
  ["target", ({ target }) => target],
  ["targetName", ({ targetName }) => targetName],
  ["before", ({ before }) => before && JSON.stringify(before)],
  ["after", ({ after }) => after && JSON.stringify(after)],
  ["address", ({ address }) => address],
  ["userAgent", ({ userAgent }) => userAgent],
];

const csvHead = writeCsvRow(columns.map(([name]) => name));
const toCsvLine = (entry: AuditEntry): string => writeCsvRow(columns.map(([, value]) => value(entry) ?? ""));
