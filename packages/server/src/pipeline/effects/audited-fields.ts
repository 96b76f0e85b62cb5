// What an entry of the audit log keeps of a change. Only fields that changed are kept, secrets are masked by their
// names, and long values are cut, so that an entry stays below 100 kB. Pure.
import { isJsonObject, type JsonObject } from "@tidings/contract";
import { mask } from "../../lib/secrets.ts";
import { maskPassthroughs } from "../rules/overrides.ts";

export type Hide = (state: JsonObject) => JsonObject;

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

/** A copy with secrets masked by their names, at any depth. */
export function maskSecrets(value: unknown, depth = 0): unknown {
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
