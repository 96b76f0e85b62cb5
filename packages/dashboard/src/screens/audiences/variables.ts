// What a rule of an audience can read: for the suggestions of the builder, with types and sample values.
import type { JsonObject, Subscriber } from "@tidings/contract";
import { samplesIn } from "../../fields/completion/names.ts";
import type { Knowledge } from "../../fields/condition-types.ts";

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const yesNo = { type: "boolean" };

const subscriberFields: Record<string, JsonObject> = {
  subscriberId: text,
  email: text,
  phone: text,
  firstName: text,
  lastName: text,
  locale: text,
  timezone: text,
  isOnline: yesNo,
  createdAt: time,
};

const days = { type: "number" };
const activityFields: Record<string, JsonObject> = {
  daysSinceOnline: days,
  daysSinceRead: days,
  daysSinceOpened: days,
  lastOnlineAt: time,
  lastReadAt: time,
  lastOpenedAt: time,
};

const listOf = (values: readonly string[]): JsonObject => ({ type: "array", items: { type: "string", enum: values } });

type Known = {
  subscribers: readonly Subscriber[];
  topics: readonly string[];
  audiences: readonly string[];
  workflows: readonly string[];
};

const channels = ["email", "in_app", "sms", "push", "chat"];
const onOrOff: JsonObject = { properties: Object.fromEntries(channels.map((channel) => [channel, yesNo])) };

export function ruleVariables({ subscribers, topics, audiences, workflows }: Known): {
  variables: string[];
  knowledge: Knowledge;
} {
  // The first of the list wins: it is the newest.
  const data = Object.assign({}, ...subscribers.map((one) => one.data ?? {}).toReversed()) as JsonObject;
  const dataPaths = [...samplesIn(data, "subscriber.data")].map(([name]) => name);
  const preferences = ["global", ...workflows.map((id) => `workflows.${id}`)].flatMap((of) =>
    channels.map((channel) => `preferences.${of}.${channel}`),
  );
  return {
    variables: [
      ...Object.keys(subscriberFields).map((name) => `subscriber.${name}`),
      ...(dataPaths.length > 0 ? dataPaths : ["subscriber.data."]),
      "topics",
      "audiences",
      ...Object.keys(activityFields).map((name) => `activity.${name}`),
      ...preferences,
    ],
    knowledge: {
      schema: {
        properties: {
          subscriber: { properties: subscriberFields },
          topics: listOf(topics),
          audiences: listOf(audiences),
          activity: { properties: activityFields },
          preferences: {
            properties: {
              global: onOrOff,
              workflows: { properties: Object.fromEntries(workflows.map((id) => [id, onOrOff])) },
            },
          },
        },
      },
      sample: { subscriber: { ...subscribers[0], data } },
    },
  };
}
