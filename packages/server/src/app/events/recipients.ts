// Recipients of an event, judged one by one: a bad one is reported by name and never holds up the others.
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
import type { Audience } from "../../store/tables.ts";
import { checkShape } from "../../validation.ts";

type TopicAudience = Extract<Audience, { kind: "topics" }>;

/** `topics` is null when the request names no valid one. */
export type Recipients = { valid: RecipientSubscriber[]; topics: TopicAudience | null; rejected: string[] };

/** A recipient's fields become the subscriber's, so they obey the same rules. */
const faultsIn = checkShape(SubscriberIn);

const topicFaultsIn = checkShape(RecipientTopic);

/** Null when the recipient is fine, otherwise what is wrong with it. */
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

/** Everyone once, in order of first appearance; fields given twice for the same subscriber: the last one wins. */
export function readRecipients(to: TriggerEvent["to"]): Recipients {
  const valid = new Map<string, RecipientSubscriber>();
  const topicKeys = new Set<string>();
  const exclude = new Set<string>();
  const rejected: string[] = [];
  const reject = (id: string, fault: string) => rejected.push(`Recipient '${id}' is not valid: ${fault}`);
  for (const entry of Array.isArray(to) ? to : [to]) {
    if (isTopic(entry)) {
      const [fault] = topicFaultsIn(entry);
      if (fault) reject(shown(typeof entry.topicKey === "string" ? entry.topicKey.trim() : ""), fault);
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

/** Meant as a topic, well-formed or not. */
const isTopic = (entry: Recipient): entry is RecipientTopic =>
  typeof entry === "object" &&
  (("type" in entry && entry.type === "Topic") || ("topicKey" in entry && !("subscriberId" in entry)));

/** Ids are told back in errors, but not whole books. */
const shown = (id: string): string => (id.length > 255 ? `${id.slice(0, 255)}…` : id);

export function readRecipient(entry: string | RecipientSubscriber) {
  const given = typeof entry === "string" ? { subscriberId: entry } : entry;
  const trimmed = { ...given, subscriberId: given.subscriberId?.trim() };
  const fault = recipientFault(trimmed);
  return { id: shown(trimmed.subscriberId ?? ""), recipient: fieldsOf(trimmed), fault };
}

/** Only the members we know: the rest of what a caller sends about a person is not kept. */
function fieldsOf(recipient: RecipientSubscriber): RecipientSubscriber {
  const { subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data } = recipient;
  const channels = recipient.channels?.map(({ providerId, integrationIdentifier, credentials }) => {
    const { webhookUrl, deviceTokens } = credentials ?? {};
    return { providerId, integrationIdentifier, credentials: withoutGaps({ webhookUrl, deviceTokens }) };
  });
  return withoutGaps({ subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data, channels });
}

/** A member that is undefined would clear what is stored when it is laid over it. */
const withoutGaps = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
