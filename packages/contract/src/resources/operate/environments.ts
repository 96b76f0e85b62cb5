// Environments: isolated parts of one organisation. Their API keys are in api-keys.ts.
import { identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { timeUnits } from "../../steps/kit.ts";
import { ApiKey } from "./api-keys.ts";

export const Environment = named("Environment", {
  _id: Type.String(),
  name: Type.String(),
  _organizationId: Type.String(),
  identifier: Type.String(),
  type: Type.Optional(nullableString({ enum: ["dev", "prod", null] })),
  apiKeys: Type.Optional(
    Type.Array(ApiKey, {
      description: "Only for the environment the calling key belongs to",
      ...secret("owner", "removed"),
    }),
  ),
  isCurrent: Type.Optional(
    Type.Boolean({ description: "true: the environment that the calling key belongs to, in environments.list" }),
  ),
  _parentId: Type.Optional(Type.String()),
  slug: Type.Optional(Type.String()),
  linkSchemes: Type.Optional(
    Type.Array(Type.String(), {
      description: "Apps whose links are kept in mails and in-app bodies; absent if there are none",
    }),
  ),
  pagesUrl: Type.Optional(
    Type.String({
      description: "Domain of the hosted pages in links of mails; absent if they use that of the service",
    }),
  ),
  broadcastApproval: Type.Optional(
    Type.Boolean({ description: "true: an owner other than the sender approves broadcasts; absent otherwise" }),
  ),
});
export type Environment = Static<typeof Environment>;

/** Terminals and log files show names: control characters and marks of direction could rewrite what is around them. */
const environmentName = Type.String({
  minLength: 1,
  maxLength: 128,
  format: "plain-text",
  description: "Without control characters",
});
const color = Type.String({ minLength: 1, maxLength: 64, description: "For editors, such as `#FF5733`" });
const parentId = Type.Optional(Type.String({ minLength: 1, description: "Id or identifier of an environment" }));
const linkSchemes = Type.Optional(
  Type.Array(Type.String({ pattern: "^[a-z][a-z0-9+.-]{1,31}$" }), {
    maxItems: 20,
    uniqueItems: true,
    description:
      "Schemes of apps, such as `myapp` for `myapp://order/7`: sanitising keeps links with them in mails and in-app bodies. " +
      "Schemes that can run code or read local data, such as `javascript`, are refused.",
  }),
);
const pagesUrl = Type.Optional(
  nullableString({
    maxLength: 300,
    description:
      "Own domain of the hosted pages, such as `https://preferences.acme.com`: links in mails and `List-Unsubscribe` " +
      "headers begin with it. The domain must lead to this service. null or an empty text removes it",
  }),
);
const environmentPath = Type.Object({ environmentId: Type.String({ description: "Id or identifier" }) });

export const EnvironmentClock = named("EnvironmentClock", {
  environmentId: Type.String(),
  now: isoTime("The environment's current time"),
  isTestClock: Type.Boolean(),
  target: Type.Optional(isoTime("The time the clock is moving to")),
  status: oneOf(["real", "standing", "moving"], {
    description: "`real` time, or a test clock that is `standing` or `moving` to its target",
  }),
});
export type EnvironmentClock = Static<typeof EnvironmentClock>;

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
      "A `dev` environment with an API key, an in-app integration and the capture providers. Only this response " +
      "shows the new key to a key of another environment.",
    category: "global",
    audit: "everyone",
    body: named("EnvironmentIn", { name: environmentName, color, parentId, linkSchemes, pagesUrl }),
    success: { status: 201, schema: Environment },
    errors: ["ENVIRONMENT_NOT_FOUND", "ENVIRONMENT_LIMIT"],
  }),
  "environments.update": operation({
    id: "environments.update",
    method: "PUT",
    path: "/v1/environments/{environmentId}",
    summary: "Update an environment",
    description: "Omitted fields do not change. A key can only change its own environment.",
    category: "global",
    audit: "everyone",
    params: environmentPath,
    body: named("EnvironmentUpdate", {
      name: Type.Optional(environmentName),
      identifier: Type.Optional(Type.String(identifiers.integration)),
      parentId,
      color: Type.Optional(color),
      linkSchemes,
      pagesUrl,
      broadcastApproval: Type.Optional(
        Type.Boolean({ description: "true: another person, an owner, approves a broadcast before it starts" }),
      ),
    }),
    fieldRoles: { broadcastApproval: "owner" },
    success: { status: 200, schema: Environment },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "ENVIRONMENT_IDENTIFIER_TAKEN"],
  }),
  "environments.delete": operation({
    id: "environments.delete",
    method: "DELETE",
    path: "/v1/environments/{environmentId}",
    summary: "Delete an environment",
    description:
      "Requires a key of this environment. Its keys stop working immediately and everything in progress is canceled. " +
      "This cannot be undone.",
    category: "global",
    role: "owner",
    audit: "everyone",
    params: environmentPath,
    success: { status: 200 },
    errors: ["FORBIDDEN", "ENVIRONMENT_NOT_FOUND", "ENVIRONMENT_PROTECTED"],
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
  "environments.retrieveClock": operation({
    id: "environments.retrieveClock",
    method: "GET",
    path: "/v2/environments/{environmentId}/clock",
    summary: "Retrieve the clock of an environment",
    category: "global",
    params: environmentPath,
    success: { status: 200, schema: EnvironmentClock },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
  "environments.updateClock": operation({
    id: "environments.updateClock",
    method: "PUT",
    path: "/v2/environments/{environmentId}/clock",
    summary: "Start or move an environment's test clock",
    description:
      "Only for `dev` environments. A test clock does not run until it is moved, and only moves forward. On its way " +
      "it stops at every moment something is waiting for (delays, digests, schedules, retries, snoozes) and " +
      "continues once that is done. Returns 200 when it has arrived, or 202 with `status: moving` if that takes " +
      "longer than 15 seconds, or immediately with an `idempotency-key`. See docs/testing.md.",
    category: "global",
    audit: "everyone",
    params: environmentPath,
    body: named("EnvironmentClockIn", {
      now: Type.Optional(
        nullableString({
          description: "The time to move to (ISO 8601); null returns the environment to real time",
        }),
      ),
      advance: Type.Optional(
        Type.Object(
          { amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), unit: oneOf(timeUnits) },
          { description: "How far to move, instead of `now`" },
        ),
      ),
    }),
    success: { status: 200, also: 202, schema: EnvironmentClock },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN", "TEST_CLOCK_REFUSED", "TEST_CLOCK_BACKWARDS"],
  }),
};
