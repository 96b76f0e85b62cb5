// The people of fixed audiences.
import { identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, Type } from "../../schema.ts";
import { Audience, audienceIdRule, audiencePath } from "./audiences.ts";

/** Subscribers that one request adds or removes. */
export const membersPerRequest = 500;

const subscriberIds = Type.Array(Type.String(identifiers.subscriberId), {
  minItems: 1,
  maxItems: membersPerRequest,
  description: "Up to 500 ids of subscribers that exist",
});

export const audienceMemberOperations = {
  "audiences.addMembers": operation({
    id: "audiences.addMembers",
    method: "POST",
    path: "/v2/audiences/{audienceId}/members",
    summary: "Add subscribers to a fixed audience",
    category: "configuration",
    audit: "everyone",
    params: audiencePath,
    body: named("AudienceMembersIn", { subscriberIds }),
    success: {
      status: 200,
      schema: named("AudienceMembersAdded", {
        added: Type.Integer({ description: "Those that were not in it before" }),
        unknown: Type.Array(Type.String(), { description: "Ids without a subscriber, which are not added" }),
      }),
    },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_KIND"],
  }),
  "audiences.removeMembers": operation({
    id: "audiences.removeMembers",
    method: "DELETE",
    path: "/v2/audiences/{audienceId}/members",
    summary: "Remove subscribers from a fixed audience",
    category: "configuration",
    audit: "everyone",
    params: audiencePath,
    body: named("AudienceMembersOut", { subscriberIds }),
    success: { status: 200, schema: named("AudienceMembersRemoved", { removed: Type.Integer() }) },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_KIND"],
  }),
  "audiences.snapshot": operation({
    id: "audiences.snapshot",
    method: "POST",
    path: "/v2/audiences/{audienceId}/snapshot",
    summary: "Keep the people of an audience as a fixed audience",
    description: "The new audience has everyone who is in this one now, and does not change with it.",
    category: "configuration",
    audit: "everyone",
    params: audiencePath,
    body: named("AudienceSnapshotIn", {
      audienceId: Type.String({ ...audienceIdRule, description: "Id of the new audience" }),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    }),
    success: { status: 201, schema: Audience },
    errors: ["AUDIENCE_NOT_FOUND", "AUDIENCE_EXISTS", "AUDIENCE_LIMIT", "AUDIENCE_TOO_SLOW"],
  }),
};
