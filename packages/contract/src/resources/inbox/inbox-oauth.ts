// Connecting the chat account of the subscriber whose token a request has: the addresses at the provider where a workspace is
// connected, or where a person shows who they are. Members of existing clients that say whom it is for are accepted when they
// name the session's own subscriber and contexts.
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
  contextHash: Type.Optional(Type.String({ maxLength: 200, description: "Not needed: the session has proved it" })),
};
const connectionIdentifier = Type.Optional(Type.String(identifiers.integration));
const scope = Type.Optional(oauthScopes("Some of the scopes that sending needs; others are asked for with an API key"));
const userScope = Type.Optional(oauthScopes("Some of the scopes that say who a person is; `slack` only"));
const autoLinkUser = Type.Optional(
  Type.Boolean({
    description: "true: the person who connects the workspace becomes an endpoint as well; `slack` only",
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
  "The person signs in at the provider and becomes an endpoint. Its connection is the one named, else one's own for the " +
  "same workspace, else one that all subscribers share. The address is valid for 10 minutes and works once.";

export const inboxOauthOperations = {
  "inbox.createConnectionOauthUrl": operation({
    id: "inbox.createConnectionOauthUrl",
    method: "POST",
    path: "/v1/inbox/channel-connections/oauth",
    summary: "Make the address where a chat workspace of one's own is connected",
    description:
      "For `slack` and `msteams`. The connection belongs to the subscriber of the session; one that all subscribers share is " +
      "connected with an API key. The address is valid for 10 minutes and works once.",
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
    summary: "Make the address where one's own chat account is linked",
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
    summary: "Make the address where a chat workspace is connected or a chat account is linked",
    description: "The older form of both operations above, which `mode` chooses between.",
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
    summary: "Make the address that links one's own chat account, whatever the provider",
    description: `As above. ${person}`,
    category: "inbox",
    access: "inbox",
    body: named("InboxLinkIn", owner),
    success: {
      status: 201,
      schema: named("InboxLinkAnswer", {
        data: named("InboxLink", {
          url: Type.String({ description: "To be opened by the person" }),
          providerMetadata: openObject({ description: "What else the provider says; empty for `slack` and `msteams`" }),
        }),
      }),
    },
    errors,
  }),
};
