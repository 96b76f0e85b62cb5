// Sessions of an inbox. The customer's server vouches for the subscriber with a hash under an API key of the
// environment; the session's token names that key and ends with it. Without a hash, a session is possible only where
// settings allow it.
import { type Input, type Output, severities } from "@tidings/contract";
import type { Caller, Ctx, Visitor } from "../../context.ts";
import { failure } from "../../failure.ts";
import { resolveBrand } from "../../lib/brand/brand.ts";
import { inboxTheme } from "../../lib/brand/inbox-theme.ts";
import { isHashOf } from "../../lib/inbox-hash.ts";
import { isOriginAllowed } from "../../lib/inbox-origins.ts";
import { canonicalJson } from "../../lib/json.ts";
import { signInboxToken } from "../../lib/tokens/inbox-token.ts";
import { contextKeysOf, type NamedContext } from "../../pipeline/trigger/contexts.ts";
import { listLiveKeys, rightsOf } from "../../store/environments/api-keys.ts";
import { findContextBrand } from "../../store/environments/brand.ts";
import { type EnvironmentRow, findPublicEnvironment } from "../../store/environments/environments.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { findSubscriber, type SubscriberRow, upsertSubscribers } from "../../store/subscribers/subscribers.ts";
import { unseal } from "../integrations/credentials.ts";
import { recordInboxConnected } from "../messages/feed.ts";
import { readContext } from "../subscribers/contexts.ts";
import { readSchedule, saveChoices } from "../subscribers/preferences.ts";
import { readProfile, requireSubscriber } from "../subscribers/subscribers.ts";
import { countFilters } from "./inbox-messages.ts";
import { mayOpenInboxes } from "./signing-keys.ts";

/** Existing clients never renew a token. */
const sessionMs = 7 * 86_400_000;
/** Clients that can get a new token from the customer's server. */
const tokenMs = 15 * 60_000;

type SessionIn = Input<"inbox.openSession">["body"];

export async function openSession(
  ctx: Ctx,
  { origin }: Visitor,
  { body }: Input<"inbox.openSession">,
): Promise<Output<"inbox.openSession">> {
  const contexts = readContext(body.context);
  const environment = await findPublicEnvironment(ctx.db, body.applicationIdentifier);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: body.applicationIdentifier });
  if (!isOriginAllowed(ctx.config.inbox.origins, environment, origin)) {
    throw failure("ORIGIN_NOT_ALLOWED", { origin: origin!.slice(0, 200) });
  }
  const { caller, isSigned } = await checkHashes(ctx, environment, body);
  const isWritable = isSigned || environment.type === "dev";
  const subscriber = isWritable
    ? await saveSubscriber(ctx, caller, body, contexts)
    : await requireSubscriber(ctx, caller, body.subscriber.subscriberId);
  await recordInboxConnected(ctx, caller.environmentId);
  const contextKeys = body.context === undefined ? undefined : contextKeysOf(contexts);
  const unread = { read: false };
  const [total = 0, ...counts] = await countFilters(ctx, { caller, subscriber, contextKeys }, [
    unread,
    ...severities.map((severity) => ({ ...unread, severities: [severity] })),
  ]);
  const [high = 0, medium = 0, low = 0, none = 0] = counts;
  const { token } = signToken(ctx, caller, subscriber, contextKeys, { lifetimeMs: sessionMs, isAnonymous: !isSigned });
  return {
    data: {
      token,
      totalUnreadCount: total,
      unreadCount: { total, severity: { high, medium, low, none } },
      removeNovuBranding: true,
      isDevelopmentMode: environment.type === "dev",
      maxSnoozeDurationHours: ctx.config.maxSnoozeDays * 24,
      applicationIdentifier: environment.identifier,
      contextKeys: contextKeys ?? [],
      theme: await findTheme(ctx, environment, contextKeys ?? []),
    },
  };
}

/** Undefined without a brand: the widget keeps its own colours. */
async function findTheme(
  ctx: Ctx,
  { id, brand }: EnvironmentRow,
  contextKeys: string[],
): Promise<Record<string, string> | undefined> {
  const override = await findContextBrand(ctx.db, id, contextKeys);
  return brand || override ? inboxTheme(resolveBrand(brand, override)) : undefined;
}

export async function createToken(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"inbox.createToken">,
): Promise<Output<"inbox.createToken">> {
  const contexts = readContext(body.context);
  const subscriber = await requireSubscriber(ctx, caller, body.subscriberId);
  await resolveContexts(ctx.db, caller.environmentId, contexts, ctx.now());
  const contextKeys = body.context === undefined ? undefined : contextKeysOf(contexts);
  const { token, expiresAt } = signToken(ctx, caller, subscriber, contextKeys, {
    lifetimeMs: tokenMs,
    isAnonymous: false,
  });
  return { token, expiresAt: expiresAt.toISOString() };
}

function signToken(
  ctx: Ctx,
  { environmentId, apiKeyId: keyId }: Caller,
  subscriber: SubscriberRow,
  contextKeys: string[] | undefined,
  { lifetimeMs, isAnonymous }: { lifetimeMs: number; isAnonymous: boolean },
) {
  const expiresAt = new Date(Math.floor((ctx.now().getTime() + lifetimeMs) / 1000) * 1000);
  const session = { environmentId, subscriberId: subscriber.id, keyId, expiresAt };
  // No context is the same as no restriction.
  const scope = contextKeys?.length ? { contextKeys } : {};
  const mark = isAnonymous ? ({ isAnonymous } as const) : {};
  return { token: signInboxToken(ctx.secrets, { ...session, ...scope, ...mark }), expiresAt };
}

/** The hashes that are given have to be right, and those that are required have to be given. */
async function checkHashes(
  ctx: Ctx,
  environment: EnvironmentRow,
  { subscriber, subscriberHash, context, contextHash }: SessionIn,
): Promise<{ caller: Caller; isSigned: boolean }> {
  const keys = (await listLiveKeys(ctx.db, environment.id)).filter((key) => mayOpenInboxes(ctx, rightsOf(key)));
  const isRequired = await isHashRequired(ctx, environment);
  const findKey = (field: "subscriberHash" | "contextHash", text: string, hash: string | undefined) => {
    const key = hash && keys.find(({ secret }) => isHashOf(text, ctx.secrets.decrypt(secret), hash));
    if (hash && !key) throw failure("INBOX_HASH_WRONG", { field });
    if (!hash && isRequired) throw failure("INBOX_HASH_MISSING", { field });
    return key || undefined;
  };
  const signing = findKey("subscriberHash", subscriber.subscriberId.trim(), subscriberHash);
  if (context !== undefined) findKey("contextHash", canonicalJson(context), contextHash);
  // Without a hash, the session depends on the newest key: during a rotation, the older one is revoked.
  const key = signing ?? keys.at(-1);
  if (!key) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: environment.identifier });
  const caller: Caller = {
    environmentId: environment.id,
    organizationId: environment.organization_id,
    environmentType: environment.type,
    environmentIdentifier: environment.identifier,
    userId: key.user_id,
    apiKeyId: key.id,
  };
  return { caller, isSigned: signing !== undefined };
}

/** The in-app integration can require the hash wherever the setting does not. */
async function isHashRequired(ctx: Ctx, environment: EnvironmentRow): Promise<boolean> {
  const { requireHash } = ctx.config.inbox;
  if (requireHash === "always" || (requireHash === "prod" && environment.type === "prod")) return true;
  const integrations = await listIntegrations(ctx.db, environment.id);
  const inApp = integrations.find(({ channel }) => channel === "in_app");
  return inApp !== undefined && unseal(ctx.secrets, inApp.credentials).hmac === true;
}

/**
 * Creates the subscriber, or updates the fields that are given. The schedule is that of a new subscriber only. Browsers
 * add their time zone automatically, so it is taken only where the subscriber has none: a zone that was chosen moves
 * schedules and digests.
 */
async function saveSubscriber(
  ctx: Ctx,
  caller: Caller,
  { subscriber, defaultSchedule }: SessionIn,
  contexts: NamedContext[],
): Promise<SubscriberRow> {
  const subscriberId = subscriber.subscriberId.trim();
  const fields = readProfile(subscriber);
  const known = fields.timezone ? await findSubscriber(ctx.db, caller.environmentId, subscriberId) : undefined;
  if (known?.timezone) delete fields.timezone;
  const entry = { id: ctx.newId(), subscriberId, fields };
  const [row] = await upsertSubscribers(ctx.db, caller.environmentId, { entries: [entry], now: ctx.now() });
  if (!row) throw failure("SUBSCRIBER_BEING_ERASED", { subscriberId });
  await resolveContexts(ctx.db, caller.environmentId, contexts, ctx.now());
  if (row.is_new && defaultSchedule) {
    await saveChoices(ctx, row, [], [{ workflow: null, channels: {}, schedule: readSchedule(defaultSchedule) }]);
  }
  return row;
}
