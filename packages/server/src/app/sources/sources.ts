// The sources of an environment: databases whose transactions trigger events by SQL. How they are emptied is
// pipeline/sources/; which roles use the local one is decided by `tidings grant-sql` (store/sources/grants.ts).
import { countedOutboxRows, type Input, type Output, type Source, sourcesPerEnvironment } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { readAddress } from "../../store/sources/connection.ts";
import { listGrants } from "../../store/sources/grants.ts";
import { localOutbox, measureOutbox } from "../../store/sources/outbox.ts";
import {
  deleteSource,
  findSource,
  insertSource,
  listSources,
  recordSourceNews,
  type SourceRow,
  updateSource,
} from "../../store/sources/sources.ts";
import { type CheckedOutbox, checkOutbox } from "./source-check.ts";

const defaultSchema = "tidings";

function stateOf({ paused, failing_since, last_accepted_at, refused }: SourceRow): Source["state"] {
  if (paused) return "paused";
  if (failing_since) return "failing";
  return last_accepted_at || refused > 0 ? "healthy" : "idle";
}

function toSource(ctx: Ctx, row: SourceRow, roles: string[]): Source {
  const address = row.connection === null ? null : readAddress(ctx.secrets.decrypt(row.connection));
  // The clocks of two databases may differ.
  const lagMs = row.oldest_at ? Math.max(0, ctx.now().getTime() - row.oldest_at.getTime()) : 0;
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    ...address,
    schema: row.outbox_schema,
    ...(row.kind === "local" && { roles }),
    paused: row.paused,
    state: stateOf(row),
    accepted: row.accepted,
    refused: row.refused,
    lastAcceptedAt: row.last_accepted_at?.toISOString(),
    waiting: row.waiting,
    lagSeconds: Math.round(lagMs / 100) / 10,
    measuredAt: row.measured_at?.toISOString(),
    failingSince: row.failing_since?.toISOString(),
    lastError: row.last_error ?? undefined,
    lastErrorAt: row.last_error_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

async function view(ctx: Ctx, caller: Caller, rows: SourceRow[]): Promise<Source[]> {
  const grants = rows.some(({ kind }) => kind === "local") ? await listGrants(ctx.db, caller.environmentId) : [];
  return rows.map((row) =>
    toSource(
      ctx,
      row,
      grants.map((grant) => grant.role_name),
    ),
  );
}

async function requireSource(ctx: Ctx, caller: Caller, sourceId: string, options: { lock?: boolean } = {}) {
  const row = await findSource(ctx.db, caller.environmentId, sourceId, options);
  if (!row) throw failure("SOURCE_NOT_FOUND", { sourceId });
  return row;
}

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"sources.list">> {
  return view(ctx, caller, await listSources(ctx.db, caller.environmentId));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"sources.retrieve">,
): Promise<Output<"sources.retrieve">> {
  return (await view(ctx, caller, [await requireSource(ctx, caller, params.sourceId)]))[0]!;
}

/** 422 when its database cannot be reached, or its outbox cannot be emptied. */
async function checkAddress(ctx: NetworkCtx, url: string, schema: string): Promise<void> {
  const { problems } = await checkOutbox(ctx, url, schema);
  if (problems.length > 0) throw invalid({ url: { messages: problems } });
}

export const checkNew = (ctx: NetworkCtx, _caller: Caller, { body }: Input<"sources.create">): Promise<void> =>
  checkAddress(ctx, body.url, body.schema ?? defaultSchema);

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"sources.create">,
): Promise<Output<"sources.create">> {
  await lockEnvironment(ctx.db, caller.environmentId);
  const others = await listSources(ctx.db, caller.environmentId);
  if (others.length >= sourcesPerEnvironment) throw failure("SOURCE_LIMIT", { limit: String(sourcesPerEnvironment) });
  const now = ctx.now();
  const row = await insertSource(ctx.db, {
    environment_id: caller.environmentId,
    id: ctx.newId(),
    kind: "postgres",
    name: body.name.trim(),
    connection: ctx.secrets.encrypt(body.url),
    outbox_schema: body.schema ?? defaultSchema,
    paused: body.paused ?? false,
    accepted: 0,
    refused: 0,
    last_accepted_at: null,
    waiting: 0,
    oldest_at: null,
    measured_at: null,
    failing_since: null,
    last_error: null,
    last_error_at: null,
    created_at: now,
    updated_at: now,
  });
  return (await view(ctx, caller, [row]))[0]!;
}

export async function checkChange(
  ctx: NetworkCtx,
  caller: Caller,
  { params, body }: Input<"sources.update">,
): Promise<void> {
  const row = await requireSource(ctx, caller, params.sourceId);
  if (body.url === undefined && body.schema === undefined) return;
  if (row.connection === null) throw failure("SOURCE_LOCAL", { name: row.name });
  await checkAddress(ctx, body.url ?? ctx.secrets.decrypt(row.connection), body.schema ?? row.outbox_schema);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"sources.update">,
): Promise<Output<"sources.update">> {
  const row = await requireSource(ctx, caller, params.sourceId, { lock: true });
  const isMoved = body.url !== undefined || body.schema !== undefined;
  const saved = await updateSource(ctx.db, caller.environmentId, row.id, {
    name: body.name?.trim() ?? row.name,
    connection: body.url === undefined ? row.connection : ctx.secrets.encrypt(body.url),
    outbox_schema: body.schema ?? row.outbox_schema,
    paused: body.paused ?? row.paused,
    ...(isMoved && { failing_since: null, last_error: null, last_error_at: null }),
    updated_at: ctx.now(),
  });
  return (await view(ctx, caller, [saved]))[0]!;
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"sources.delete">,
): Promise<Output<"sources.delete">> {
  const row = await requireSource(ctx, caller, params.sourceId, { lock: true });
  if (row.connection === null) throw failure("SOURCE_LOCAL", { name: row.name });
  await deleteSource(ctx.db, caller.environmentId, row.id);
}

/** Between transactions: it connects to another database. */
export async function callDatabase(
  ctx: NetworkCtx,
  caller: Caller,
  { params }: Input<"sources.check">,
): Promise<CheckedOutbox> {
  const row = await requireSource(ctx, caller, params.sourceId);
  if (row.connection === null) {
    const measured = await measureOutbox(ctx.db, localOutbox(caller.environmentId), countedOutboxRows);
    return { isReady: true, problems: [], ...measured };
  }
  return checkOutbox(ctx, ctx.secrets.decrypt(row.connection), row.outbox_schema);
}

/** What was measured is stored for a source that is paused; otherwise a worker does so, and knows better. */
export async function check(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"sources.check">,
  { oldestAt = null, ...found }: CheckedOutbox,
): Promise<Output<"sources.check">> {
  const { waiting } = found;
  // Locked: it is not resumed before this is stored.
  const row = await requireSource(ctx, caller, params.sourceId, { lock: true });
  if (row.paused && waiting !== undefined)
    await recordSourceNews(ctx.db, row, { accepted: 0, refused: 0, measured: { waiting, oldestAt } }, ctx.now());
  return found;
}
