// API keys: `Authorization: ApiKey <key>`, found by their SHA-256 hash. Owners are cached; the database announces every
// change of a key but its last use (store/queue/listen.ts), which empties the cache. Wrong keys are rate-limited by
// client address. A valid key is never refused for wrong ones from the same address, which may be a proxy in front of
// all clients.
import { isIP } from "node:net";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { createBoundedCache } from "../../lib/bounded-cache.ts";
import { sha256 } from "../../lib/secrets.ts";
import { findKeyOwner, markKeyUsed } from "../../store/environments/environments.ts";

type Credentials = { header: string | undefined; address: string };

export async function authenticate(
  ctx: Ctx,
  wrongKeys: WrongKeyLimiter,
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
  if (cached) return recordUse(ctx, cached);
  const owner = await findKeyOwner(ctx.db, hash);
  if (!owner) {
    const seconds = wrongKeys.count(address);
    if (seconds === null) throw failure("API_KEY_NOT_FOUND", {});
    const message = "Too many wrong API keys came from this address";
    throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
  }
  ctx.keyOwners.set(cacheKey, owner);
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

/**
 * An IPv4 address, or the /64 network of an IPv6 address: one customer of a network has all addresses in it. A client
 * that has hung up no longer has an address, whatever the types of Node and Fastify say.
 */
export function networkOf(address: string | undefined): string {
  const bare = (address ?? "").split("%")[0]!;
  if (isIP(bare) !== 6) return bare;
  const groups = readGroups(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/**
 * The eight groups of an IPv6 address, of which `::` leaves out some. The last two may be written as an IPv4 address.
 */
function readGroups(address: string): number[] {
  const tail = address.slice(address.lastIndexOf(":") + 1);
  const [a = 0, b = 0, c = 0, d = 0] = isIP(tail) === 4 ? tail.split(".").map(Number) : [];
  const asGroups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const text = isIP(tail) === 4 ? address.slice(0, -tail.length) + asGroups : address;
  const [before = [], after = []] = text.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
