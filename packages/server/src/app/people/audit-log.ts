// The audit log, read.
import type { AuditEntry, Input, Output } from "@tidings/contract";
import type { Ctx, PersonCaller } from "../../context.ts";
import { isUuid } from "../../lib/ids.ts";
import { type AuditRow, listAuditLog } from "../../store/people/audit-log.ts";
import { readCursor, toCursorList } from "../paging.ts";

function actorOf({ user_id, api_key_id, actor: name }: AuditRow): AuditEntry["actor"] {
  if (user_id !== null) return { type: "person", _id: user_id, name };
  return { type: api_key_id === null ? "machine" : "key", _id: api_key_id, name };
}

const toEntry = (row: AuditRow): AuditEntry => ({
  _id: row.id,
  createdAt: row.created_at.toISOString(),
  actor: actorOf(row),
  operation: row.operation,
  environmentId: row.environment_id,
  target: row.target,
  before: row.before,
  after: row.after,
  address: row.address,
  userAgent: row.user_agent,
});

const noId = "00000000-0000-0000-0000-000000000000";
/** An id of another form belongs to no entry. */
const idOrNone = (id: string | undefined) => (id === undefined || isUuid(id) ? id : noId);
const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

export async function list(
  ctx: Ctx,
  { organizationId }: PersonCaller,
  { query }: Input<"auditLog.list">,
): Promise<Output<"auditLog.list">> {
  const filters = {
    userId: idOrNone(query.person),
    operation: query.operation,
    environmentId: idOrNone(query.environment),
    from: timeOf(query.from),
    to: timeOf(query.to),
  };
  return toCursorList(await listAuditLog(ctx.db, organizationId, filters, readCursor(query)), toEntry);
}
