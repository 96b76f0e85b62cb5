// Connecting the chat account of the subscriber whose token a request has: the addresses at the provider where a
// workspace is connected, or where a user signs in. Existing clients also send whom it is for, which is accepted if it
// is the session's own subscriber and contexts.
import { identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, openObject, Type } from "../../schema.ts";
import { connectionMode } from "../channels/channel-connections.ts";
import { oauthScopes } from "../channels/integrations.ts";
import { ContextMap } from "../topics/contexts.ts";
import { inboxErrors } from "./inbox-notifications.ts";

const owner = {
  integrationIdentifier: Type.String({ minLength: 1 }),
  subscriberId: Type.Optional(Type.String({ description: "The session's own" })),
  context: Type.Optional(ContextMap),
  contextHash: Type.Optional(Type.String({ maxLength: 200, description: "Not needed: the session already proves it" })),
};
const connectionIdentifier = Type.Optional(Type.String(identifiers.integration));
const scope = Type.Optional(oauthScopes("A subset of the scopes that sending needs; others require an API key"));
const userScope = Type.Optional(oauthScopes("A subset of the scopes that identify a user; `slack` only"));
const autoLinkUser = Type.Optional(
  Type.Boolean({
    description: "true: the user who connects the workspace becomes an endpoint as well; `slack` only",
  }),
);
const connectMembers = { ...owner, connectionIdentifier, scope, connectionMode, autoLinkUser };

const address = {
  status: 201,
  schema: named("InboxOauthAnswer", { data: named("InboxOauthUrl", { url: Type.String() }) }),
} as const;

const errors = [
  ...inboxErrors,
  "OAUTH_NOT_SUPPORTED",
  "PUBLIC_URL_MISSING",
  "INTEGRATION_NOT_FOUND",
  "CONNECTION_NOT_FOUND",
] as const;

const person =
  "The user signs in at the provider and becomes an endpoint. It uses the given connection, otherwise the " +
  "subscriber's own for the same workspace, otherwise one that all subscribers share. The URL is valid for 10 " +
  "minutes and works once.";

export const inboxOauthOperations = {
  "inbox.createConnectionOauthUrl": operation({
    id: "inbox.createConnectionOauthUrl",
    method: "POST",
    path: "/v1/inbox/channel-connections/oauth",
    summary: "Create the URL that connects the subscriber's chat workspace",
    description:
      "For `slack` and `msteams`. The connection belongs to the session's subscriber; connecting a workspace for all " +
      "subscribers requires an API key. The URL is valid for 10 minutes and works once.",
    category: "inbox",
    access: "inbox",
    body: named("InboxConnectOauthIn", connectMembers),
    success: address,
    errors,
  }),
  "inbox.createEndpointOauthUrl": operation({
    id: "inbox.createEndpointOauthUrl",
    method: "POST",
    path: "/v1/inbox/channel-endpoints/oauth",
    summary: "Create the URL that links the subscriber's chat account",
    description: `For \`slack\` and \`msteams\`. ${person}`,
    category: "inbox",
    access: "inbox",
    body: named("InboxLinkOauthIn", { ...owner, connectionIdentifier, userScope }),
    success: address,
    errors,
  }),
  "inbox.createChatOauthUrl": operation({
    id: "inbox.createChatOauthUrl",
    method: "POST",
    path: "/v1/inbox/chat/oauth",
    summary: "Create the URL that connects a chat workspace or links a chat account",
    description: "The older form of both operations above; `mode` selects one.",
    category: "inbox",
    access: "inbox",
    body: named("InboxChatOauthIn", {
      ...connectMembers,
      userScope,
      mode: Type.Optional(oneOf(["connect", "link_user"], { default: "connect" })),
    }),
    success: address,
    errors,
  }),
  "inbox.linkEndpoint": operation({
    id: "inbox.linkEndpoint",
    method: "POST",
    path: "/v1/inbox/channel-endpoints/link",
    summary: "Create the URL that links the subscriber's chat account, for any provider",
    description: `As above. ${person}`,
    category: "inbox",
    access: "inbox",
    body: named("InboxLinkIn", owner),
    success: {
      status: 201,
      schema: named("InboxLinkAnswer", {
        data: named("InboxLink", {
          url: Type.String({ description: "To be opened by the user" }),
          providerMetadata: openObject({
            description: "Additional data from the provider; empty for `slack` and `msteams`",
          }),
        }),
      }),
    },
    errors,
  }),
};
