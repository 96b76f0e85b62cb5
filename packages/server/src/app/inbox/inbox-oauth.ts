// Where the subscriber whose token a request has connects its own chat workspace, or links its own chat account.
// The rest of the way is that of app/integrations/chat-oauth-callback.ts.
import type { Input, Output } from "@tidings/contract";
import type { Ctx, InboxCaller } from "../../context.ts";
import { faultCollector } from "../../failure.ts";
import { contextKeysOf } from "../../pipeline/trigger/contexts.ts";
import { makeAddress } from "../integrations/chat-oauth.ts";
import { readContext } from "../subscribers/contexts.ts";
import { requireUsable } from "./inbox-channels.ts";
import { contextOf } from "./session-context.ts";

type Given = Input<"inbox.createChatOauthUrl">["body"];

/**
 * For the session's own subscriber and contexts. A browser that names others is refused instead of being given
 * something else than it asked for.
 */
function ownWish(caller: InboxCaller, given: Given) {
  const { subscriberId, context, connectionMode } = given;
  const faults = faultCollector();
  if (subscriberId !== undefined && subscriberId.trim() !== caller.subscriber.subscriber_id) {
    faults.add("subscriberId", "subscriberId must be that of the session", subscriberId);
  }
  if (context !== undefined && contextKeysOf(readContext(context)).join() !== (caller.contextKeys ?? []).join()) {
    faults.add("context", "context must be that of the session: open the session with this context", context);
  }
  if (connectionMode === "shared") {
    const message =
      "connectionMode must be subscriber: a connection that all subscribers share is connected with an API key";
    faults.add("connectionMode", message, connectionMode);
  }
  faults.throwIfAny();
  const { integrationIdentifier, connectionIdentifier } = given;
  return {
    integrationIdentifier,
    connectionIdentifier,
    subscriberId: caller.subscriber.subscriber_id,
    context: contextOf(caller),
  };
}

/** The customer decides what its chat app may do: a browser gets the usual scopes, or some of them. */
async function connectUrl(ctx: Ctx, caller: InboxCaller, given: Given): Promise<{ url: string }> {
  const { scope, autoLinkUser: linksPerson } = given;
  const wish = { ...ownWish(caller, given), scope, linksPerson, grants: "access", isFromBrowser: true } as const;
  return { url: await makeAddress(ctx, caller, wish) };
}

async function linkUrl(ctx: Ctx, caller: InboxCaller, given: Given): Promise<{ url: string }> {
  const wish = ownWish(caller, given);
  if (wish.connectionIdentifier !== undefined) await requireUsable(ctx, caller, wish.connectionIdentifier);
  const own = { ...wish, scope: given.userScope, grants: "person", isFromBrowser: true } as const;
  return { url: await makeAddress(ctx, caller, own) };
}

export async function createConnectionUrl(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.createConnectionOauthUrl">,
): Promise<Output<"inbox.createConnectionOauthUrl">> {
  return { data: await connectUrl(ctx, caller, body) };
}

export async function createEndpointUrl(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.createEndpointOauthUrl">,
): Promise<Output<"inbox.createEndpointOauthUrl">> {
  return { data: await linkUrl(ctx, caller, body) };
}

export async function createChatUrl(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.createChatOauthUrl">,
): Promise<Output<"inbox.createChatOauthUrl">> {
  return { data: await (body.mode === "link_user" ? linkUrl : connectUrl)(ctx, caller, body) };
}

export async function linkEndpoint(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.linkEndpoint">,
): Promise<Output<"inbox.linkEndpoint">> {
  return { data: { ...(await linkUrl(ctx, caller, body)), providerMetadata: {} } };
}
