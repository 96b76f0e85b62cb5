import { ChannelWord, identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { addedProviderIds, inAppProviderId, providerIds } from "../../provider-ids.ts";
import { isoTime, named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { ContextMap } from "../topics/contexts.ts";
import { StepFilter, StepFilterIn } from "../workflows/filters.ts";
import { connectionMode } from "./channel-connections.ts";

const text = Type.Optional(Type.String());
const flag = Type.Optional(Type.Boolean());

// Some providers need members beyond these (apiURL, appID, …); the providers package knows them. A member that no
// provider has is refused there: a silently dropped secret would show up only when a send fails.
const credentialTexts = [
  "apiKey",
  "user",
  "secretKey",
  "domain",
  "password",
  "host",
  "region",
  "accountSid",
  "messageProfileId",
  "token",
  "from",
  "senderName",
  "projectName",
  "applicationId",
  "clientId",
  "baseUrl",
  "webhookUrl",
  "redirectUrl",
  "serviceAccount",
  "ipPoolName",
  "apiKeyRequestHeader",
  "secretKeyRequestHeader",
  "idPath",
  "datePath",
  "apiToken",
  "authenticationTokenKey",
  "instanceId",
  "alertUid",
  "title",
  "imageUrl",
  "state",
  "externalLink",
  "channelId",
  "phoneNumberIdentification",
  "accessKey",
  "appSid",
  "senderId",
  "tenantId",
  "AppIOBaseUrl",
] as const;

export const Credentials = named(
  "Credentials",
  {
    ...(Object.fromEntries(credentialTexts.map((name) => [name, text])) as Record<
      (typeof credentialTexts)[number],
      typeof text
    >),
    port: Type.Optional(Type.Unsafe<string | number>({ type: ["string", "number"] })),
    secure: flag,
    requireTls: flag,
    ignoreTls: flag,
    hmac: flag,
    authenticateByToken: flag,
    tlsOptions: Type.Optional(openObject()),
  },
  {
    additionalProperties: true,
    ...secret("editor"),
    description:
      "Each provider uses a subset. Stored secrets are returned as `********`; sending that value back keeps them.",
  },
);

export const IntegrationConfigurations = named("IntegrationConfigurations", {
  inboundWebhookEnabled: flag,
  inboundWebhookSigningKey: Type.Optional(Type.String(secret("none"))),
  configurationSetName: Type.Optional(Type.String({ description: "Amazon SES" })),
  pushResources: Type.Optional(Type.Unknown({ description: "Push providers" })),
  maxPerSecond: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100_000,
      description: "Calls per second across all worker processes; default: the provider's known limit",
    }),
  ),
});

export const circuitStates = ["closed", "open", "half_open"] as const;

export const integrationErrorClasses = ["transient", "unknown", "auth", "quota", "config"] as const;

/** Why there was no connection to a provider. */
export const connectionCauses = [
  "refused",
  "unresolved",
  "timeout",
  "closed",
  "unreachable",
  "certificate",
  "tls",
  "unknown",
] as const;

export const IntegrationError = named("IntegrationError", {
  message: Type.String({ description: "The provider's or the network's own message, without secrets" }),
  summary: Type.String({ description: "In a few words, such as `connection refused` or `credentials refused`" }),
  class: oneOf(integrationErrorClasses, {
    description:
      "transient: the provider was not reached or could not respond; unknown: no response arrived; auth, quota, " +
      "config: refused because of the credentials, a limit or the settings",
  }),
  cause: Type.Optional(
    oneOf(connectionCauses, { description: "Why there was no response; missing when the provider responded" }),
  ),
  at: isoTime("When"),
});

export const IntegrationHealth = named("IntegrationHealth", {
  state: oneOf(circuitStates, {
    description: "closed: in use; open: it kept failing and is only probed; half_open: a probe is in flight",
  }),
  failures: Type.Integer({ description: "Consecutive calls that failed for reasons other than the message" }),
  openedAt: Type.Optional(isoTime("When the circuit opened")),
  nextProbeAt: Type.Optional(isoTime("When the next message is tried")),
  failingSince: Type.Optional(isoTime("Time of the first error since the last success. Absent while it works")),
  lastError: Type.Optional(IntegrationError),
  lastSuccessAt: Type.Optional(
    isoTime(
      "When a message or a check last succeeded, to the minute. Without this and without `lastError`, the " +
        "integration has not been called yet",
    ),
  ),
  waiting: Type.Optional(
    Type.Integer({ description: "Messages that wait until it responds, counted up to 100,000 for an environment" }),
  ),
  oldestWaitingAt: Type.Optional(isoTime("When the oldest of them was created")),
});
export type IntegrationHealth = Static<typeof IntegrationHealth>;

export const Integration = named("Integration", {
  _id: Type.Optional(Type.String()),
  _environmentId: Type.String(),
  _organizationId: Type.String(),
  name: Type.String(),
  identifier: Type.String(),
  providerId: Type.String(),
  channel: ChannelWord,
  credentials: Credentials,
  configurations: Type.Optional(IntegrationConfigurations),
  active: Type.Boolean({ description: "An active integration processes events and messages" }),
  deleted: Type.Boolean(),
  deletedAt: Type.Optional(Type.String()),
  deletedBy: Type.Optional(Type.String()),
  primary: Type.Boolean(),
  conditions: Type.Optional(Type.Array(StepFilter)),
  health: Type.Optional(IntegrationHealth),
});
export type Integration = Static<typeof Integration>;

const writable = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  identifier: Type.Optional(Type.String(identifiers.integration)),
  _environmentId: Type.Optional(Type.String()),
  active: Type.Optional(Type.Boolean({ description: "When active, the credentials are validated" })),
  credentials: Type.Optional(Credentials),
  check: Type.Optional(
    Type.Boolean({
      description:
        "Ask the provider whether the credentials work. If they do, the circuit closes and waiting messages are sent",
    }),
  ),
  conditions: Type.Optional(Type.Array(StepFilterIn)),
  configurations: Type.Optional(IntegrationConfigurations),
};

export const IntegrationIn = named("IntegrationIn", {
  providerId: oneOf([...providerIds, ...addedProviderIds, inAppProviderId], {
    description: "One of the known providers",
  }),
  channel: ChannelWord,
  ...writable,
});
export type IntegrationIn = Static<typeof IntegrationIn>;

export const IntegrationPatch = named("IntegrationPatch", writable);
export type IntegrationPatch = Static<typeof IntegrationPatch>;

const integrationPath = Type.Object({ integrationId: Type.String({ description: "Internal id or identifier" }) });

export const oauthScopes = (description: string) =>
  Type.Array(Type.String({ pattern: "^[^\\s,]+$", maxLength: 255 }), { maxItems: 100, description });

export const integrationOperations = {
  "integrations.list": operation({
    id: "integrations.list",
    method: "GET",
    path: "/v1/integrations",
    summary: "List integrations",
    category: "configuration",
    success: { status: 200, schema: Type.Array(Integration) },
    errors: [],
  }),
  "integrations.create": operation({
    id: "integrations.create",
    method: "POST",
    path: "/v1/integrations",
    summary: "Create an integration",
    category: "configuration",
    audit: "everyone",
    body: IntegrationIn,
    success: { status: 201, schema: Integration },
    errors: [
      "PROVIDER_CHECK_FAILED",
      "PROVIDER_HOST_UNRESOLVED",
      "FORBIDDEN",
      "ENVIRONMENT_NOT_FOUND",
      "INTEGRATION_IDENTIFIER_TAKEN",
      "IN_APP_INTEGRATION_EXISTS",
    ],
  }),
  "integrations.update": operation({
    id: "integrations.update",
    method: "PUT",
    path: "/v1/integrations/{integrationId}",
    summary: "Update an integration",
    description: "Only the given fields are changed; `credentials`, `conditions` and `configurations` are replaced.",
    category: "configuration",
    audit: "everyone",
    params: integrationPath,
    body: IntegrationPatch,
    success: { status: 200, schema: Integration },
    errors: [
      "PROVIDER_CHECK_FAILED",
      "PROVIDER_HOST_UNRESOLVED",
      "FORBIDDEN",
      "INTEGRATION_NOT_FOUND",
      "ENVIRONMENT_NOT_FOUND",
      "INTEGRATION_IDENTIFIER_TAKEN",
    ],
  }),
  "integrations.delete": operation({
    id: "integrations.delete",
    method: "DELETE",
    path: "/v1/integrations/{integrationId}",
    summary: "Delete an integration",
    description: "Returns the integrations that remain. Irreversible: the credentials are erased.",
    category: "configuration",
    audit: "everyone",
    params: integrationPath,
    success: { status: 200, schema: Type.Array(Integration) },
    errors: ["INTEGRATION_NOT_FOUND"],
  }),
  "integrations.listActive": operation({
    id: "integrations.listActive",
    method: "GET",
    path: "/v1/integrations/active",
    summary: "List active integrations",
    category: "configuration",
    success: { status: 200, schema: Type.Array(Integration) },
    errors: [],
  }),
  "integrations.setPrimary": operation({
    id: "integrations.setPrimary",
    method: "POST",
    path: "/v1/integrations/{integrationId}/set-primary",
    summary: "Set the primary integration of a channel",
    description: "Email and SMS only. It becomes active and loses its conditions; the previous primary stays active.",
    category: "configuration",
    audit: "everyone",
    params: integrationPath,
    success: { status: 200, schema: Integration },
    errors: ["PRIMARY_NOT_SUPPORTED", "INTEGRATION_NOT_FOUND"],
  }),
  "integrations.tryNow": operation({
    id: "integrations.tryNow",
    method: "POST",
    path: "/v1/integrations/{integrationId}/try-now",
    summary: "Retry a failing integration now",
    description:
      "Sends one of the waiting messages immediately, as the probe that would otherwise be due later. If none is " +
      "waiting, the provider is asked whether the credentials work, where it supports that. The first response " +
      "closes the circuit, and waiting messages are sent. Nothing happens to an integration that works.",
    category: "configuration",
    role: "support",
    audit: "everyone",
    params: integrationPath,
    success: { status: 200, schema: Integration },
    errors: ["INTEGRATION_NOT_FOUND"],
  }),
  "integrations.createChatOauthUrl": operation({
    id: "integrations.createChatOauthUrl",
    method: "POST",
    path: "/v1/integrations/chat/oauth",
    summary: "Create the URL that connects a chat workspace",
    description:
      "For `slack` and `msteams`. The URL is valid for 10 minutes and for one connection. The provider redirects the " +
      "user to `/v1/integrations/chat/oauth/callback` under `TIDINGS_PUBLIC_URL`, which stores the connection (or, " +
      "if a webhook was requested, an endpoint of the subscriber) and shows the outcome, or redirects to the " +
      "integration's `redirectUrl`.",
    category: "configuration",
    audit: "everyone",
    body: named("ChatOauthIn", {
      integrationIdentifier: Type.String({ minLength: 1 }),
      subscriberId: Type.Optional(Type.String({ minLength: 1 })),
      connectionMode,
      connectionIdentifier: Type.Optional(Type.String(identifiers.integration)),
      context: Type.Optional(ContextMap),
      scope: Type.Optional(oauthScopes("Instead of the scopes that sending needs")),
    }),
    success: { status: 201, schema: named("ChatOauthUrl", { url: Type.String(secret("editor")) }) },
    errors: ["OAUTH_NOT_SUPPORTED", "PUBLIC_URL_MISSING", "INTEGRATION_NOT_FOUND", "SUBSCRIBER_NOT_FOUND"],
  }),
  "integrations.autoConfigure": operation({
    id: "integrations.autoConfigure",
    method: "POST",
    path: "/v1/integrations/{integrationId}/auto-configure",
    summary: "Register the delivery webhook with the provider",
    description:
      "For providers with `autoConfigure`. The webhook is registered once, however often this is called; the " +
      "integration's `configurations` then contain what is needed to verify reports. `success` is false if the " +
      "provider refuses or must be set up by hand; `message` explains why and how.",
    category: "configuration",
    audit: "everyone",
    params: integrationPath,
    success: {
      status: 200,
      schema: named("IntegrationAutoConfigured", {
        success: Type.Boolean(),
        message: Type.Optional(Type.String()),
        integration: Type.Optional(Integration),
      }),
    },
    errors: ["INTEGRATION_NOT_FOUND"],
  }),
};
