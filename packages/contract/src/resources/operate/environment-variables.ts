// Variables of an environment: templates and conditions read them as `env.NAME`. Their values differ between
// environments, so nothing copies them from one to another.
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

/** Variables of an environment. */
export const maxVariables = 100;
export const maxVariableBytes = 8_192;
/** Workflows and layouts that one response names. */
export const maxVariableUsers = 100;

export const variableKeyPattern = "^[A-Za-z][A-Za-z0-9_]{0,63}$";

const key = Type.String({
  pattern: variableKeyPattern,
  description: "Such as `BASE_URL`: a letter, then letters, digits and underscores, at most 64 characters",
});
const type = Type.Optional(oneOf(["string"], { default: "string" }));
const isSecret = Type.Boolean({
  description: "Encrypted, never returned, and only for the URL, headers and body of `http_request` steps",
});
const path = Type.Object({ variableKey: Type.String() });

const valueIn = {
  maxLength: maxVariableBytes,
  description: "At most 8 KB. `********` keeps the stored value of a secret.",
  // The audit log has no values: a plain one may become a secret later.
  ...secret("none"),
};
const environmentId = Type.String({
  minLength: 1,
  description: "Id or identifier of an environment; with an API key, that of the key",
});

const EnvironmentVariableValueIn = named("EnvironmentVariableValueIn", {
  _environmentId: environmentId,
  value: Type.String(valueIn),
});

const EnvironmentVariableValueChange = named("EnvironmentVariableValueChange", {
  _environmentId: environmentId,
  value: nullableString({ ...valueIn, description: `${valueIn.description} null removes it from this environment.` }),
});

export const EnvironmentVariable = named("EnvironmentVariable", {
  _id: Type.String(),
  _organizationId: Type.String(),
  key: Type.String(),
  type: oneOf(["string"]),
  isSecret,
  values: Type.Array(
    named("EnvironmentVariableValue", {
      _environmentId: Type.String(),
      value: Type.String({ description: "`********` for a secret", ...secret("viewer") }),
    }),
    { description: "The environments that have a value: with an API key, only that of the key" },
  ),
  createdAt: isoTime("When it was created"),
  updatedAt: isoTime("When a value was last changed"),
});
export type EnvironmentVariable = Static<typeof EnvironmentVariable>;

export const EnvironmentVariableUsage = named("EnvironmentVariableUsage", {
  workflows: Type.Array(
    named("EnvironmentVariableWorkflow", {
      name: Type.String(),
      workflowId: Type.String(),
      _environmentId: Type.String(),
    }),
    { description: `The first ${maxVariableUsers}` },
  ),
  layouts: Type.Array(
    named("EnvironmentVariableLayout", {
      name: Type.String(),
      layoutId: Type.String(),
      _environmentId: Type.String(),
    }),
    { description: `The first ${maxVariableUsers}` },
  ),
});
export type EnvironmentVariableUsage = Static<typeof EnvironmentVariableUsage>;

const values = { maxItems: 100 };

export const environmentVariableOperations = {
  "environmentVariables.list": operation({
    id: "environmentVariables.list",
    method: "GET",
    path: "/v1/environment-variables",
    summary: "List environment variables",
    description:
      "By key. An API key sees the values that its environment has, a member those of all environments. Values of " +
      "secrets are never returned.",
    category: "configuration",
    query: Type.Object({
      search: Type.Optional(Type.String({ maxLength: 64, description: "Part of the key, in capitals or not" })),
    }),
    success: { status: 200, schema: Type.Array(EnvironmentVariable) },
    errors: [],
  }),
  "environmentVariables.create": operation({
    id: "environmentVariables.create",
    method: "POST",
    path: "/v1/environment-variables",
    summary: "Create an environment variable",
    description:
      "Templates and conditions read it as `env.<key>`. Without `values`, it is empty in the caller's environment. " +
      `An environment has up to ${maxVariables}.`,
    category: "configuration",
    audit: "everyone",
    body: named("EnvironmentVariableIn", {
      key,
      type,
      isSecret: Type.Optional(Type.Boolean({ ...isSecret, default: false })),
      values: Type.Optional(Type.Array(EnvironmentVariableValueIn, values)),
    }),
    success: { status: 200, schema: EnvironmentVariable },
    errors: ["VARIABLE_KEY_TAKEN", "VARIABLE_LIMIT", "ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
  "environmentVariables.retrieve": operation({
    id: "environmentVariables.retrieve",
    method: "GET",
    path: "/v1/environment-variables/{variableKey}",
    summary: "Retrieve an environment variable",
    category: "configuration",
    params: path,
    success: { status: 200, schema: EnvironmentVariable },
    errors: ["VARIABLE_NOT_FOUND"],
  }),
  "environmentVariables.update": operation({
    id: "environmentVariables.update",
    method: "PATCH",
    path: "/v1/environment-variables/{variableKey}",
    summary: "Update an environment variable",
    description:
      "Omitted fields do not change, and environments that `values` does not name keep their value. A secret becomes " +
      "plain only together with new values. The key changes only while nothing uses the variable.",
    category: "configuration",
    audit: "everyone",
    params: path,
    body: named("EnvironmentVariablePatch", {
      key: Type.Optional(key),
      type,
      isSecret: Type.Optional(isSecret),
      values: Type.Optional(Type.Array(EnvironmentVariableValueChange, values)),
    }),
    success: { status: 200, schema: EnvironmentVariable },
    errors: [
      "VARIABLE_NOT_FOUND",
      "VARIABLE_KEY_TAKEN",
      "VARIABLE_LIMIT",
      "VARIABLE_IN_USE",
      "ENVIRONMENT_NOT_FOUND",
      "FORBIDDEN",
    ],
  }),
  "environmentVariables.delete": operation({
    id: "environmentVariables.delete",
    method: "DELETE",
    path: "/v1/environment-variables/{variableKey}",
    summary: "Delete an environment variable",
    description:
      "With an API key from its environment, for a member from all environments. Refused while a workflow or layout " +
      "uses it.",
    category: "configuration",
    audit: "everyone",
    params: path,
    success: { status: 204 },
    errors: ["VARIABLE_NOT_FOUND", "VARIABLE_IN_USE"],
  }),
  "environmentVariables.usage": operation({
    id: "environmentVariables.usage",
    method: "GET",
    path: "/v1/environment-variables/{variableKey}/usage",
    summary: "List the workflows and layouts that use an environment variable",
    category: "configuration",
    params: path,
    success: { status: 200, schema: EnvironmentVariableUsage },
    errors: ["VARIABLE_NOT_FOUND"],
  }),
};
