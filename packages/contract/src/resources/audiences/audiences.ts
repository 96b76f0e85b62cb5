// Audiences: rules over subscribers that are saved under a name, and fixed lists. Broadcasts and triggers reach the
// people of an audience, and conditions can test for it. Who is in a fixed one: members.ts.
import { cursorList, cursorQuery, identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";

export const audienceIdRule = identifiers.workflowId;

export const audienceKinds = ["rule", "fixed"] as const;
export type AudienceKind = (typeof audienceKinds)[number];

export const audiencesPerEnvironment = 500;

/** Bounds of one rule: the parts of its JSON Logic, the audiences it reads, one in another, and its time. */
export const audienceRuleLimits = { nodes: 200, depth: 5, milliseconds: 10_000 };

/** People are counted exactly up to this number; above it the count is estimated. */
export const exactPeople = 100_000;

const AudienceKindWord = oneOf(audienceKinds, { title: "AudienceKind" });

const rule = openObject({
  description:
    "JSON Logic over `subscriber`, `topics`, `audiences`, `preferences` and `activity` (docs/audiences.md), with the " +
    "operators of conditions; at most 200 parts",
});

export const AudienceCount = named("AudienceCount", {
  people: Type.Integer(),
  isEstimated: Type.Boolean({ description: "true: there are more than 100,000, and the number is an estimate" }),
});
export type AudienceCount = Static<typeof AudienceCount>;

export const Audience = named("Audience", {
  _id: Type.String(),
  audienceId: Type.String({ description: "Unique in the environment" }),
  name: Type.String(),
  description: nullableString(),
  kind: AudienceKindWord,
  rule: Type.Union([rule, Type.Null()], { description: "null for a fixed audience" }),
  sentence: Type.String({ description: "The rule in words" }),
  createdAt: isoTime("When it was created"),
  updatedAt: isoTime("Last change"),
});
export type Audience = Static<typeof Audience>;

/** A person of an audience, as lists show them. */
export const AudiencePerson = named("AudiencePerson", {
  subscriberId: Type.String(),
  firstName: nullableString(),
  lastName: nullableString(),
  email: nullableString(),
  locale: nullableString(),
  timezone: nullableString(),
});
export type AudiencePerson = Static<typeof AudiencePerson>;

export const audienceCosts = ["low", "medium", "high"] as const;

const Cost = named("AudienceCost", {
  level: oneOf(audienceCosts, {
    title: "AudienceCostLevel",
    description: "low: an index finds the people; medium: one pass over all subscribers; high: more work for each",
  }),
  rows: Type.Integer({ description: "Rows that PostgreSQL expects to read" }),
  reason: Type.String({ description: "What makes it so, in a sentence" }),
});

export const AudiencePreview = named("AudiencePreview", {
  count: AudienceCount,
  everyone: Type.Integer({ description: "Subscribers of the environment, counted as `count` is" }),
  sentence: Type.String({ description: "The rule in words" }),
  cost: Cost,
  warnings: Type.Array(Type.String(), { description: "Such as a rule that matches nobody" }),
  sample: Type.Array(AudiencePerson, { description: "Up to 10 people" }),
});
export type AudiencePreview = Static<typeof AudiencePreview>;

export const AudienceReason = named("AudienceReason", {
  text: Type.String({ description: "A part of the rule, in words" }),
  holds: Type.Boolean(),
  value: Type.Optional(Type.Unknown({ description: "What the rule found" })),
});

export const AudienceExplanation = named("AudienceExplanation", {
  subscriberId: Type.String(),
  isMember: Type.Boolean(),
  sentence: Type.String({ description: "Why the person is in the audience, or why not" }),
  reasons: Type.Array(AudienceReason, { description: "The parts of the rule that decide" }),
});
export type AudienceExplanation = Static<typeof AudienceExplanation>;

export const audiencePath = Type.Object({ audienceId: Type.String() });

const name = Type.String({ minLength: 1, maxLength: 128 });
const description = Type.Optional(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]));
const allowEveryone = Type.Optional(
  Type.Boolean({ description: "Must be true for a rule that matches every subscriber" }),
);

const ruleFaults = ["AUDIENCE_MATCHES_EVERYONE", "AUDIENCE_TOO_SLOW"] as const;

export const audienceOperations = {
  "audiences.list": operation({
    id: "audiences.list",
    method: "GET",
    path: "/v2/audiences",
    summary: "List audiences",
    category: "configuration",
    query: Type.Object({
      ...cursorQuery,
      query: Type.Optional(Type.String({ description: "Part of the name or id, ignoring case" })),
    }),
    success: { status: 200, schema: cursorList("AudienceList", Audience) },
    errors: [],
  }),
  "audiences.create": operation({
    id: "audiences.create",
    method: "POST",
    path: "/v2/audiences",
    summary: "Create an audience",
    description: "With `rule`, the audience follows the rule. Without one, it is a fixed list, empty at first.",
    category: "configuration",
    audit: "everyone",
    body: named("AudienceIn", {
      audienceId: Type.String(audienceIdRule),
      name,
      description,
      rule: Type.Optional(rule),
      allowEveryone,
    }),
    success: { status: 201, schema: Audience },
    errors: ["AUDIENCE_EXISTS", "AUDIENCE_LIMIT", ...ruleFaults],
  }),
  "audiences.preview": operation({
    id: "audiences.preview",
    method: "POST",
    path: "/v2/audiences/preview",
    summary: "Count the people of a rule that is not saved, with its cost",
    category: "configuration",
    isReadOnly: true,
    isFromReplica: true,
    role: "viewer",
    body: named("AudiencePreviewIn", {
      rule,
      audienceId: Type.Optional(Type.String({ description: "The audience that the rule is for, if it exists" })),
    }),
    success: { status: 200, schema: AudiencePreview },
    errors: ["AUDIENCE_TOO_SLOW"],
  }),
  "audiences.retrieve": operation({
    id: "audiences.retrieve",
    method: "GET",
    path: "/v2/audiences/{audienceId}",
    summary: "Retrieve an audience",
    category: "configuration",
    params: audiencePath,
    success: { status: 200, schema: Audience },
    errors: ["AUDIENCE_NOT_FOUND"],
  }),
  "audiences.update": operation({
    id: "audiences.update",
    method: "PATCH",
    path: "/v2/audiences/{audienceId}",
    summary: "Change an audience",
    description: "A rule cannot become a fixed list, nor a fixed list a rule.",
    category: "configuration",
    audit: "everyone",
    params: audiencePath,
    body: named("AudiencePatch", {
      name: Type.Optional(name),
      description,
      rule: Type.Optional(rule),
      allowEveryone,
    }),
    success: { status: 200, schema: Audience },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_KIND", ...ruleFaults],
  }),
  "audiences.delete": operation({
    id: "audiences.delete",
    method: "DELETE",
    path: "/v2/audiences/{audienceId}",
    summary: "Delete an audience",
    description: "Refused while another audience, a workflow or a broadcast that is not finished uses it.",
    category: "configuration",
    audit: "everyone",
    params: audiencePath,
    success: { status: 204 },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_IN_USE"],
  }),
  "audiences.count": operation({
    id: "audiences.count",
    method: "GET",
    path: "/v2/audiences/{audienceId}/count",
    summary: "Count the people of an audience",
    category: "configuration",
    isFromReplica: true,
    params: audiencePath,
    success: { status: 200, schema: AudienceCount },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_TOO_SLOW"],
  }),
  "audiences.listPeople": operation({
    id: "audiences.listPeople",
    method: "GET",
    path: "/v2/audiences/{audienceId}/people",
    summary: "List the people of an audience",
    category: "configuration",
    isFromReplica: true,
    params: audiencePath,
    query: Type.Object({
      after: Type.Optional(Type.String({ description: "`next` of the page before" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    success: {
      status: 200,
      schema: Type.Object(
        {
          data: Type.Array(AudiencePerson),
          next: nullableString({ description: "`after` of the next page; null on the last one" }),
        },
        { title: "AudiencePeople" },
      ),
    },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_TOO_SLOW"],
  }),
  "audiences.explain": operation({
    id: "audiences.explain",
    method: "GET",
    path: "/v2/audiences/{audienceId}/people/{subscriberId}",
    summary: "Explain why a subscriber is in an audience, or why not",
    category: "configuration",
    params: Type.Object({ audienceId: Type.String(), subscriberId: Type.String() }),
    success: { status: 200, schema: AudienceExplanation },
    errors: ["AUDIENCE_NOT_FOUND", "SUBSCRIBER_NOT_FOUND"],
  }),
};
