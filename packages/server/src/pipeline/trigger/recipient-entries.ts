// Recipients of an event, checked one by one: an invalid one is reported by its id and does not stop the others.
import {
  maxDeviceTokenLength,
  maxDeviceTokens,
  type Recipient,
  RecipientAudience,
  type RecipientSubscriber,
  RecipientTopic,
  SubscriberIn,
  type TriggerEvent,
} from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import { definedMembers } from "../../lib/json.ts";
import type { Audience } from "../../store/tables.ts";
import { checkShape } from "../../validation.ts";

/** `group`: the topics or audiences that the request names; null when it names no valid one. */
export type Recipients = { valid: RecipientSubscriber[]; group: Audience | null; rejected: string[] };

/** The fields of a recipient are stored as the subscriber's, so they obey the same schema. */
const faultsIn = checkShape(SubscriberIn);

const topicFaultsIn = checkShape(RecipientTopic);
const audienceFaultsIn = checkShape(RecipientAudience);

/** Null when the recipient is valid. */
function recipientFault(recipient: RecipientSubscriber): string | null {
  return faultsIn(recipient)[0] ?? channelFault(recipient.channels ?? []);
}

function channelFault(channels: NonNullable<RecipientSubscriber["channels"]>): string | null {
  for (const [index, { providerId, credentials }] of channels.entries()) {
    const field = `channels.${index}`;
    if (!providerId) return `${field}.providerId is required`;
    const channel = findProvider(providerId)?.channel;
    if (channel !== "chat" && channel !== "push") return `${field}.providerId must be a chat or push provider`;
    if (!credentials) return `${field}.credentials is required`;
    if ((credentials.deviceTokens?.length ?? 0) > maxDeviceTokens) {
      return `${field}.credentials.deviceTokens must contain no more than ${maxDeviceTokens} elements`;
    }
    if (credentials.deviceTokens?.includes("")) return `${field}.credentials.deviceTokens must not hold empty tokens`;
    if (credentials.deviceTokens?.some((token) => token.length > maxDeviceTokenLength)) {
      return `${field}.credentials.deviceTokens must not hold tokens of more than ${maxDeviceTokenLength} characters`;
    }
  }
  return null;
}

/**
 * `audiences`: ids of those that exist. Each subscriber once, in order of first appearance; the last value of a field
 * that is given twice counts.
 */
export function readRecipients(to: TriggerEvent["to"], audiences: ReadonlySet<string>): Recipients {
  // Most events name one subscriber by its id.
  if (typeof to === "string") {
    const { id, recipient, fault } = readRecipient(to);
    return { valid: fault ? [] : [recipient], group: null, rejected: fault ? [rejection(id, fault)] : [] };
  }
  const valid = new Map<string, RecipientSubscriber>();
  const topicKeys = new Set<string>();
  const audienceIds = new Set<string>();
  const exclude = new Set<string>();
  const rejected: string[] = [];
  const reject = (id: string, fault: string) => rejected.push(rejection(id, fault));
  for (const entry of Array.isArray(to) ? to : [to]) {
    if (isTopic(entry)) {
      const fault = topicFaultsIn(entry)[0] ?? (audienceIds.size > 0 ? mixedGroups : undefined);
      if (fault) reject(truncated(typeof entry.topicKey === "string" ? entry.topicKey.trim() : ""), fault);
      else {
        topicKeys.add(entry.topicKey.trim());
        for (const id of entry.exclude ?? []) exclude.add(id.trim());
      }
      continue;
    }
    if (isAudience(entry)) {
      const id = typeof entry.audienceId === "string" ? entry.audienceId : "";
      const fault =
        audienceFaultsIn(entry)[0] ??
        (topicKeys.size > 0 ? mixedGroups : audiences.has(id) ? undefined : "there is no audience with this id");
      if (fault) reject(truncated(id), fault);
      else {
        audienceIds.add(id);
        for (const id of entry.exclude ?? []) exclude.add(id.trim());
      }
      continue;
    }
    const { id, recipient, fault } = readRecipient(entry);
    if (fault) reject(id, fault);
    else valid.set(id, { ...valid.get(id), ...recipient });
  }
  return { valid: [...valid.values()], group: groupOf(topicKeys, audienceIds, exclude), rejected };
}

/** The rules of topic subscriptions are evaluated while members are read, those of audiences once, when it starts. */
const mixedGroups =
  "topics and audiences cannot be combined in one event: send two events, or use an audience whose rule reads `topics`";

function groupOf(topicKeys: Set<string>, audienceIds: Set<string>, exclude: Set<string>): Audience | null {
  if (topicKeys.size > 0) return { kind: "topics", topicKeys: [...topicKeys], exclude: [...exclude] };
  if (audienceIds.size === 0) return null;
  return { kind: "audiences", audienceIds: [...audienceIds], minus: [], exclude: [...exclude] };
}

const rejection = (id: string, fault: string): string => `Recipient '${id}' is not valid: ${fault}`;

/** Whether the entry is meant as a topic, valid or not. */
const isTopic = (entry: Recipient): entry is RecipientTopic =>
  typeof entry === "object" &&
  (("type" in entry && entry.type === "Topic") || ("topicKey" in entry && !("subscriberId" in entry)));

/** Whether the entry is meant as an audience, valid or not. */
const isAudience = (entry: Exclude<Recipient, RecipientTopic>): entry is RecipientAudience =>
  typeof entry === "object" &&
  (("type" in entry && entry.type === "Audience") || ("audienceId" in entry && !("subscriberId" in entry)));

/** The ids of audiences in the recipients of an event, valid or not. */
export function namedAudiences(to: TriggerEvent["to"]): string[] {
  if (typeof to === "string") return [];
  return (Array.isArray(to) ? to : [to]).flatMap((entry) =>
    typeof entry === "object" && "audienceId" in entry && typeof entry.audienceId === "string" ? entry.audienceId : [],
  );
}

/** Ids in error texts are truncated to 255 characters. */
const truncated = (id: string): string => (id.length > 255 ? `${id.slice(0, 255)}…` : id);

export function readRecipient(entry: string | RecipientSubscriber) {
  const trimmed =
    typeof entry === "string" ? { subscriberId: entry.trim() } : { ...entry, subscriberId: entry.subscriberId?.trim() };
  const fault = recipientFault(trimmed);
  const recipient = typeof entry === "string" ? trimmed : fieldsOf(trimmed);
  return { id: truncated(trimmed.subscriberId ?? ""), recipient, fault };
}

/** Only members of the schema are stored. */
function fieldsOf(recipient: RecipientSubscriber): RecipientSubscriber {
  const { subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data } = recipient;
  const channels = recipient.channels?.map(({ providerId, integrationIdentifier, credentials }) => {
    const { webhookUrl, deviceTokens } = credentials ?? {};
    return { providerId, integrationIdentifier, credentials: definedMembers({ webhookUrl, deviceTokens }) };
  });
  return definedMembers({ subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data, channels });
}
