// The API keys of an environment: what each may do, until when and from where.
import { keyScopes } from "../../key-scopes.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

const nullableTexts = (options: { description: string; minItems?: number; maxItems?: number; uniqueItems?: boolean }) =>
  Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 64 }), options), Type.Null()]);

export const ApiKey = named("ApiKey", {
  _id: Type.Optional(
    Type.String({ description: "The id for environments.updateApiKey and environments.revokeApiKey" }),
  ),
  key: Type.String({
    description: "Hidden from an API key that has fewer rights than this one",
    ...secret("owner"),
  }),
  _userId: Type.String({ description: "Who created the key" }),
  hash: Type.Optional(Type.String()),
  name: Type.Optional(nullableString({ description: "What the key is for; null: it has no name" })),
  owner: Type.Optional(nullableString({ description: "Who is responsible for it; null: nobody was named" })),
  scope: Type.Optional(oneOf(keyScopes, { description: "Which operations it may call (docs/api-keys.md)" })),
  operations: Type.Optional(
    Type.Array(Type.String(), { description: "The operations that it may call, in the scope `operations` only" }),
  ),
  expiresAt: Type.Optional(nullableString({ description: "From when on it is refused (ISO 8601, UTC); null: never" })),
  allowedNetworks: Type.Optional(
    nullableTexts({ description: "The networks that it may be used from; null: from everywhere" }),
  ),
  createdAt: Type.Optional(isoTime("When it was created")),
  lastUsedAt: Type.Optional(
    nullableString({ description: "Time of its last request, to the minute; null if it was never used" }),
  ),
  mayRaisePriority: Type.Optional(
    Type.Boolean({ description: "Whether its events may have a higher priority than their workflow" }),
  ),
});

export type ApiKey = Static<typeof ApiKey>;

/** Terminals and log files show names, as they show those of environments. */
const shownText = { minLength: 1, maxLength: 128, format: "plain-text" };
const name = { ...shownText, description: "What the key is for, as the audit log names it" };
const owner = { ...shownText, description: "Who is responsible for the key: a person or a team" };
const scope = Type.Optional(
  oneOf(keyScopes, {
    description:
      "`full`: every operation. `send`: trigger, cancel and signals. `read`: what a viewer reads. `operations`: those in " +
      "the list `operations`",
  }),
);
const operationIds = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: 200,
    uniqueItems: true,
    description: "Ids such as `workflows.list`, for the scope `operations`",
  }),
);
const expiresAt = { format: "iso-time", maxLength: 64 };
const networks = {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description: "Addresses and networks such as `192.0.2.7`, `10.0.0.0/8` or `2001:db8::/32`",
};

export const NewApiKey = named("NewApiKey", {
  name: Type.Optional(Type.String(name)),
  owner: Type.Optional(Type.String({ ...owner, description: `${owner.description}. Unless given: the member` })),
  scope,
  operations: operationIds,
  expiresAt: Type.Optional(
    Type.String({ ...expiresAt, description: "A time to come (ISO 8601). Unless given: never" }),
  ),
  allowedNetworks: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), networks)),
});

export type NewApiKey = Static<typeof NewApiKey>;

export const ApiKeyChange = named("UpdateApiKeyIn", {
  name: Type.Optional(Type.String(name)),
  owner: Type.Optional(nullableString({ ...owner, description: `${owner.description}; null removes it` })),
  scope,
  operations: operationIds,
  expiresAt: Type.Optional(nullableString({ ...expiresAt, description: "A time to come (ISO 8601); null: never" })),
  allowedNetworks: Type.Optional(
    nullableTexts({ ...networks, description: `${networks.description}; null: from everywhere` }),
  ),
  mayRaisePriority: Type.Optional(
    Type.Boolean({ description: "Whether its events may have a higher priority than their workflow" }),
  ),
});

export type ApiKeyChange = Static<typeof ApiKeyChange>;

const environmentPath = Type.Object({ environmentId: Type.String({ description: "Id or identifier" }) });
const keyPath = Type.Object({
  environmentId: Type.String({ description: "Id or identifier" }),
  keyId: Type.String({ description: "`_id` of the key in environments.list" }),
});

export const apiKeyOperations = {
  "environments.createApiKey": operation({
    id: "environments.createApiKey",
    method: "POST",
    path: "/v1/environments/{environmentId}/api-keys",
    summary: "Create an API key",
    description:
      "Without a body: a key that may do everything. To rotate: create a key, deploy it, then revoke the old one. A key " +
      "creates only keys with no more rights than its own: scope, expiry and networks. An environment has at most 20 " +
      "live keys.",
    category: "global",
    role: "owner",
    audit: "everyone",
    params: environmentPath,
    body: NewApiKey,
    isBodyOptional: true,
    success: { status: 201, schema: ApiKey },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "API_KEY_LIMIT", "API_KEY_RIGHTS"],
  }),
  "environments.updateApiKey": operation({
    id: "environments.updateApiKey",
    method: "PATCH",
    path: "/v1/environments/{environmentId}/api-keys/{keyId}",
    summary: "Change what an API key may do",
    description:
      "Omitted fields do not change. The change holds from the next request on. A key changes only keys with no more " +
      "rights than its own, and gives no more than it has.",
    category: "global",
    role: "owner",
    audit: "everyone",
    params: keyPath,
    body: ApiKeyChange,
    success: { status: 200, schema: ApiKey },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "KEY_NOT_FOUND", "LAST_API_KEY", "API_KEY_RIGHTS"],
  }),
  "environments.revokeApiKey": operation({
    id: "environments.revokeApiKey",
    method: "DELETE",
    path: "/v1/environments/{environmentId}/api-keys/{keyId}",
    summary: "Revoke an API key",
    description:
      "The last live key with the scope `full` cannot be revoked, nor one with more rights than the caller's.",
    category: "global",
    role: "owner",
    audit: "everyone",
    params: keyPath,
    success: { status: 204 },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "KEY_NOT_FOUND", "LAST_API_KEY", "API_KEY_RIGHTS"],
  }),
};
