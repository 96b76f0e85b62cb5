// Delivery reports of providers: the type of a receipt, and how a report is verified. An adapter reads its provider's
// format; here are the verifications that most of them share. The fields of a query string are read and verified like
// those of a form.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "@tidings/contract";
import type { Credentials } from "./credentials.ts";
import type { Io } from "./io.ts";
import { eventsOf } from "./reply.ts";

/** A report as it arrived. */
export type InboundRequest = {
  method: "GET" | "POST";
  /**
   * The whole address as the sender called it. Left out when the service does not know how it is reached from outside.
   */
  url?: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The body as it was sent, or the query string of a GET: signatures cover these bytes. */
  raw: Uint8Array;
  /** Parsed JSON, or the fields of a form or a query string as an object. */
  body: unknown;
};

// biome-ignore format: one line per channel
const statuses = {
  email: [
    "sent", "delivered", "opened", "clicked", "bounced", "dropped", "blocked", "rejected", "delayed", "deferred",
    "undelivered", "complaint", "spam", "unsubscribed",
  ],
  sms: ["created", "accepted", "queued", "sending", "sent", "delivered", "undelivered", "failed", "rejected"],
  push: ["delivered", "opened", "clicked", "dismissed", "failed"],
  chat: ["sent", "delivered", "opened", "failed"],
} as const;

/**
 * What may be reported about a message, by channel. For an email that did not arrive: `deferred` and `delayed` while
 * the provider keeps trying, `undelivered` when it gave up for a reason that may pass (a full mailbox), `bounced` only
 * when the address itself is bad: nothing is sent there from then on.
 */
export const receiptStatuses: { readonly [C in keyof typeof statuses]: readonly ReceiptStatus[] } = statuses;

export type ReceiptStatus = (typeof statuses)[keyof typeof statuses][number];

export type Receipt = {
  /** The id the provider gave the message when it accepted it. */
  externalId?: string;
  /** The Tidings message id, where the provider returns it. */
  messageId?: string;
  status: ReceiptStatus;
  /** The address, as the provider spells it: a mail may have several recipients. */
  recipient?: string;
  /** When it happened. Left out when the provider does not say; the time of arrival is used then. */
  date?: Date;
  attempts?: number;
  /** What the receiving server or network said. */
  response?: string;
  /** The event as the provider reported it. */
  row?: unknown;
};

export type Receipts = {
  /** Left out, `verifyDefault` decides. `io` fetches what the verification needs, such as a certificate. */
  verify?(request: InboundRequest, key: string, now: Date, io: Io): boolean | Promise<boolean>;
  /** Events of unknown kind are left out; a body of any shape is read without an exception. */
  read(request: InboundRequest): Receipt[];
  /** The credential that is the key, where the provider signs with one of them and the configuration names no key. */
  keyCredential?: string;
  /**
   * The response to a challenge that the provider sends before it reports to the address: false when the challenge
   * lacks the agreed token, undefined when the request is not a challenge.
   */
  answerChallenge?(request: InboundRequest, credentials: Credentials): string | false | undefined;
};

/** Age at which a signed report is refused as a replay. */
export const toleranceMs = 5 * 60_000;

/** Standard Webhooks if the report is signed, otherwise HTTP basic authentication with the key as password. */
export function verifyDefault(request: InboundRequest, key: string, now: Date): boolean {
  return request.headers["webhook-signature"] !== undefined || request.headers["svix-signature"] !== undefined
    ? verifyStandardWebhook(request, key, now)
    : verifyBasic(request, key);
}

/** https://www.standardwebhooks.com, also under the header names of its forerunner Svix. */
export function verifyStandardWebhook({ headers, raw }: InboundRequest, key: string, now: Date): boolean {
  const prefix = headers["webhook-signature"] === undefined ? "svix" : "webhook";
  const { [`${prefix}-id`]: id, [`${prefix}-timestamp`]: stamp, [`${prefix}-signature`]: signatures } = headers;
  if (!key || !id || !stamp || !signatures || !isRecent(stamp, now)) return false;
  const expected = signingKeys(key).map((secret) =>
    createHmac("sha256", secret).update(`${id}.${stamp}.`).update(raw).digest("base64"),
  );
  const given = signatures.split(" ").flatMap((item) => (item.startsWith("v1,") ? [item.slice(3)] : []));
  return given.some((one) => expected.some((other) => sameText(one, other)));
}

// The standard hands out keys as base64 behind `whsec_`; a key that somebody chose is used unchanged.
const signingKeys = (key: string): Buffer[] =>
  key.startsWith("whsec_")
    ? [Buffer.from(key.slice("whsec_".length), "base64")]
    : [Buffer.from(key), ...(/^[A-Za-z0-9+/]{16,}={0,2}$/.test(key) ? [Buffer.from(key, "base64")] : [])];

function verifyBasic({ headers }: InboundRequest, key: string): boolean {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!key || !encoded) return false;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon >= 0 && sameText(pair.slice(colon + 1), key);
}

/** `seconds`: a time stamp of a signature, in seconds since 1970. */
export function isRecent(seconds: string, now: Date): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() - Number(seconds) * 1000) <= toleranceMs;
}

/** Compares in constant time. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A date as providers write it: ISO text, or seconds or milliseconds since 1970. Undefined if it is not a date. */
export function dateOf(value: unknown): Date | undefined {
  const number = typeof value === "number" ? value : /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : undefined;
  // 1e11 seconds is the year 5138 and 1e11 milliseconds is 1973: no report is from either.
  const at = number === undefined ? Date.parse(String(value ?? "")) : number < 1e11 ? number * 1000 : number;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * The reports of generic webhook providers and of apps themselves, one object or a list of them: `{messageId |
 * tidingsMessageId | externalId, status, recipient?, date?, attempts?, response?}` with the statuses of the channel.
 * Apps that were written for Novu send `{eventId, eventType, timestamp?}`, where the id is ours or the provider's.
 */
export function genericReceipts(channel: keyof typeof statuses): Receipts {
  return {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        if (typeof event !== "object" || event === null) return [];
        const { messageId, tidingsMessageId, externalId, recipient, attempts, response, ...rest } = event as JsonObject;
        const { eventId, eventType, timestamp, status = eventType, date = timestamp } = rest;
        const known = receiptStatuses[channel].find((name) => name === status);
        const ours = text(messageId) ?? text(tidingsMessageId) ?? text(eventId);
        const theirs = text(externalId) ?? text(eventId);
        if (!known || (!ours && !theirs)) return [];
        return [
          receipt(known, {
            externalId: theirs,
            messageId: ours,
            recipient: text(recipient),
            date: dateOf(date),
            attempts: countOf(attempts),
            response: text(response),
            row: event,
          }),
        ];
      }),
  };
}

/** Forms and query strings have texts for numbers. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === "number" ? count : undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A receipt without its undefined members. */
export function receipt(status: ReceiptStatus, known: Omit<Receipt, "status">): Receipt {
  return {
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    status,
  };
}
