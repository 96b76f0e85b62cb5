// Entries of the audit log: who changed what, before and after, from where. Only fields that changed are kept, secrets
// are masked, and long values are cut, so that an entry stays below 100 kB. Secrets are masked twice: where the schemas
// of the contract mark them (`hide`), and by name, for what the schemas leave open.
import { isJsonObject, type JsonObject, secretPlacesOf } from "@tidings/contract";
import type { Ctx, Source } from "../../context.ts";
import { hideSecrets } from "../../lib/hidden-secrets.ts";
import { mask } from "../../lib/secrets.ts";
import { maskPassthroughs } from "../../pipeline/rules/overrides.ts";
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

export type Hide = (state: JsonObject) => JsonObject;

/** For values of a schema: every secret that it marks is hidden, whoever reads the log. */
export const hideFor =
  (schema: object | undefined): Hide =>
  (value) =>
    // A field that responses leave out is kept here, behind a mask: the log shows that it has changed.
    hideSecrets(secretPlacesOf(schema), value, ({ shown }) => shown !== "removed") as JsonObject;

export const maxFieldLength = 2_000;
const maxFields = 20;
const maxDepth = 8;

/**
 * Fields whose values are secrets wherever they are, and objects of which every value is one. `-` and `_` in names do
 * not count.
 */
const secretFields =
  /^(password|currentpassword|passwordhash|token|accesstoken|refreshtoken|devicetokens?|secret|secretkey|clientsecret|(x?api|access|private|signing|inboundwebhooksigning)keys?|link|credentials?|(proxy)?authorization|auth|xauthtoken|(set)?cookie|(direct)?webhookurl|serviceaccount)$/i;

const isSecretField = (name: string): boolean => secretFields.test(name.replaceAll(/[-_]/g, ""));

/** Fields that change with every request and say nothing. */
const silentFields = new Set(["updatedAt", "lastOnlineAt", "lastSignInAt", "health"]);

const maskAll = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [mask];
  if (isJsonObject(value)) return Object.fromEntries(Object.keys(value).map((name) => [name, mask]));
  return value === null || value === undefined ? value : mask;
};

function maskSecrets(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) return "…";
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => maskSecrets(item, depth + 1));
  // The prefixes of API keys and of the secrets of webhooks.
  if (typeof value === "string") return /^(tdg|whsec)_/.test(value) ? mask : value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(maskPassthroughs(value)).map(([name, member]) => [
      name,
      isSecretField(name) ? maskAll(member) : maskSecrets(member, depth + 1),
    ]),
  );
}

function cut(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  // The cut may fall between the two halves of a character, and the database refuses half of one.
  return text.length <= maxFieldLength ? value : `${text.slice(0, maxFieldLength).toWellFormed()}…`;
}

/** The fields in which two states differ. A secret that changed shows as changed, behind the same mask. */
export function changedFields(before: JsonObject | null, after: JsonObject | null, hide: Hide = (state) => state) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names
    .filter((name) => !silentFields.has(name))
    .filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]))
    .slice(0, maxFields);
  const pick = (state: JsonObject | null): JsonObject | null => {
    if (!state) return null;
    const kept = changed.filter((name) => state[name] !== undefined);
    const masked = maskSecrets(hide(Object.fromEntries(kept.map((name) => [name, state[name]])))) as JsonObject;
    return Object.fromEntries(Object.entries(masked).map(([name, value]) => [name, cut(value)]));
  };
  return { before: pick(before), after: pick(after) };
}

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
