// Delivery reports of Amazon SES. They come as notifications of an SNS topic, which is also who signs them.
// Events: https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
// Proof: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html

import { verify, X509Certificate } from "node:crypto";
import { awsHost } from "./aws.ts";
import { parsed } from "./email.ts";
import { describeReply, retry, SendFault } from "./outcome.ts";
import type { Io } from "./provider.ts";
import {
  dateOf,
  eventsOf,
  type InboundRequest,
  type Receipt,
  type ReceiptStatus,
  type Receipts,
  receipt,
  toleranceMs,
} from "./receipts.ts";
import { get, type HttpReply, textAt } from "./request.ts";
import { cacheKey, harmless } from "./token.ts";

// Kinds of event, with the member that holds their details, and in it the list of those it is about.
const events: Record<string, [status: ReceiptStatus, member: string, about?: string]> = {
  Send: ["sent", "send"],
  Delivery: ["delivered", "delivery", "recipients"],
  DeliveryDelay: ["delayed", "deliveryDelay", "delayedRecipients"],
  Bounce: ["bounced", "bounce", "bouncedRecipients"],
  Complaint: ["complaint", "complaint", "complainedRecipients"],
  Reject: ["rejected", "reject"],
  "Rendering Failure": ["rejected", "failure"],
  Open: ["opened", "open"],
  Click: ["clicked", "click"],
  Subscription: ["unsubscribed", "subscription"],
};

/**
 * Whether the contact has left the list or one of its topics. The event tells every change of preferences, also that
 * the contact came back: what counts is what is newly refused.
 */
const hasLeft = (subscription: unknown): boolean => {
  const [before, after] = ["oldTopicPreferences", "newTopicPreferences"].map((name) => memberAt(subscription, name));
  if (memberAt(after, "unsubscribeAll") === true && memberAt(before, "unsubscribeAll") !== true) return true;
  const refused = (preferences: unknown): (string | undefined)[] =>
    eventsOf(memberAt(preferences, "topicSubscriptionStatus"))
      .filter((topic) => textAt(topic, "subscriptionStatus")?.toLowerCase() === "optout")
      .map((topic) => textAt(topic, "topicName"));
  const known = new Set(refused(before));
  return refused(after).some((topic) => !known.has(topic));
};

/**
 * What a bounce says of the address. SES reports a transient one when it has given up; of those the general kind may as well
 * be the answer of somebody who is out of the office. A suppressed address was not tried.
 */
export const bounceStatus = (type: string | undefined, subType: string | undefined): ReceiptStatus => {
  if (type === "Transient" && subType === "General") return "deferred";
  if (type !== "Permanent") return "undelivered";
  return subType === "Suppressed" || subType === "OnAccountSuppressionList" ? "dropped" : "bounced";
};

// The members each type of notification is signed over, in this order.
const signedMembers: Readonly<Record<string, readonly string[]>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

const algorithms: Readonly<Record<string, string>> = { 1: "RSA-SHA1", 2: "RSA-SHA256" };

const certificateMs = 24 * 3_600_000;

/**
 * How old a notification may be, by the time at which SNS published it. SNS goes on trying to deliver for an hour and by a
 * policy of one's own for longer, with the time of the first attempt. A repeat has no effect: reports count once by message,
 * status, time and recipient, and those keys are kept for longer than a day.
 */
const oldestMs = 24 * 3_600_000;

/**
 * Whether the notification is of this topic. The certificate counts because it comes from the notification service of
 * the topic's region over TLS. A topic that asks whether it may deliver here is told so: nobody else sees that address.
 */
const verifySns = async (request: InboundRequest, topicArn: string, now: Date, io: Io): Promise<boolean> => {
  const note = snsNote(request);
  const member = (name: string): string => textAt(note, name) ?? "";
  const region = /^arn:aws[a-z-]*:sns:([a-z0-9-]+):\d{12}:[\w-]+(\.fifo)?$/.exec(topicArn)?.[1];
  const members = Object.hasOwn(signedMembers, member("Type")) ? signedMembers[member("Type")] : undefined;
  const algorithm = algorithms[member("SignatureVersion")];
  const age = now.getTime() - (dateOf(member("Timestamp"))?.getTime() ?? 0);
  if (!region || !members || !algorithm || member("TopicArn") !== topicArn) return false;
  if (age > oldestMs || age < -toleranceMs) return false;

  const origin = `https://${awsHost("sns", region)}/`;
  const address = member("SigningCertURL");
  if (!address.startsWith(origin) || !/^SimpleNotificationService-\w+\.pem$/.test(address.slice(origin.length))) {
    return false;
  }
  const certificate = await io.cached(cacheKey("sns", address), async () => {
    const fetched = new X509Certificate((await fetched200(io.http(get(address)))).text);
    return { value: fetched, expiresAt: new Date(io.now().getTime() + certificateMs) };
  });
  if (now < certificate.validFromDate || now > certificate.validToDate) return false;
  const signed = members.map((name) => (member(name) ? `${name}\n${member(name)}\n` : "")).join("");
  const signature = Buffer.from(member("Signature"), "base64");
  if (!verify(algorithm, Buffer.from(signed), certificate.publicKey, signature)) return false;

  if (member("Type") === "SubscriptionConfirmation") {
    if (!member("SubscribeURL").startsWith(origin)) return false;
    await fetched200(io.http(get(member("SubscribeURL"))));
  }
  return true;
};

const fetched200 = async (call: Promise<HttpReply>): Promise<HttpReply> => {
  const reply = await harmless(call);
  if (reply.status !== 200) throw new SendFault(retry(`Amazon SNS: ${describeReply(reply)}`));
  return reply;
};

// The envelope is JSON that is sent as plain text, so it is read from the bytes.
const snsNote = ({ raw }: InboundRequest): unknown => parsed(Buffer.from(raw).toString("utf8"));

const memberAt = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

export const sesReceipts: Receipts = {
  verify: verifySns,
  read: (request) => {
    const event = parsed(textAt(snsNote(request), "Message"));
    const kind = textAt(event, "eventType") ?? textAt(event, "notificationType") ?? "";
    const [known, member = "", about = ""] = events[kind] ?? [];
    const externalId = textAt(event, "mail", "messageId");
    if (!known || !externalId) return [];
    if (known === "unsubscribed" && !hasLeft(memberAt(event, member))) return [];
    const said = (name: string) => textAt(event, member, name);
    const status = known === "bounced" ? bounceStatus(said("bounceType"), said("bounceSubType")) : known;
    const messageId = textAt(event, "mail", "tags", "tidingsMessageId", 0);
    const date = dateOf(said("timestamp") ?? textAt(event, "mail", "timestamp"));
    const common = { externalId, messageId, date, row: event };
    const response = said("smtpResponse") ?? said("reason");
    const recipients = eventsOf(memberAt(memberAt(event, member), about));
    if (recipients.length === 0) return [receipt(status, { ...common, response })];
    return recipients.map((one): Receipt => {
      const recipient = textAt(one, "emailAddress") ?? textAt(one);
      return receipt(status, { ...common, recipient, response: response ?? textAt(one, "diagnosticCode") });
    });
  },
};
