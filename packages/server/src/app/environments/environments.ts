// Environments of the caller's organisation. Their API keys are in api-keys.ts. Keys are shown for the caller's own
// environment only, so that a development key cannot read the production key.
import type { Environment, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { freeIdentifier, identifierFrom } from "../../lib/identifiers.ts";
import { slug } from "../../lib/ids.ts";
import { newApiKey } from "../../lib/secrets.ts";
import { insertApiKey } from "../../store/environments/api-keys.ts";
import {
  type EnvironmentRow,
  findEnvironment,
  findEnvironmentIdentifiersLike,
  insertEnvironment,
  listEnvironments,
  listTags as listTagNames,
  markEnvironmentDeleted,
  updateEnvironment,
} from "../../store/environments/environments.ts";
import { lockInstallation } from "../../store/installation/installation.ts";
import { addDefaultAlertRules } from "../alerts/default-rules.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { isUnrestricted, listOwnKeys, toApiKey } from "./api-key-rights.ts";
import { addBuiltInIntegrations, apiKeyRow } from "./environment-setup.ts";
import { readLinkSchemes } from "./link-schemes.ts";
import { readPagesUrl } from "./pages-url.ts";

const toEnvironment = (row: EnvironmentRow, apiKeys?: Environment["apiKeys"]): Environment => ({
  _id: row.id,
  name: row.name,
  _organizationId: row.organization_id,
  identifier: row.identifier,
  type: row.type,
  slug: slug(row.name, "env", row.id),
  _parentId: row.parent_id ?? undefined,
  apiKeys,
  linkSchemes: row.link_schemes.length > 0 ? row.link_schemes : undefined,
  pagesUrl: row.pages_url ?? undefined,
  broadcastApproval: row.broadcast_approval || undefined,
});

export async function requireEnvironment(ctx: Ctx, caller: Caller, environmentId: string): Promise<EnvironmentRow> {
  const row = await findEnvironment(ctx.db, caller.organizationId, environmentId);
  if (!row) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId });
  return row;
}

/** The caller's own environment, by id or identifier; 403 for another one. */
export async function requireOwn(ctx: Ctx, caller: Caller, environmentId: string): Promise<EnvironmentRow> {
  const row = await requireEnvironment(ctx, caller, environmentId);
  if (row.id !== caller.environmentId) throw failure("FORBIDDEN", {});
  return row;
}

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"environments.list">> {
  const rows = await listEnvironments(ctx.db, caller.organizationId);
  const keys = await listOwnKeys(ctx, caller);
  const isOwn = (row: EnvironmentRow) => row.id === caller.environmentId;
  return rows.map((row) => (isOwn(row) ? { ...toEnvironment(row, keys), isCurrent: true } : toEnvironment(row)));
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"environments.create">,
): Promise<Output<"environments.create">> {
  const parent = body.parentId === undefined ? null : await requireEnvironment(ctx, caller, body.parentId);
  // The lock makes requests take turns, so that the limit holds.
  await lockInstallation(ctx.db);
  const limit = ctx.config.maxEnvironments;
  if ((await listEnvironments(ctx.db, caller.organizationId)).length >= limit)
    throw failure("ENVIRONMENT_LIMIT", { limit: String(limit) });
  const base = identifierFrom(body.name, "environment");
  const identifier = freeIdentifier(base, await findEnvironmentIdentifiersLike(ctx.db, caller.organizationId, base));
  const now = ctx.now();
  const row = await refuseTakenIdentifier(identifier, () =>
    insertEnvironment(ctx.db, {
      id: ctx.newId(),
      organization_id: caller.organizationId,
      parent_id: parent?.id ?? null,
      name: body.name,
      identifier,
      type: "dev",
      color: body.color,
      inbox_connected_at: null,
      test_clock: null,
      test_clock_target: null,
      link_schemes: readLinkSchemes(body.linkSchemes) ?? [],
      pages_url: readPagesUrl(body.pagesUrl),
      broadcast_approval: false,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    }),
  );
  await addBuiltInIntegrations(ctx, row.id, "dev");
  await addDefaultAlertRules(ctx, { id: row.id, type: "dev" });
  const clear = newApiKey();
  const key = apiKeyRow(ctx, { environmentId: row.id, userId: caller.userId, clear });
  await insertApiKey(ctx.db, key);
  // The new key may do everything, so only owners and keys that may as well see it.
  return toEnvironment(row, isUnrestricted(caller) ? [toApiKey(key, clear)] : undefined);
}

const refuseTakenIdentifier = <T>(identifier: string, write: () => Promise<T>): Promise<T> =>
  refuseDuplicate(write, failure("ENVIRONMENT_IDENTIFIER_TAKEN", { identifier }), "environments_identifier");

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.update">,
): Promise<Output<"environments.update">> {
  const row = await requireOwn(ctx, caller, params.environmentId);
  const parent = body.parentId === undefined ? undefined : await requireEnvironment(ctx, caller, body.parentId);
  if (parent && (await ancestorsOf(ctx, caller, parent)).has(row.id)) {
    throw invalid({ parentId: { messages: ["parentId must not lie below the environment"], value: body.parentId } });
  }
  const next: EnvironmentRow = {
    ...row,
    name: body.name ?? row.name,
    identifier: body.identifier ?? row.identifier,
    parent_id: parent?.id ?? row.parent_id,
    color: body.color ?? row.color,
    link_schemes: readLinkSchemes(body.linkSchemes) ?? row.link_schemes,
    pages_url: body.pagesUrl === undefined ? row.pages_url : readPagesUrl(body.pagesUrl),
    broadcast_approval: body.broadcastApproval ?? row.broadcast_approval,
    updated_at: ctx.now(),
  };
  const saved = await refuseTakenIdentifier(next.identifier, () => updateEnvironment(ctx.db, next));
  return toEnvironment(saved);
}

/** The ids of the environment and of all its ancestors. */
async function ancestorsOf(ctx: Ctx, caller: Caller, start: EnvironmentRow): Promise<Set<string>> {
  const rows = await listEnvironments(ctx.db, caller.organizationId);
  const parents = new Map(rows.map((row) => [row.id, row.parent_id]));
  const found = new Set<string>();
  for (let at: string | null = start.id; at && !found.has(at); at = parents.get(at) ?? null) found.add(at);
  return found;
}

export async function remove(ctx: Ctx, caller: Caller, { params }: Input<"environments.delete">): Promise<undefined> {
  const { environmentId } = params;
  const row = await requireOwn(ctx, caller, environmentId);
  if (row.type === "prod") throw failure("ENVIRONMENT_PROTECTED", { environmentId });
  await markEnvironmentDeleted(ctx.db, row.id, caller.userId, ctx.now());
}

export async function listTags(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.listTags">,
): Promise<Output<"environments.listTags">> {
  const row = await requireOwn(ctx, caller, params.environmentId);
  return (await listTagNames(ctx.db, row.id)).map((name) => ({ name }));
}
