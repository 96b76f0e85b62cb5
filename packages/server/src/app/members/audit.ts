// Entries of the audit log: who changed what, before and after, from where. Secrets are masked twice: where the schemas
// of the contract mark them (`hide`), and by name, for what the schemas leave open
// (pipeline/effects/audited-fields.ts).
import { type JsonObject, secretPlacesOf } from "@tidings/contract";
import type { Ctx, Source } from "../../context.ts";
import { hideSecrets } from "../../lib/hidden-secrets.ts";
import { changedFields, type Hide } from "../../pipeline/effects/audited-fields.ts";
import { insertAuditEntry } from "../../store/members/audit-log.ts";

/** `machine`: a member before sign-in, or a command on the machine. */
export type Actor = { kind: "person" | "key" | "machine"; id: string | null; name: string };

export type Change = {
  organizationId: string;
  environmentId?: string;
  actor: Actor;
  operation: string;
  target?: string | null;
  /** The name of the target, as members know it. */
  targetName?: string | null;
  /** The subscriber whom before and after are about: they go when the subscriber is deleted. */
  subscriberId?: string | null;
  before?: JsonObject | null;
  after?: JsonObject | null;
  /** Hides the secrets of before and after. */
  hide?: Hide;
  source: Pick<Source, "address" | "userAgent">;
};

/** For values of a schema: every secret that it marks is hidden, whoever reads the log. */
export const hideFor =
  (schema: object | undefined): Hide =>
  (value) =>
    // A field that responses leave out is kept here, behind a mask: the log shows that it has changed.
    hideSecrets(secretPlacesOf(schema), value, ({ shown }) => shown !== "removed") as JsonObject;

/** In the transaction of the change, so that neither exists without the other. */
export async function recordChange(ctx: Pick<Ctx, "db" | "now" | "newId">, change: Change): Promise<void> {
  const { organizationId, environmentId, actor, operation, target, source } = change;
  await insertAuditEntry(ctx.db, {
    id: ctx.newId(),
    organization_id: organizationId,
    environment_id: environmentId ?? null,
    created_at: ctx.now(),
    user_id: actor.kind === "person" ? actor.id : null,
    api_key_id: actor.kind === "key" ? actor.id : null,
    actor: actor.name,
    operation,
    target: target ?? null,
    target_name: change.targetName ?? null,
    subscriber_id: change.subscriberId ?? null,
    ...changedFields(change.before ?? null, change.after ?? null, change.hide),
    address: source.address,
    user_agent: source.userAgent?.slice(0, 500) ?? null,
  });
}
