// API keys: `Authorization: ApiKey <key>`, found by their SHA-256 hash. Owners are cached; the database announces every
// change of a key (store/queue/listen.ts), and the cache forgets all it knows.
import type { Caller, Ctx } from "../context.ts";
import { failure } from "../failure.ts";
import { sha256 } from "../lib/secrets.ts";
import { findKeyOwner } from "../store/environments/environments.ts";
import type { WrongKeys } from "./wrong-keys.ts";

type Given = { header: string | undefined; address: string };

export async function authenticate(ctx: Ctx, wrongKeys: WrongKeys, { header, address }: Given): Promise<Caller> {
  if (!header) throw failure("MISSING_AUTHORIZATION", {});
  // Trimming and a search for one character: the time grows with the header only.
  const text = header.trim();
  const gap = text.search(/\s/);
  const [scheme, key] = gap < 0 ? [text, ""] : [text.slice(0, gap), text.slice(gap).trim()];
  if (scheme.toLowerCase() !== "apikey") throw failure("INVALID_AUTH_SCHEME", { scheme: scheme.slice(0, 50) });
  if (key === "") throw failure("UNAUTHORIZED", {});
  const hash = sha256(key);
  const cacheKey = hash.toString("base64");
  const cached = ctx.keyOwners.get(cacheKey);
  if (cached) return cached;
  const owner = await findKeyOwner(ctx.db, hash);
  if (!owner) {
    const seconds = wrongKeys.count(address);
    if (seconds === null) throw failure("API_KEY_NOT_FOUND", {});
    const message = "Too many wrong API keys came from this address";
    throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
  }
  ctx.keyOwners.set(cacheKey, owner);
  return owner;
}
