// Contexts, and how other requests name them: `context` in a body is a map from type to id, `contextKeys` in a query a
// list of `<type>:<id>`, which is also how records store them.
import type { Context, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { checkContext, type NamedContext } from "../../pipeline/trigger/contexts.ts";
import {
  type ContextRow,
  deleteContext,
  findContext,
  insertContext,
  listContexts,
  updateContext,
} from "../../store/subscribers/contexts.ts";
import { readCursor, toCursorList } from "../paging.ts";

/** The contexts that the `context` of a body names, or 422 under `context`. */
export function readContext(context: unknown): NamedContext[] {
  const { entries, faults } = checkContext(context);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return entries;
}

const keyPattern = /^[a-zA-Z0-9_-]{1,100}:[a-zA-Z0-9_-]{1,100}$/;

/**
 * The `contextKeys` of a query, sorted and without duplicates, as records store them. A record matches when it has
 * exactly these; a single empty value matches records without contexts. Undefined: no filter.
 */
export function readContextKeys(given: string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  if (given.length === 1 && given[0] === "") return [];
  const bad = given.find((key) => !keyPattern.test(key));
  if (bad !== undefined) {
    throw invalid({ contextKeys: { messages: ["contextKeys must have the form <type>:<id>"], value: bad } });
  }
  return [...new Set(given)].sort();
}

const toContext = (row: ContextRow): Context => ({
  type: row.type,
  id: row.id,
  data: row.data,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"contexts.create">,
): Promise<Output<"contexts.create">> {
  const { type, id, data = {} } = body;
  const row = await insertContext(ctx.db, caller.environmentId, { type, id, data }, ctx.now());
  if (!row) throw failure("CONTEXT_EXISTS", { type, id });
  return toContext(row);
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"contexts.list">,
): Promise<Output<"contexts.list">> {
  const { type, id, search, orderBy = "createdAt" } = query;
  const page = await listContexts(ctx.db, caller.environmentId, {
    filters: { type, id, search },
    orderBy,
    request: readCursor(query),
  });
  return toCursorList(page, toContext);
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params: { type, id } }: Input<"contexts.retrieve">,
): Promise<Output<"contexts.retrieve">> {
  const row = await findContext(ctx.db, caller.environmentId, type, id);
  if (!row) throw failure("CONTEXT_NOT_FOUND", { type, id });
  return toContext(row);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params: { type, id }, body }: Input<"contexts.update">,
): Promise<Output<"contexts.update">> {
  const row = await updateContext(ctx.db, caller.environmentId, { type, id, data: body.data, now: ctx.now() });
  if (!row) throw failure("CONTEXT_NOT_FOUND", { type, id });
  return toContext(row);
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params: { type, id } }: Input<"contexts.delete">,
): Promise<Output<"contexts.delete">> {
  if (!(await deleteContext(ctx.db, caller.environmentId, type, id))) throw failure("CONTEXT_NOT_FOUND", { type, id });
}
