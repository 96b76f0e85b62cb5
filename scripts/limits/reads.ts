// Limits of reads and of live connections.
import {
  countCap,
  maxCountedMembers,
  maxCountedRecipients,
  maxInFlightChecked,
  maxNotificationCount,
  maxNotificationFilters,
  maxStatisticsDays,
} from "@tidings/contract";
import { constant } from "./constants.ts";
import { byDefault, count, duration, maxItems, named, type Row, rateLimited, timeIn } from "./values.ts";

export const readLimits: Row[] = [
  {
    limit: "database connections for reads; for one environment",
    value: `${count(byDefault("TIDINGS_READ_POOL"))}; all but one`,
    setting: "TIDINGS_READ_POOL",
    beyond:
      `the request waits up to ${timeIn("engine.ts", "waitMs")}, behind at most ${named("engine.ts", "waitingPerOwner")} ` +
      `others of its environment; then ${rateLimited}`,
  },
  {
    limit: "duration of one read statement",
    value: duration(byDefault("TIDINGS_READ_SECONDS") * 1_000),
    setting: "TIDINGS_READ_SECONDS",
    beyond: "422 `QUERY_TOO_EXPENSIVE`",
  },
  { limit: "`totalCount`", value: count(countCap), beyond: "counting stops there" },
  { limit: "inbox counts", value: count(maxNotificationCount), beyond: "counting stops there" },
  {
    limit: "filters in one inbox count; messages marked as seen by id",
    value: `${count(maxNotificationFilters)}; ${maxItems("subscriberNotifications.markSeen", "notificationIds")}`,
    beyond: "422",
  },
  {
    limit: "lifetime of an inbox token",
    value: `session ${timeIn("session.ts", "sessionMs")}, \`POST /v2/inbox/tokens\` ${timeIn("session.ts", "tokenMs")}`,
    beyond: "401 `INBOX_TOKEN_INVALID`",
  },
  {
    limit: "text search in the event list",
    value:
      `${named("notification-search.ts", "maxSubscribers")} matching subscribers, 500 events of each; for part of a ` +
      `transaction id, the newest ${named("notification-search.ts", "recentNotifications")} events`,
    beyond: "422 for more subscribers; older events are found by their full transaction id",
  },
  {
    limit: "events in one export (`/v1/exports/activity.csv`)",
    value: `${named("activity-export.ts", "maxExportedEvents")}, and ${named("activity-export.ts", "maxPages")} pages of the list`,
    beyond: "the last line says that more exist",
  },
  {
    limit: "search keys of a workflow",
    value: `5, of 128 characters; values of up to ${named("search-values.ts", "maxValueLength")} characters`,
    beyond: "422; longer values are not found by key",
  },
  {
    limit: "event list with outcomes (`/v1/activity/events`)",
    value:
      `${named("activity-list.ts", "cheap: { most")} events per request, ${named("activity-list.ts", "costly: { most")} with an outcome or text filter, ` +
      `about ${timeIn("activity-list.ts", "maxScanMs")}; ${count(maxCountedRecipients)} recipients of an event`,
    beyond: "a short page with `next`; `isCapped`",
  },
  {
    limit: "notifications by `outcome`; runs of a workflow in progress",
    value: `the newest ${count(maxInFlightChecked)} notifications`,
    beyond: "older ones are not found; `isCapped`",
  },
  {
    limit: "results of a broadcast",
    value: `${timeIn("result-counts.ts", "defaultCountingMs")} of counting per request`,
    beyond: "`isCapped`; the next request within a minute continues",
  },
  {
    limit: "events in an open digest",
    value: `counted up to ${count(maxCountedMembers)}`,
    beyond: "counting stops there; pages contain them all",
  },
  {
    limit: "entries per part of the exported audit log",
    value: `100; failed sign-ins are recorded ${named("failed-sign-ins.ts", "maxPerMinute")} times a minute per client address`,
    beyond: "–",
  },
  { limit: "publish history", value: "`TIDINGS_AUDIT_DAYS`", beyond: "404" },
  {
    limit: "statistics",
    value:
      `${maxStatisticsDays.hour} days by hour, ${maxStatisticsDays.day} days by day; the current hour from ` +
      `${named("statistics.ts", "maxLiveRows")} messages`,
    beyond: "422",
  },
  {
    limit: "activity streams",
    value: `${named("activity-stream.ts", "maxPerEnvironment")} per environment, ${named("activity-stream.ts", "maxStreams")} per process`,
    beyond: "503 `UNAVAILABLE`",
  },
];

export const liveLimits: Row[] = [
  {
    limit: "live connections to one process",
    value: count(byDefault("TIDINGS_LIVE_CONNECTIONS")),
    setting: "TIDINGS_LIVE_CONNECTIONS",
    beyond: "503 `UNAVAILABLE` with a random `Retry-After` of 1 to 10 s",
  },
  {
    limit: "of these, for one environment",
    value: `${100 * constant("limits.ts", "prod")} %; ${100 * constant("limits.ts", "dev")} % for a development environment`,
    beyond: "the same",
  },
  {
    limit: "live connections from one IPv4 address or IPv6 /64 network with sessions without a hash",
    value: named("limits.ts", "anonymousPerNetwork"),
    beyond: "429 `LIVE_CONNECTION_LIMIT`; behind a proxy, set `TIDINGS_TRUSTED_PROXIES`",
  },
  {
    limit: "live connections of one subscriber to one process",
    value: count(byDefault("TIDINGS_LIVE_PER_SUBSCRIBER")),
    setting: "TIDINGS_LIVE_PER_SUBSCRIBER",
    beyond: "429 `LIVE_CONNECTION_LIMIT`",
  },
  {
    limit: "new connections to one process",
    value: `${named("limits.ts", "admissionsPerSecond")} per second`,
    beyond: `they wait for their turn, up to ${timeIn("limits.ts", "maxAdmissionMs")}, then 503 \`UNAVAILABLE\``,
  },
  {
    limit: "output that a client has not read",
    value: `${count(constant("upkeep.ts", "maxBufferedBytes") / 1_000_000)} MB for a second`,
    beyond: "the connection is closed; a stream receives what it missed when it resumes",
  },
  {
    limit: "messages of an inbox that are counted and watched for changes",
    value: `the newest ${named("live.batch.ts", "maxMessages")}`,
    beyond: "`hasMore` is true",
  },
  {
    limit: "new or changed messages sent at once",
    value: named("inbox.ts", "maxEvents"),
    beyond: "the newest are sent, then `changed` with `null`",
  },
  {
    limit: "a WebSocket message from a client",
    value: `${named("sockets.ts", "maxMessageBytes")} bytes`,
    beyond: "the connection is closed",
  },
  {
    limit: "age of a `Last-Event-ID`",
    value: timeIn("resume-token.ts", "maxMs"),
    beyond: "`changed` with `null`: read the list again",
  },
  {
    limit: "time between heartbeats",
    value: duration(byDefault("TIDINGS_LIVE_HEARTBEAT") * 1_000),
    setting: "TIDINGS_LIVE_HEARTBEAT",
    beyond: "a socket that does not respond before the next heartbeat is closed",
  },
  {
    limit: "delay when a hint between processes is lost",
    value: duration(byDefault("TIDINGS_LIVE_SWEEP") * 1_000),
    setting: "TIDINGS_LIVE_SWEEP",
    beyond: "–",
  },
];
