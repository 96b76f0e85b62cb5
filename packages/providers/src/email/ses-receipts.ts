// Delivery reports of Amazon SES. They come as notifications of an SNS topic, which is also who signs them.
// Events: https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
// Proof: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html

import { verify, X509Certificate } from "node:crypto";
import { awsHost } from "../kit/aws.ts";
import type { Io } from "../kit/io.ts";
import { retry, SendError } from "../kit/outcome.ts";
import {
  dateOf,
  type InboundRequest,
  type Receipt,
  type ReceiptStatus,
  type Receipts,
  receipt,
  toleranceMs,
} from "../kit/receipts.ts";
import { describeReply, type HttpReply, listAt, parseJson, textAt, valueAt } from "../kit/reply.ts";
import { get } from "../kit/request.ts";
import { cacheKey, retryUnknown } from "../kit/token.ts";

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
 * Whether the contact has left the list or one of its topics. The event reports every change of preferences, also that
 * the contact came back: what counts is what is newly refused.
 */
function hasLeft(subscription: unknown): boolean {
  const [before, after] = ["oldTopicPreferences", "newTopicPreferences"].map((name) => valueAt(subscription, name));
  if (valueAt(after, "unsubscribeAll") === true && valueAt(before, "unsubscribeAll") !== true) return true;
  const refused = (preferences: unknown): (string | undefined)[] =>
    listAt(preferences, "topicSubscriptionStatus")
      .filter((topic) => textAt(topic, "subscriptionStatus")?.toLowerCase() === "optout")
      .map((topic) => textAt(topic, "topicName"));
  const known = new Set(refused(before));
  return refused(after).some((topic) => !known.has(topic));
}

/**
 * What a bounce says of the address. SES reports a transient one when it has given up; of those the general kind may as
 * well be an out-of-office reply. A suppressed address was not tried.
 */
export function bounceStatus(type: string | undefined, subType: string | undefined): ReceiptStatus {
  if (type === "Transient" && subType === "General") return "deferred";
  if (type !== "Permanent") return "undelivered";
  return subType === "Suppressed" || subType === "OnAccountSuppressionList" ? "dropped" : "bounced";
}

// The members each type of notification is signed over, in this order.
const signedMembers: Readonly<Record<string, readonly string[]>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

const algorithms: Readonly<Record<string, string>> = { 1: "RSA-SHA1", 2: "RSA-SHA256" };

const certificateMs = 24 * 3_600_000;

/**
 * How old a notification may be, by the time at which SNS published it. SNS keeps trying to deliver for an hour and
 * longer with a custom policy, with the time of the first attempt. A repeat has no effect: reports count once
 * by message, status, time and recipient, and those keys are kept for longer than a day.
 */
const oldestMs = 24 * 3_600_000;

/**
 * Whether the notification is of this topic. The certificate counts because it comes from the notification service of
 * the topic's region over TLS. A request to confirm the subscription is confirmed: only the owner of the topic knows
 * the address.
 */
async function verifySns(request: InboundRequest, topicArn: string, now: Date, io: Io): Promise<boolean> {
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
}

async function fetched200(call: Promise<HttpReply>): Promise<HttpReply> {
  const reply = await retryUnknown(call);
  if (reply.status !== 200) throw new SendError(retry(`Amazon SNS: ${describeReply(reply)}`));
  return reply;
}

// The envelope is JSON that is sent as plain text, so it is read from the bytes.
const snsNote = ({ raw }: InboundRequest): unknown => parseJson(Buffer.from(raw).toString("utf8"));

export const sesReceipts: Receipts = {
  verify: verifySns,
  read: (request) => {
    const event = parseJson(textAt(snsNote(request), "Message"));
    const kind = textAt(event, "eventType") ?? textAt(event, "notificationType") ?? "";
    const [known, member = "", about = ""] = events[kind] ?? [];
    const externalId = textAt(event, "mail", "messageId");
    if (!known || !externalId) return [];
    if (known === "unsubscribed" && !hasLeft(valueAt(event, member))) return [];
    const said = (name: string) => textAt(event, member, name);
    const status = known === "bounced" ? bounceStatus(said("bounceType"), said("bounceSubType")) : known;
    const messageId = textAt(event, "mail", "tags", "tidingsMessageId", 0);
    const date = dateOf(said("timestamp") ?? textAt(event, "mail", "timestamp"));
    const common = { externalId, messageId, date, row: event };
    const response = said("smtpResponse") ?? said("reason");
    const recipients = listAt(event, member, about);
    if (recipients.length === 0) return [receipt(status, { ...common, response })];
    return recipients.map((one): Receipt => {
      const recipient = textAt(one, "emailAddress") ?? textAt(one);
      return receipt(status, { ...common, recipient, response: response ?? textAt(one, "diagnosticCode") });
    });
  },
};
