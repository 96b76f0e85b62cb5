// Downloads: the rows of a list in one file (`GET /v1/exports/….csv`), or the data of one person as an archive
// (`POST /v2/subscribers/{subscriberId}/export`). They return no JSON and are not in the
// OpenAPI document, but they have a role, a rate category and an audit rule like operations. The audit log shows which
// members downloaded the data of many subscribers.
import { operation } from "./operation.ts";
import { activityOperations } from "./resources/activity/activity.ts";
import { statisticsOperations } from "./resources/activity/statistics.ts";
import { deadLetterOperations } from "./resources/operate/dead-letters.ts";
import { importOperations } from "./resources/subscribers/imports.ts";
import { subscriberOperations } from "./resources/subscribers/subscribers.ts";
import { topicSubscriptionOperations } from "./resources/topics/topic-subscriptions.ts";

const personalData = { role: "support", audit: "members" } as const;
const unfiltered = { query: undefined } as const;

/**
 * Each but the archive extends the operation that lists the same rows as pages, and accepts its query unless it is
 * `unfiltered`.
 */
export const exportOperations = {
  "exports.subscribers": operation({
    ...subscriberOperations["subscribers.list"],
    ...unfiltered,
    ...personalData,
    id: "exports.subscribers",
    path: "/v1/exports/subscribers.csv",
  }),
  "exports.subscriptions": operation({
    ...topicSubscriptionOperations["topicSubscriptions.list"],
    ...unfiltered,
    ...personalData,
    id: "exports.subscriptions",
    path: "/v1/exports/subscriptions.csv",
  }),
  "exports.faultyLines": operation({
    ...importOperations["imports.listErrors"],
    ...unfiltered,
    ...personalData,
    id: "exports.faultyLines",
    path: "/v1/exports/faulty-lines.csv",
  }),
  "exports.activity": operation({
    ...activityOperations["activity.listEvents"],
    ...personalData,
    id: "exports.activity",
    path: "/v1/exports/activity.csv",
  }),
  "exports.deadLetters": operation({
    ...deadLetterOperations["deadLetters.list"],
    ...personalData,
    id: "exports.deadLetters",
    path: "/v1/exports/dead-letters.csv",
  }),
  "exports.statistics": operation({
    ...statisticsOperations["statistics.list"],
    id: "exports.statistics",
    path: "/v1/exports/statistics.csv",
    audit: "members",
  }),
  "exports.person": operation({
    ...subscriberOperations["subscribers.retrieve"],
    ...personalData,
    id: "exports.person",
    method: "POST",
    path: "/v2/subscribers/{subscriberId}/export",
    isReadOnly: true,
  }),
};

export type ExportId = keyof typeof exportOperations;
