// Environments of the caller's organisation. Keys are shown for the caller's own environment only: a development key
// must not hand out the production key.
import type { Output } from "@tidings/contract";
import type { Caller, Ctx } from "../context.ts";
import { slug } from "../lib/ids.ts";
import { listEnvironments, listLiveKeys } from "../store/environments.ts";

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"environments.list">> {
  const rows = await listEnvironments(ctx.db, caller.organizationId);
  const keys = await listLiveKeys(ctx.db, caller.environmentId);
  return rows.map((row) => ({
    _id: row.id,
    name: row.name,
    _organizationId: row.organization_id,
    identifier: row.identifier,
    type: row.type,
    slug: slug(row.name, "env", row.id),
    _parentId: row.parent_id ?? undefined,
    apiKeys:
      row.id === caller.environmentId
        ? keys.map((key) => ({ key: ctx.secrets.decrypt(key.secret), _userId: key.user_id }))
        : undefined,
  }));
}
