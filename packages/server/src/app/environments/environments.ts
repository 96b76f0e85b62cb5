// Environments of the caller's organisation, and their API keys. Keys are shown for the caller's own environment only,
// so that a development key cannot read the production key.
import type { ApiKey, Environment, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { freeIdentifier, identifierFrom } from "../../lib/identifiers.ts";
import { slug } from "../../lib/ids.ts";
import { newApiKey } from "../../lib/secrets.ts";
import {
  type ApiKeyRow,
  allowRaisingPriority,
  type EnvironmentRow,
  findEnvironment,
  findEnvironmentIdentifiersLike,
  insertApiKey,
  insertEnvironment,
  listEnvironments,
  listLiveKeys,
  listTags as listTagNames,
  lockEnvironment,
  markEnvironmentDeleted,
  revokeApiKey as revokeKey,
  updateEnvironment,
} from "../../store/environments/environments.ts";
import { lockInstallation } from "../../store/installation/installation.ts";
import { addDefaultAlertRules } from "../alerts/default-rules.ts";
import { refuseDuplicate } from "../identifiers.ts";
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

async function ownKeys(ctx: Ctx, caller: Caller): Promise<NonNullable<Environment["apiKeys"]>> {
  const keys = await listLiveKeys(ctx.db, caller.environmentId);
  return keys.map((key) => toApiKey(key, ctx.secrets.decrypt(key.secret)));
}

type KeyFacts = Pick<ApiKeyRow, "id" | "user_id" | "created_at" | "last_used_at" | "may_raise_priority">;

const toApiKey = (row: KeyFacts, clear: string): ApiKey => ({
  _id: row.id,
  key: clear,
  _userId: row.user_id,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  mayRaisePriority: row.may_raise_priority,
});

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"environments.list">> {
  const rows = await listEnvironments(ctx.db, caller.organizationId);
  const keys = await ownKeys(ctx, caller);
  return rows.map((row) => toEnvironment(row, row.id === caller.environmentId ? keys : undefined));
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
  return toEnvironment(row, [toApiKey(key, clear)]);
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

/** The key in use, and the one that replaces it during a rotation. */
const maxLiveKeys = 2;

export async function createApiKey(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.createApiKey">,
): Promise<Output<"environments.createApiKey">> {
  const { environmentId } = params;
  const row = await requireOwn(ctx, caller, environmentId);
  await lockEnvironment(ctx.db, row.id);
  const live = await listLiveKeys(ctx.db, row.id);
  if (live.length >= maxLiveKeys) throw failure("API_KEY_LIMIT", { environmentId });
  const clear = newApiKey();
  const key = apiKeyRow(ctx, { environmentId: row.id, userId: caller.userId, clear });
  await insertApiKey(ctx.db, key);
  return toApiKey(key, clear);
}

export async function updateApiKey(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.updateApiKey">,
): Promise<Output<"environments.updateApiKey">> {
  const row = await requireOwn(ctx, caller, params.environmentId);
  await lockEnvironment(ctx.db, row.id);
  const key = (await listLiveKeys(ctx.db, row.id)).find(({ id }) => id === params.keyId);
  if (!key) throw failure("KEY_NOT_FOUND", { keyId: params.keyId });
  await allowRaisingPriority(ctx.db, row.id, key.id, body.mayRaisePriority);
  return toApiKey({ ...key, may_raise_priority: body.mayRaisePriority }, ctx.secrets.decrypt(key.secret));
}

export async function revokeApiKey(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.revokeApiKey">,
): Promise<undefined> {
  const row = await requireOwn(ctx, caller, params.environmentId);
  await lockEnvironment(ctx.db, row.id);
  const live = await listLiveKeys(ctx.db, row.id);
  if (!live.some((key) => key.id === params.keyId)) throw failure("KEY_NOT_FOUND", { keyId: params.keyId });
  if (live.length === 1) throw failure("LAST_API_KEY", {});
  await revokeKey(ctx.db, row.id, params.keyId, ctx.now());
}
