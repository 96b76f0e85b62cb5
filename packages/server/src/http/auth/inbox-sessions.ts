// The token of an inbox session: `Authorization: Bearer <token>`. It ends with the API key under which it was issued,
// whose owner is cached as in api-keys.ts, and with its subscriber.

import { mayOpenInboxes } from "../../app/inbox/signing-keys.ts";
import type { Caller, Ctx, InboxCaller } from "../../context.ts";
import { failure } from "../../failure.ts";
import { type InboxSession, readInboxToken } from "../../lib/tokens/inbox-token.ts";
import { findOwnerOfKeyId } from "../../store/environments/api-keys.ts";
import { findSubscribersByIds } from "../../store/subscribers/subscribers.ts";
import type { WrongKeyLimiter } from "./api-keys.ts";

const scheme = /^bearer\s+(\S+)$/i;

export async function authenticateInbox(
  ctx: Ctx,
  wrongTokens: WrongKeyLimiter,
  { header, address }: { header: string | undefined; address: string },
): Promise<InboxCaller> {
  const token = bearerOf(header);
  const caller = token === undefined ? null : await findInboxCaller(ctx, token);
  if (caller) return caller;
  const seconds = wrongTokens.count(address);
  if (seconds === null) throw failure("INBOX_TOKEN_INVALID", {});
  const message = "Too many wrong inbox tokens came from this address";
  throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
}

/**
 * The owner of the API key of a session; null when the key was revoked, has expired or may no longer open inboxes, or
 * its environment was deleted.
 */
export async function findSessionOwner(ctx: Ctx, { environmentId, keyId }: InboxSession): Promise<Caller | null> {
  const cacheKey = `inbox ${environmentId} ${keyId}`;
  const cached = ctx.keyOwners.get(cacheKey);
  const owner = cached ?? (await findOwnerOfKeyId(ctx.db, environmentId, keyId));
  if (!owner) return null;
  // Only what was read: an entry that is set again lives on, and a session that is in use must not outlive its key.
  if (!cached) ctx.keyOwners.set(cacheKey, owner);
  return owner.key && !mayOpenInboxes(ctx, owner.key) ? null : owner;
}

/** When a live connection of the session ends, as its key is now; null when it has ended. */
export async function findSessionEnd(ctx: Ctx, session: InboxSession): Promise<Date | null> {
  const caller = await findSessionOwner(ctx, session);
  return caller && endOf(session, caller);
}

const endOf = ({ expiresAt }: InboxSession, { key }: Caller): Date =>
  key?.expiresAt && key.expiresAt < expiresAt ? key.expiresAt : expiresAt;

/** The owner of a token; null when the token, its API key or its subscriber is no longer valid. */
async function findInboxCaller(ctx: Ctx, token: string): Promise<InboxCaller | null> {
  const session = readInboxToken(ctx.secrets, token, ctx.now());
  const owner = session && (await findSessionOwner(ctx, session));
  if (!owner) return null;
  const [subscriber] = await findSubscribersByIds(ctx.db, session.environmentId, [session.subscriberId]);
  return subscriber ? { ...owner, subscriber, contextKeys: session.contextKeys } : null;
}

/** The session of a live connection, with the owner of its API key, which it ends with. Fails when it is not valid. */
export async function requireInboxSession(
  ctx: Ctx,
  token: string | undefined,
): Promise<InboxSession & { caller: Caller }> {
  if (!token) throw failure("MISSING_AUTHORIZATION", {});
  const session = readInboxToken(ctx.secrets, token, ctx.now());
  const caller = session && (await findSessionOwner(ctx, session));
  if (!caller) throw failure("INBOX_TOKEN_INVALID", {});
  return { ...session, expiresAt: endOf(session, caller), caller };
}

/**
 * Fails when the subscriber of a session was deleted. It reads once, so it is called after the connection got its turn.
 */
export async function requireSubscriber(ctx: Ctx, { environmentId, subscriberId }: InboxSession): Promise<void> {
  const [subscriber] = await findSubscribersByIds(ctx.db, environmentId, [subscriberId]);
  if (!subscriber) throw failure("INBOX_TOKEN_INVALID", {});
}

/** The token of `Authorization: Bearer <token>`. */
export const bearerOf = (header: string | undefined): string | undefined => scheme.exec(header?.trim() ?? "")?.[1];
