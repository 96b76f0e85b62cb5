// What the rule of an audience can read, by dotted paths. Pure.
import { type Channel, channels } from "@tidings/contract";
import { suggestName } from "../text/nearest.ts";

const subscriberTexts = [
  "subscriberId",
  "firstName",
  "lastName",
  "email",
  "phone",
  "avatar",
  "locale",
  "timezone",
] as const;
const subscriberTimes = ["lastOnlineAt", "createdAt", "updatedAt"] as const;
const subscriberFields = [...subscriberTexts, "data", "isOnline", ...subscriberTimes] as const;

const activityTimes = { lastOnlineAt: "online", lastReadAt: "read", lastOpenedAt: "opened" } as const;
const activityDays = { daysSinceOnline: "online", daysSinceRead: "read", daysSinceOpened: "opened" } as const;
export type ActivityKind = "online" | "read" | "opened";

export type RuleField =
  | { kind: "text"; name: (typeof subscriberTexts)[number] }
  | { kind: "time"; name: (typeof subscriberTimes)[number] }
  | { kind: "online" }
  | { kind: "data"; path: string[] }
  | { kind: "topics" }
  | { kind: "audiences" }
  | { kind: "preference"; workflowId: string | null; channel: Channel }
  | { kind: "activityTime"; activity: ActivityKind }
  | { kind: "activityDays"; activity: ActivityKind };

const roots = ["subscriber", "topics", "audiences", "preferences", "activity"];
const includes = <T extends string>(names: readonly T[], name: string | undefined): name is T =>
  (names as readonly (string | undefined)[]).includes(name);
const memberOf = <T extends object>(names: T, name: string): T[keyof T] | undefined =>
  Object.hasOwn(names, name) ? names[name as keyof T] : undefined;

/** The field of a path, or what is wrong with it, worded to follow the name of the rule. */
export function readField(path: string): RuleField | { fault: string } {
  const [root, ...rest] = path.split(".");
  if (root === "subscriber") return readSubscriber(path, rest);
  if (root === "topics" || root === "audiences") {
    const use = `{"in": ["…", {"var": "${root}"}]}`;
    return rest.length === 0 ? { kind: root } : { fault: `reads ${shown(path)}: ask for a member with ${use}` };
  }
  if (root === "preferences") return readPreference(path, rest);
  if (root === "activity") return readActivity(path, rest);
  if (root === "payload")
    return { fault: `reads ${shown(path)}: an audience is about people and has no payload; use subscriber.data` };
  const own = includes(subscriberFields, root) ? `subscriber.${path}` : null;
  return unknown(path, own ?? suggestName(root!, roots), `known are ${roots.join(", ")}`);
}

const shown = (path: string): string => (path.length > 100 ? `${path.slice(0, 100).toWellFormed()}…` : path);

const unknown = (path: string, meant: string | null, known: string): { fault: string } => ({
  fault: `reads the unknown field ${shown(path)}; ${meant === null ? known : `did you mean ${meant}?`}`,
});

function readSubscriber(path: string, [name, ...rest]: string[]): RuleField | { fault: string } {
  if (name === undefined) return { fault: "reads subscriber as a whole: name one of its fields" };
  if (name === "data") {
    const index = rest.find(isIndex);
    return index === undefined
      ? { kind: "data", path: rest }
      : { fault: `reads ${shown(path)}: items of lists are read with in, contains, some, all or none, not by number` };
  }
  if (!includes(subscriberFields, name)) {
    const near = suggestName(name, subscriberFields);
    return unknown(path, `subscriber.${near === null ? ["data", name, ...rest].join(".") : near}`, "");
  }
  if (rest.length > 0) return { fault: `reads ${shown(path)}: subscriber.${name} has no members` };
  if (includes(subscriberTexts, name)) return { kind: "text", name };
  return includes(subscriberTimes, name) ? { kind: "time", name } : { kind: "online" };
}

/** What PostgreSQL would take for the number of an item. */
export const isIndex = (name: string): boolean => /^\s*[+-]?\d+$/.test(name);

function readPreference(path: string, [level, ...rest]: string[]): RuleField | { fault: string } {
  const channel = rest.at(-1);
  const form = "preferences.global.<channel> or preferences.workflows.<workflowId>.<channel>";
  if (level !== "global" && level !== "workflows") return { fault: `reads ${shown(path)}: read ${form}` };
  const workflowId = rest.slice(0, -1).join(".");
  if (channel === undefined || (level === "global") !== (workflowId === ""))
    return { fault: `reads ${shown(path)}: read ${form}` };
  if (includes(channels, channel)) return { kind: "preference", workflowId: workflowId || null, channel };
  const near = suggestName(channel, channels);
  const meant = near && ["preferences", level, workflowId, near].filter(Boolean).join(".");
  return unknown(path, meant, `channels are ${channels.join(", ")}`);
}

function readActivity(path: string, [name = "", ...rest]: string[]): RuleField | { fault: string } {
  const known = [...Object.keys(activityTimes), ...Object.keys(activityDays)];
  if (rest.length > 0 || !known.includes(name)) {
    const near = suggestName(name, known);
    return unknown(path, near && `activity.${near}`, `activity has ${known.join(", ")}`);
  }
  const time = memberOf(activityTimes, name);
  if (time) return { kind: "activityTime", activity: time };
  return { kind: "activityDays", activity: memberOf(activityDays, name)! };
}
