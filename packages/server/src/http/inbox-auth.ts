// The token of an inbox session: `Authorization: Bearer <token>`. It ends with the API key under which it was issued, whose
// owner is cached as in auth.ts, and with its subscriber.
import type { Ctx, InboxCaller } from "../context.ts";
import { failure } from "../failure.ts";
import { readInboxToken } from "../lib/inbox-token.ts";
import { findOwnerOfKeyId } from "../store/environments/environments.ts";
import { findSubscribersByIds } from "../store/subscribers/subscribers.ts";
import type { WrongKeyLimiter } from "./auth.ts";

const scheme = /^bearer\s+(\S+)$/i;

export async function authenticateInbox(
  ctx: Ctx,
  wrongTokens: WrongKeyLimiter,
  { header, address }: { header: string | undefined; address: string },
): Promise<InboxCaller> {
  const token = scheme.exec(header?.trim() ?? "")?.[1];
  const caller = token === undefined ? null : await findInboxCaller(ctx, token);
  if (caller) return caller;
  const seconds = wrongTokens.count(address);
  if (seconds === null) throw failure("INBOX_TOKEN_INVALID", {});
  const message = "Too many wrong inbox tokens came from this address";
  throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
}

/** The owner of a token; null when the token, its API key or its subscriber is not valid any more. */
export async function findInboxCaller(ctx: Ctx, token: string): Promise<InboxCaller | null> {
  const session = readInboxToken(ctx.secrets, token, ctx.now());
  if (!session) return null;
  const { environmentId, keyId, contextKeys } = session;
  const cacheKey = `inbox ${environmentId} ${keyId}`;
  const owner = ctx.keyOwners.get(cacheKey) ?? (await findOwnerOfKeyId(ctx.db, environmentId, keyId));
  if (!owner) return null;
  ctx.keyOwners.set(cacheKey, owner);
  const [subscriber] = await findSubscribersByIds(ctx.db, environmentId, [session.subscriberId]);
  return subscriber ? { ...owner, subscriber, contextKeys } : null;
}
