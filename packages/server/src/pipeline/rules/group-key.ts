// What tells the groups of a digest or a throttle apart: the value at a path of the payload, and the event's contexts.
import { canonicalJson, valueAt } from "../../lib/json.ts";
import { sha256 } from "../../lib/secrets.ts";

/** `path` with or without the prefix `payload.`; absent counts as one value. */
export function groupKeyOf(payload: Record<string, unknown>, path: unknown, contextKeys: string[] = []): string {
  const key = typeof path === "string" ? path.trim().replace(/^payload\./, "") : "";
  const value = key === "" ? null : (valueAt(payload, key) ?? null);
  // Hashed, because the key is indexed and a payload value can be larger than an index entry may be.
  return sha256(canonicalJson([value, contextKeys])).toString("base64url");
}
