// What callers send about topic subscriptions: entries to subscribe and to delete, and the rules that come with them.
import { named, openObject, type Static, Type } from "../../schema.ts";
import { ContextMap } from "./contexts.ts";
import { topicNameRule } from "./topics.ts";

/** Subscriptions one subscriber may hold in one topic. */
export const subscriptionsPerSubscriber = 10;

/** Characters of a subscription identifier; control characters are refused too. */
export const subscriptionIdentifierLength = 512;

/** Entries of one request, those of `subscriberIds` included. */
export const maxSubscriptionEntries = 100;
const subscriptionName = Type.String({ minLength: 1, maxLength: 128 });

// A rule names one workflow, or with `filter` a group of them. Both forms are one schema, so that each error is
// reported at its own place and not once per form.
export const SubscriptionRuleIn = named(
  "SubscriptionRuleIn",
  {
    workflowId: Type.Optional(
      Type.String({ minLength: 1, description: "Identifier or internal id; may not exist yet" }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          workflowIds: Type.Optional(Type.Array(Type.String())),
          tags: Type.Optional(Type.Array(Type.String())),
        },
        { description: "Workflows that are named or have one of the tags; an empty filter means all of them" },
      ),
    ),
    enabled: Type.Optional(Type.Boolean({ description: "Default: the workflow's own setting" })),
    condition: Type.Optional(
      openObject({
        jsonLogic: true,
        description: "JSON Logic over `payload`, `subscriber` and `workflow`; passes when the result is exactly true",
      }),
    ),
  },
  { anyOf: [{ required: ["workflowId"] }, { required: ["filter"] }], description: "With `workflowId` or `filter`" },
);

const rules = Type.Optional(
  Type.Array(Type.Union([Type.String({ minLength: 1, description: "A workflow id" }), SubscriptionRuleIn]), {
    maxItems: 100,
    maxJsonBytes: 65_536,
    description: "In order: the first rule that matches a workflow applies to it",
  }),
);

export { rules as subscriptionRules };
export type SubscriptionRulesIn = (string | Static<typeof SubscriptionRuleIn>)[];

const subscriberIds = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: maxSubscriptionEntries,
    deprecated: true,
    description:
      "Use `subscriptions` instead. If both are given, both lists are used, with at most 100 entries in total",
  }),
);

export const SubscriptionEntryIn = named("SubscriptionEntryIn", {
  subscriberId: Type.String(),
  identifier: Type.Optional(
    Type.String({ description: "1 to 512 characters; default `tk_<topicKey>:si_<subscriberId>`" }),
  ),
  name: Type.Optional(subscriptionName),
});

export const SubscriptionsIn = named("SubscriptionsIn", {
  subscriptions: Type.Optional(
    Type.Array(Type.Union([Type.String({ description: "A subscriber id" }), SubscriptionEntryIn]), {
      maxItems: maxSubscriptionEntries,
    }),
  ),
  subscriberIds,
  name: Type.Optional(Type.String({ ...topicNameRule, description: "Name of the topic" })),
  context: Type.Optional(ContextMap),
  preferences: rules,
});
export type SubscriptionsIn = Static<typeof SubscriptionsIn>;

export const SubscriptionsDelete = named("SubscriptionsDelete", {
  subscriptions: Type.Optional(
    Type.Array(
      Type.Union([
        Type.String({ description: "A subscriber id" }),
        named("SubscriptionEntryDelete", {
          subscriberId: Type.Optional(
            Type.String({ description: "On its own: all the subscriber's subscriptions to the topic" }),
          ),
          identifier: Type.Optional(Type.String()),
        }),
      ]),
      { maxItems: maxSubscriptionEntries },
    ),
  ),
  subscriberIds,
});
export type SubscriptionsDelete = Static<typeof SubscriptionsDelete>;

export const SubscriptionPatch = named("SubscriptionPatch", {
  name: Type.Optional(subscriptionName),
  preferences: rules,
});
