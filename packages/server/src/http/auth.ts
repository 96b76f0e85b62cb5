// API keys: `Authorization: ApiKey <key>`, found by their SHA-256 hash. Owners are cached for a few seconds at most:
// a revoked key stops everywhere within that time, and at once in the process that revoked it.
import { LRUCache } from "lru-cache";
import type { Caller, Ctx } from "../context.ts";
import { failure } from "../failure.ts";
import { sha256 } from "../lib/secrets.ts";
import { findKeyOwner } from "../store/environments.ts";

const cacheMs = 5_000;

export type Authenticator = {
  authenticate(header: string | undefined): Promise<Caller>;
  /** Forgets every cached key. */
  invalidate(): void;
};

export function createAuthenticator(ctx: Ctx): Authenticator {
  const owners = new LRUCache<string, Caller>({ max: 10_000, ttl: cacheMs });
  return {
    async authenticate(header) {
      if (!header) throw failure("MISSING_AUTHORIZATION", {});
      const [, scheme = "", key = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(header) ?? [];
      if (scheme.toLowerCase() !== "apikey") throw failure("INVALID_AUTH_SCHEME", { scheme: scheme.slice(0, 50) });
      if (key === "") throw failure("UNAUTHORIZED", {});
      const hash = sha256(key);
      const cacheKey = hash.toString("base64");
      const cached = owners.get(cacheKey);
      if (cached) return cached;
      const owner = await findKeyOwner(ctx.db, hash);
      if (!owner) throw failure("API_KEY_NOT_FOUND", {});
      owners.set(cacheKey, owner);
      return owner;
    },
    invalidate: () => owners.clear(),
  };
}
