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
    description: "Each provider uses a subset. Stored secrets read `********`, which keeps them when it is sent back.",
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
      description:
        "Calls a second that all worker processes make together; default: what the provider is known to allow",
    }),
  ),
});

export const circuitStates = ["closed", "open", "half_open"] as const;

export const integrationErrorClasses = ["transient", "unknown", "auth", "quota", "config"] as const;

export const IntegrationError = named("IntegrationError", {
  message: Type.String({ description: "As the provider or the network worded it, without secrets" }),
  summary: Type.String({ description: "In a few words, such as `connection refused` or `credentials refused`" }),
  class: oneOf(integrationErrorClasses, {
    description:
      "transient: not reached, or it could not answer; unknown: no answer came; auth, quota, config: refused because of the " +
      "credentials, a limit or the settings",
  }),
  at: isoTime("When"),
});

export const IntegrationHealth = named("IntegrationHealth", {
  state: oneOf(circuitStates, {
    description: "closed: in use; open: it kept failing and is only probed; half_open: a probe is under way",
  }),
  failures: Type.Integer({ description: "Calls in a row that failed without the message being to blame" }),
  openedAt: Type.Optional(isoTime("When it began to be only probed")),
  nextProbeAt: Type.Optional(isoTime("When the next message goes through")),
  failingSince: Type.Optional(isoTime("Of the first error since the last success. Missing while it works")),
  lastError: Type.Optional(IntegrationError),
  lastSuccessAt: Type.Optional(
    isoTime(
      "When a message or a check was last answered as it should be, to the minute. With neither this nor `lastError`, the " +
        "integration was not called yet",
    ),
  ),
  waiting: Type.Optional(
    Type.Integer({ description: "Messages that wait until it answers, counted up to 100,000 for an environment" }),
  ),
  oldestWaitingAt: Type.Optional(isoTime("When the oldest of them was made")),
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
        "Ask the provider itself whether the credentials work. When they do, its circuit closes and what waits for it goes out",
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
    description: "Only the fields given are changed; `credentials`, `conditions` and `configurations` are replaced.",
    category: "configuration",
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
    description: "Answers the integrations that remain. Irreversible: the credentials are erased.",
    category: "configuration",
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
    summary: "Make an integration the primary of its channel",
    description: "Email and SMS only. It becomes active and loses its conditions; the previous primary stays active.",
    category: "configuration",
    params: integrationPath,
    success: { status: 200, schema: Integration },
    errors: ["PRIMARY_NOT_SUPPORTED", "INTEGRATION_NOT_FOUND"],
  }),
  "integrations.tryNow": operation({
    id: "integrations.tryNow",
    method: "POST",
    path: "/v1/integrations/{integrationId}/try-now",
    summary: "Try an integration that kept failing now",
    description:
      "One of the messages that wait for it is sent at once, as the probe that would be due later. When none waits, the provider is " +
      "asked whether the credentials work, where it offers that. The first answer closes the circuit, and what waits goes out. An " +
      "integration that works is not touched.",
    category: "configuration",
    params: integrationPath,
    success: { status: 200, schema: Integration },
    errors: ["INTEGRATION_NOT_FOUND"],
  }),
  "integrations.createChatOauthUrl": operation({
    id: "integrations.createChatOauthUrl",
    method: "POST",
    path: "/v1/integrations/chat/oauth",
    summary: "Make the address where a chat workspace is connected",
    description:
      "For `slack` and `msteams`. The address is valid for 10 minutes, for one connection. The provider sends people back to " +
      "`/v1/integrations/chat/oauth/callback` under `TIDINGS_PUBLIC_URL`, which stores the connection (or, when a webhook was " +
      "asked for, an endpoint of the subscriber) and shows them what happened, or sends them on to the integration's `redirectUrl`.",
    category: "configuration",
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
      "For providers with `autoConfigure`. Registered once, however often it is called; `configurations` of the integration " +
      "then have what reports are verified with. `success` is false when the provider refuses, or has to be set up by hand: " +
      "`message` says why and how.",
    category: "configuration",
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
