// API keys: `Authorization: ApiKey <key>`, found by their SHA-256 hash. Owners are cached; the database announces every
// change of a key but its last use (store/queue/listen.ts), which empties the cache. Wrong keys are rate-limited by
// client address. A valid key is never refused for wrong ones from the same address, which may be a proxy in front of
// all clients.
import type { Operation } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { createBoundedCache } from "../../lib/bounded-cache.ts";
import { networkOf } from "../../lib/networks/addresses.ts";
import { sha256 } from "../../lib/secrets.ts";
import { findKeyOwner, markKeyUsed } from "../../store/environments/api-keys.ts";
import { refuseKey } from "./key-rights.ts";

type Credentials = { header: string | undefined; address: string };

/**
 * The owner of the key, which may be used for the operation, now and from this address. `operation`: null for a request
 * that calls operations in its turn, each of which authenticates the key.
 */
export async function authenticate(
  ctx: Ctx,
  wrongKeys: WrongKeyLimiter,
  operation: Operation | null,
  { header, address }: Credentials,
): Promise<Caller> {
  if (!header) throw failure("MISSING_AUTHORIZATION", {});
  // Trimming and a search for one character: the time is linear in the length of the header.
  const text = header.trim();
  const gap = text.search(/\s/);
  const [scheme, key] = gap < 0 ? [text, ""] : [text.slice(0, gap), text.slice(gap).trim()];
  if (scheme.toLowerCase() !== "apikey") throw failure("INVALID_AUTH_SCHEME", { scheme: scheme.slice(0, 50) });
  if (key === "") throw failure("UNAUTHORIZED", {});
  const hash = sha256(key);
  const cacheKey = hash.toString("base64");
  const cached = ctx.keyOwners.get(cacheKey);
  if (cached) return admit(ctx, cached, operation, address);
  const owner = await findKeyOwner(ctx.db, hash);
  if (!owner) {
    const seconds = wrongKeys.count(address);
    if (seconds === null) throw failure("API_KEY_NOT_FOUND", {});
    const message = "Too many wrong API keys came from this address";
    throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
  }
  ctx.keyOwners.set(cacheKey, owner);
  return admit(ctx, owner, operation, address);
}

/** The rights are checked for every request: the cache holds what they are, never that a request was allowed. */
function admit(ctx: Ctx, owner: Caller, operation: Operation | null, address: string): Caller {
  refuseKey(ctx, owner, operation, address);
  return recordUse(ctx, owner);
}

/** How exact the last use of a key is: each process writes it at most so often. */
export const keyUseMs = 60_000;

/** Outside of the request's transaction, and the request does not wait for it. */
function recordUse(ctx: Ctx, owner: Caller): Caller {
  const { apiKeyId, environmentId } = owner;
  if (ctx.keyUses.has(apiKeyId)) return owner;
  ctx.keyUses.set(apiKeyId, true);
  const now = ctx.now();
  const before = new Date(now.getTime() - keyUseMs);
  markKeyUsed(ctx.db, environmentId, apiKeyId, { now, before }).catch((error: unknown) =>
    ctx.log.warn({ err: error, apiKeyId }, "the last use of an API key could not be recorded"),
  );
  return owner;
}

const windowMs = 10_000;

type Window = { since: number; count: number };

export type WrongKeyLimiter = {
  /** Counts a wrong key. Returns null below the limit, otherwise the seconds until the address may try again. */
  count(address: string): number | null;
};

export function createWrongKeyLimiter(limit: number, now: () => number): WrongKeyLimiter {
  // Beyond this many addresses, the least recently seen one is forgotten.
  const windows = createBoundedCache<Window>(10_000);
  return {
    count(address) {
      if (limit === 0) return null;
      const key = networkOf(address);
      const before = windows.get(key);
      const window = before && now() - before.since < windowMs ? before : { since: now(), count: 0 };
      window.count++;
      windows.set(key, window);
      if (window.count <= limit) return null;
      return Math.max(1, Math.ceil((window.since + windowMs - now()) / 1000));
    },
  };
}
