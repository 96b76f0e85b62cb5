// The contexts that a preview is about: what templates read of them, and the brand that one of them overrides.
import type { BrandIn, ContextMap } from "@tidings/contract";
import type { Ctx } from "../../../context.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { contextKeysOf } from "../../../pipeline/trigger/contexts.ts";
import { findContextsByKeys } from "../../../store/subscribers/contexts.ts";
import { readContext } from "../../subscribers/contexts.ts";

type PreviewContexts = { contextData: JsonObject; override: BrandIn | null };

/** Nothing is created: a context that does not exist has the data of the request. */
export async function findPreviewContexts(
  ctx: Ctx,
  environmentId: string,
  given: ContextMap | undefined,
): Promise<PreviewContexts> {
  const named = readContext(given);
  if (named.length === 0) return { contextData: {}, override: null };
  const keys = contextKeysOf(named);
  const rows = new Map(
    (await findContextsByKeys(ctx.db, environmentId, keys)).map((row) => [`${row.type}:${row.id}`, row]),
  );
  const branded = keys.find((key) => rows.get(key)?.brand);
  return {
    contextData: Object.fromEntries(
      named.map(({ type, id, data = {} }) => [type, { id, data: rows.get(`${type}:${id}`)?.data ?? data }]),
    ),
    override: branded === undefined ? null : rows.get(branded)!.brand,
  };
}
