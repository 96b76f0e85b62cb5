// Recipients of an event, judged one by one: a bad one is reported by name and never holds up the others.
import { emailPattern, identifiers, type RecipientSubscriber, type TriggerEvent } from "@tidings/contract";
import { formats } from "../validation.ts";

export type Recipients = { valid: RecipientSubscriber[]; rejected: string[] };

const idPattern = new RegExp(identifiers.subscriberId.pattern);

/** Null when the recipient is fine, otherwise what is wrong with it. */
export function recipientFault(recipient: RecipientSubscriber): string | null {
  const id = recipient.subscriberId;
  if ("topicKey" in recipient) return "topics are not supported yet";
  if (id === undefined || id === "") return "subscriberId is required";
  if (id.length > identifiers.subscriberId.maxLength) return "subscriberId must not be longer than 255 characters";
  if (!idPattern.test(id)) return "subscriberId has an invalid format";
  if (recipient.email !== undefined && !emailPattern.test(recipient.email)) return "email has an invalid format";
  if (recipient.timezone !== undefined && !formats.timezone(recipient.timezone)) return "timezone is not an IANA name";
  if (recipient.locale !== undefined && !formats.locale(recipient.locale)) return "locale has an invalid format";
  return null;
}

/** Everyone once, in order of first appearance; fields given twice for the same subscriber: the last one wins. */
export function readRecipients(to: TriggerEvent["to"]): Recipients {
  const list = Array.isArray(to) ? to : [to];
  const valid = new Map<string, RecipientSubscriber>();
  const rejected: string[] = [];
  for (const entry of list) {
    const recipient = toRecipient(entry);
    const fault = recipientFault(recipient);
    if (fault) rejected.push(`Recipient '${recipient.subscriberId ?? ""}' is not valid: ${fault}`);
    else valid.set(recipient.subscriberId!, { ...valid.get(recipient.subscriberId!), ...recipient });
  }
  return { valid: [...valid.values()], rejected };
}

/** Only the members we know: the rest of what a caller sends about a person is not kept. */
export function toRecipient(entry: string | RecipientSubscriber): RecipientSubscriber {
  if (typeof entry === "string") return { subscriberId: entry.trim() };
  const { subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data } = entry;
  const fields = { firstName, lastName, email, phone, avatar, locale, timezone, data };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const topic = "topicKey" in entry ? { topicKey: entry.topicKey } : {};
  return { subscriberId: subscriberId?.trim(), ...given, ...topic };
}
