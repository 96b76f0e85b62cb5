// The one table of what people may do: the least role of every operation, and which changes are in the audit log. API keys have
// no role: a key may call every operation of its environment.
import { type Operation, readsOnly } from "./operation.ts";
import type { OperationId } from "./operations.ts";
import { isRoleEnough, type Role } from "./roles.ts";
import { isJsonObject } from "./schema.ts";

/** Files with many records in one, which are no operations (`GET /v1/exports/….csv`). */
export const exportIds = [
  "exports.subscribers",
  "exports.subscriptions",
  "exports.faultyLines",
  "exports.activity",
  "exports.deadLetters",
  "exports.statistics",
] as const;
export type ExportId = (typeof exportIds)[number];

/**
 * What the rule does not say. The rule: operations that only read need `viewer`, all others `editor`. Answers to people hide the
 * secrets that their role may not see (secrets.ts).
 */
const exceptions: Partial<Record<OperationId | ExportId, Role>> = {
  // Everyone's own account.
  "auth.signOut": "viewer",
  "auth.signOutEverywhere": "viewer",
  "auth.updatePerson": "viewer",
  // People, API keys, the end of an environment.
  "people.list": "owner",
  "people.update": "owner",
  "people.delete": "owner",
  "people.createResetLink": "owner",
  "people.listResetLinks": "owner",
  "people.deleteResetLink": "owner",
  "people.listInvitations": "owner",
  "people.createInvitation": "owner",
  "people.deleteInvitation": "owner",
  "environments.createApiKey": "owner",
  "environments.revokeApiKey": "owner",
  "environments.delete": "owner",
  "auditLog.list": "editor",
  "auditLog.export": "editor",
  // What support needs: a subscriber's addresses, channels, preferences and subscriptions …
  "subscribers.update": "support",
  "subscribers.updateOnlineStatus": "support",
  "subscribers.replaceCredentials": "support",
  "subscribers.appendCredentials": "support",
  "subscribers.deleteCredentials": "support",
  "subscribers.updatePreferences": "support",
  "subscribers.bulkUpdatePreferences": "support",
  "channelEndpoints.create": "support",
  "channelEndpoints.update": "support",
  "channelEndpoints.delete": "support",
  "topicSubscriptions.create": "support",
  "topicSubscriptions.update": "support",
  "topicSubscriptions.delete": "support",
  "suppressions.create": "support",
  "suppressions.delete": "support",
  // … the marks of messages …
  "subscribers.markMessages": "support",
  "subscribers.markAllMessages": "support",
  "subscribers.markMessageAction": "support",
  "subscriberNotifications.markRead": "support",
  "subscriberNotifications.markUnread": "support",
  "subscriberNotifications.archive": "support",
  "subscriberNotifications.unarchive": "support",
  "subscriberNotifications.snooze": "support",
  "subscriberNotifications.unsnooze": "support",
  "subscriberNotifications.completeAction": "support",
  "subscriberNotifications.revertAction": "support",
  "subscriberNotifications.markSeen": "support",
  "subscriberNotifications.markAllRead": "support",
  "subscriberNotifications.archiveAll": "support",
  "subscriberNotifications.archiveAllRead": "support",
  // … and what is under way or failed. Events are triggered by editors; a dry run only reads.
  "events.cancel": "support",
  "notifications.resendStep": "support",
  // The addresses and payloads of many people in one file.
  "scenarios.export": "support",
  "exports.subscribers": "support",
  "exports.subscriptions": "support",
  "exports.faultyLines": "support",
  "exports.activity": "support",
  "integrations.tryNow": "support",
  "exports.deadLetters": "support",
  "deadLetters.replay": "support",
  "deadLetters.replayMany": "support",
  "deadLetterReplays.create": "support",
  "deadLetterReplays.pause": "support",
  "deadLetterReplays.resume": "support",
  "deadLetterReplays.stop": "support",
  "failedTasks.replay": "support",
  "webhooks.replay": "support",
};

/** Whether people call the operation: with a session, in an environment or without one. */
export const isForPeople = ({ access }: Pick<Operation, "access">): boolean =>
  access === undefined || access === "person";

/** The least role that may call the operation; null where people do not call it with a session. */
export function leastRoleOf(operation: Operation): Role | null {
  if (!isForPeople(operation)) return null;
  return exceptions[operation.id as OperationId] ?? (readsOnly(operation) ? "viewer" : "editor");
}

/**
 * Members of a request that need more than the operation itself: an address of the person's choice gets data of subscribers, and
 * another payload is other content, which only editors send.
 */
const memberRoles: Partial<Record<OperationId, Record<string, Role>>> = {
  "explain.dryRun": { bridgeUrl: "editor" },
  "deadLetterReplays.create": { payload: "editor" },
};

export const memberRolesOf = ({ id }: Operation): Record<string, Role> | undefined => memberRoles[id as OperationId];

/** The first member of a request that the role may not send, and the role it needs; null: the role may send the request. */
export function refusedMember(operation: Operation, body: unknown, role: Role): { name: string; needed: Role } | null {
  if (!isJsonObject(body)) return null;
  const refused = Object.entries(memberRolesOf(operation) ?? {}).find(
    ([name, needed]) => body[name] !== undefined && !isRoleEnough(role, needed),
  );
  return refused ? { name: refused[0], needed: refused[1] } : null;
}

/** Reads that people leave a trace of: they put the data of many people into one file. */
const auditedReads: ReadonlySet<string> = new Set(["scenarios.export"] satisfies OperationId[]);

/** Resources that hold the configuration of an environment. */
const configuration = [
  "workflows",
  "bridge",
  "layouts",
  "translations",
  "files",
  "integrations",
  "environments",
  "webhooks",
];

/**
 * Which changes are in the audit log. By people: all, and exports. By API keys: changes of the configuration; triggers, marks,
 * subscribers, topics and all else that programs do all the time are not.
 */
export function isAudited(operation: Operation, by: "person" | "key"): boolean {
  if (!isForPeople(operation)) return false;
  if (readsOnly(operation)) return by === "person" && auditedReads.has(operation.id);
  return by === "person" || configuration.includes(operation.id.slice(0, operation.id.indexOf(".")));
}
