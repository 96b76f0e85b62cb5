// Recipients of an event, checked one by one: an invalid one is reported by its id and does not stop the others.
import {
  maxDeviceTokenLength,
  maxDeviceTokens,
  type Recipient,
  type RecipientSubscriber,
  RecipientTopic,
  SubscriberIn,
  type TriggerEvent,
} from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import { definedMembers } from "../../lib/json.ts";
import type { Audience } from "../../store/tables.ts";
import { checkShape } from "../../validation.ts";

type TopicAudience = Extract<Audience, { kind: "topics" }>;

/** `topics` is null when the request names no valid one. */
export type Recipients = { valid: RecipientSubscriber[]; topics: TopicAudience | null; rejected: string[] };

/** The fields of a recipient are stored as the subscriber's, so they obey the same schema. */
const faultsIn = checkShape(SubscriberIn);

const topicFaultsIn = checkShape(RecipientTopic);

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

/** Each subscriber once, in order of first appearance; of a field that is given twice, the last value counts. */
export function readRecipients(to: TriggerEvent["to"]): Recipients {
  // Most events name one subscriber by its id.
  if (typeof to === "string") {
    const { id, recipient, fault } = readRecipient(to);
    return { valid: fault ? [] : [recipient], topics: null, rejected: fault ? [rejection(id, fault)] : [] };
  }
  const valid = new Map<string, RecipientSubscriber>();
  const topicKeys = new Set<string>();
  const exclude = new Set<string>();
  const rejected: string[] = [];
  const reject = (id: string, fault: string) => rejected.push(rejection(id, fault));
  for (const entry of Array.isArray(to) ? to : [to]) {
    if (isTopic(entry)) {
      const [fault] = topicFaultsIn(entry);
      if (fault) reject(truncated(typeof entry.topicKey === "string" ? entry.topicKey.trim() : ""), fault);
      else {
        topicKeys.add(entry.topicKey.trim());
        for (const id of entry.exclude ?? []) exclude.add(id.trim());
      }
      continue;
    }
    const { id, recipient, fault } = readRecipient(entry);
    if (fault) reject(id, fault);
    else valid.set(id, { ...valid.get(id), ...recipient });
  }
  const topics: TopicAudience = { kind: "topics", topicKeys: [...topicKeys], exclude: [...exclude] };
  return { valid: [...valid.values()], topics: topicKeys.size > 0 ? topics : null, rejected };
}

const rejection = (id: string, fault: string): string => `Recipient '${id}' is not valid: ${fault}`;

/** Whether the entry is meant as a topic, valid or not. */
const isTopic = (entry: Recipient): entry is RecipientTopic =>
  typeof entry === "object" &&
  (("type" in entry && entry.type === "Topic") || ("topicKey" in entry && !("subscriberId" in entry)));

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
