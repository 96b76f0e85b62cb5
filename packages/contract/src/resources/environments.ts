import { operation } from "../operation.ts";
import { named, nullableString, Type } from "../schema.ts";

export const ApiKey = named("ApiKey", {
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
};
