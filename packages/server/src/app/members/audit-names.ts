// The name of what a change is about, as members know it: the name of a workflow or an integration, an address, a
// member.
import { isJsonObject, type JsonObject } from "@tidings/contract";
import { withoutQuery } from "../../lib/hidden-secrets.ts";

type Namer = (record: JsonObject, params: Record<string, string>) => unknown;

const joined = (...parts: unknown[]): string => parts.filter((part) => typeof part === "string" && part).join(" ");

/** The query of an address may hold a secret. */
const hostAndPath = (url: unknown): unknown => (typeof url === "string" ? withoutQuery(url) : undefined);

/** Resources whose records have no member `name`, or one that is not enough. */
const namers: Record<string, Namer> = {
  environmentVariables: ({ key }, params) => key || params.variableKey,
  webhooks: ({ url }) => hostAndPath(url),
  subscribers: ({ firstName, lastName, subscriberId }, params) =>
    joined(firstName, lastName) || subscriberId || params.subscriberId,
  subscriberNotifications: (_record, params) => params.subscriberId,
  topics: ({ name, key }, params) => name || key || params.topicKey,
  topicSubscriptions: (_record, params) => params.topicKey,
  suppressions: ({ address }) => address,
  people: ({ name, email }) => name || email,
  notifications: ({ workflowId, subscriberId }) => workflowId && `${workflowId} to ${subscriberId}`,
  events: ({ name, workflow }, params) => name || workflow || params.transactionId,
  deadLetterReplays: ({ total }) =>
    typeof total === "number" ? `${total.toLocaleString("en")} ${total === 1 ? "message" : "messages"}` : undefined,
  deadLetters: ({ workflowId, subscriberId }) => workflowId && `${workflowId} to ${subscriberId}`,
  contexts: ({ type, id }, params) => joined(type, id) || joined(params.type, params.id),
  translations: (_record, { resourceId, locale }) => joined(resourceId, locale),
  imports: ({ fileName }) => fileName,
};

const usual: Namer = ({ name, email, identifier }) => name || email || identifier;

const maxNameLength = 200;

/** The first of these records that has a name; null when none has. */
export function findName(resource: string, params: Record<string, string>, records: unknown[]): string | null {
  const nameOf = namers[resource] ?? usual;
  for (const record of [...records.filter(isJsonObject), {}]) {
    const name = nameOf(record, params);
    if (typeof name === "string" && name.trim() !== "") return name.trim().slice(0, maxNameLength).toWellFormed();
  }
  return null;
}

/** For an entry that was written before entries had names. */
export const nameInEntry = (before: JsonObject | null, after: JsonObject | null): string | null =>
  findName("", {}, [after, before, after?.request, after?.answer]);
