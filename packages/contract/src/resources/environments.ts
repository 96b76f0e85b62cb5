// Environments: separate worlds of one organisation, and the API keys that open them.
import { identifiers } from "../common.ts";
import { operation } from "../operation.ts";
import { named, nullableString, type Static, Type } from "../schema.ts";

export const ApiKey = named("ApiKey", {
  _id: Type.Optional(Type.String({ description: "What environments.revokeApiKey asks for" })),
  key: Type.String(),
  _userId: Type.String({ description: "Who made the key" }),
  hash: Type.Optional(Type.String()),
});

export const Environment = named("Environment", {
  _id: Type.String(),
  name: Type.String(),
  _organizationId: Type.String(),
  identifier: Type.String(),
  type: Type.Optional(nullableString({ enum: ["dev", "prod", null] })),
  apiKeys: Type.Optional(Type.Array(ApiKey, { description: "Only of the environment the calling key belongs to" })),
  _parentId: Type.Optional(Type.String()),
  slug: Type.Optional(Type.String()),
});
export type Environment = Static<typeof Environment>;

const environmentName = Type.String({ minLength: 1, maxLength: 128 });
const color = Type.String({ minLength: 1, maxLength: 64, description: "For editors, such as `#FF5733`" });
const parentId = Type.Optional(Type.String({ minLength: 1, description: "Id or identifier of an environment" }));
const environmentPath = Type.Object({ environmentId: Type.String({ description: "Id or identifier" }) });

export const environmentOperations = {
  "environments.list": operation({
    id: "environments.list",
    method: "GET",
    path: "/v1/environments",
    summary: "List all environments of the organisation",
    category: "global",
    success: { status: 200, schema: Type.Array(Environment) },
    errors: [],
  }),
  "environments.create": operation({
    id: "environments.create",
    method: "POST",
    path: "/v1/environments",
    summary: "Create an environment",
    description:
      "A `dev` environment with an API key, an in-app integration and the capture providers. The answer is the only " +
      "place that shows the key to another environment's key.",
    category: "global",
    body: named("EnvironmentIn", { name: environmentName, color, parentId }),
    success: { status: 201, schema: Environment },
    isSecretAnswer: true,
    errors: ["ENVIRONMENT_NOT_FOUND"],
  }),
  "environments.update": operation({
    id: "environments.update",
    method: "PUT",
    path: "/v1/environments/{environmentId}",
    summary: "Update an environment",
    description: "What is left out stays as it is. A key may change its own environment only.",
    category: "global",
    params: environmentPath,
    body: named("EnvironmentUpdate", {
      name: Type.Optional(environmentName),
      identifier: Type.Optional(Type.String(identifiers.integration)),
      parentId,
      color: Type.Optional(color),
    }),
    success: { status: 200, schema: Environment },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "ENVIRONMENT_IDENTIFIER_TAKEN"],
  }),
  "environments.delete": operation({
    id: "environments.delete",
    method: "DELETE",
    path: "/v1/environments/{environmentId}",
    summary: "Delete an environment",
    description: "Its keys stop working at once and what is under way in it is canceled. There is no way back.",
    category: "global",
    params: environmentPath,
    success: { status: 200 },
    errors: ["ENVIRONMENT_NOT_FOUND", "ENVIRONMENT_PROTECTED"],
  }),
  "environments.listTags": operation({
    id: "environments.listTags",
    method: "GET",
    path: "/v2/environments/{environmentId}/tags",
    summary: "List the tags of an environment's workflows",
    category: "global",
    params: environmentPath,
    success: {
      status: 200,
      schema: Type.Array(named("EnvironmentTag", { name: Type.String() })),
    },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
  "environments.createApiKey": operation({
    id: "environments.createApiKey",
    method: "POST",
    path: "/v1/environments/{environmentId}/api-keys",
    summary: "Make a second API key",
    description: "To rotate: make a key, put it to use, revoke the old one. An environment has one or two live keys.",
    category: "global",
    params: environmentPath,
    success: { status: 201, schema: ApiKey },
    isSecretAnswer: true,
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "API_KEY_LIMIT"],
  }),
  "environments.revokeApiKey": operation({
    id: "environments.revokeApiKey",
    method: "DELETE",
    path: "/v1/environments/{environmentId}/api-keys/{keyId}",
    summary: "Revoke an API key",
    description: "The last live key of an environment stays.",
    category: "global",
    params: Type.Object({
      environmentId: Type.String({ description: "Id or identifier" }),
      keyId: Type.String({ description: "`_id` of the key in environments.list" }),
    }),
    success: { status: 204 },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "KEY_NOT_FOUND", "LAST_API_KEY"],
  }),
};
