// What became of one attempt. The five kinds are all the delivery pipeline knows: every provider's reply, every
// SMTP code and every broken connection ends as one of them, with a reason a person can read.

import type { HttpReply } from "./request.ts";

/** What a provider that took the message could not do with it: an override it does not know, an image it cannot show inline. */
export interface Note {
  about: "override" | "attachment";
  /** The path of the override, the name of the attachment. */
  name: string;
  reason: string;
}

export type RejectionClass = "recipient" | "content" | "auth" | "quota" | "config";

/** `isUnasked`: found on our side, before the provider was asked. It says nothing about whether the provider is well. */
type Unasked = { isUnasked?: true };

export type Outcome =
  /** `notTaken`: copies that were refused beside the recipient who was not, each with the reason. */
  | { kind: "accepted"; providerMessageId?: string; notTaken?: readonly string[]; notes?: readonly Note[] }
  /** Nothing was taken by the provider and a repeat may succeed. */
  | ({ kind: "retry"; reason: string; afterMs?: number } & Unasked)
  /** `recipient` and `content` are final; `auth`, `quota` and `config` are faults or limits of the integration. */
  | ({ kind: "rejected"; class: RejectionClass; reason: string } & Unasked)
  /** The device is gone for good: forget the token. */
  | { kind: "dead-token"; reason: string }
  /** Perhaps sent: the request was written, the answer never came. */
  | { kind: "unknown"; reason: string };

export type Failure = Exclude<Outcome, { kind: "accepted" }>;

export type CheckResult = { ok: true } | { ok: false; reason: string; unresolvedHost?: string };

export const accepted = (
  providerMessageId?: string,
  notTaken: readonly string[] = [],
  notes: readonly Note[] = [],
): Outcome => ({
  kind: "accepted",
  ...(providerMessageId === undefined ? {} : { providerMessageId }),
  ...(notTaken.length === 0 ? {} : { notTaken }),
  ...(notes.length === 0 ? {} : { notes }),
});

export const rejected = (rejectionClass: RejectionClass, reason: string): Failure => ({
  kind: "rejected",
  class: rejectionClass,
  reason,
});

export const retry = (reason: string, afterMs?: number): Failure =>
  afterMs === undefined ? { kind: "retry", reason } : { kind: "retry", reason, afterMs };

export const unasked = (failure: Failure): Failure =>
  failure.kind === "retry" || failure.kind === "rejected" ? { ...failure, isUnasked: true } : failure;

export const deadToken = (reason: string): Failure => ({ kind: "dead-token", reason });

export const unknown = (reason: string): Failure => ({ kind: "unknown", reason });

/** An outcome as an exception, for code that is too deep to return one: a request that cannot be built, a broken line. */
export class SendFault extends Error {
  readonly outcome: Failure;
  readonly unresolvedHost: string | undefined;

  constructor(outcome: Failure, unresolvedHost?: string) {
    super(outcome.reason);
    this.name = "SendFault";
    this.outcome = outcome;
    this.unresolvedHost = unresolvedHost;
  }
}

/** What a provider's own error codes mean. A code that is not listed is judged by the status. */
export type ErrorClasses = Readonly<Record<string, RejectionClass | "retry" | "dead-token">>;

/**
 * The default reading of a reply. `providerMessageId` is used when the status says accepted; a provider that names
 * its errors passes the name it gave and a table of those that mean more than their status.
 */
export const byStatus = (
  reply: HttpReply,
  providerMessageId?: string,
  said?: { code: string | undefined; classes: ErrorClasses },
): Outcome =>
  reply.status >= 200 && reply.status < 300
    ? accepted(providerMessageId)
    : refused(reply, said?.code, said?.classes ?? {});

/** The address, the method or the form of the call is wrong: another message would fare no better, another integration may. */
const misdirected: ReadonlySet<number> = new Set([404, 405, 406, 410, 415]);

/** A refusal, for providers that answer errors with 200: a code that is not listed is then a fault of the content. */
export const refused = (reply: HttpReply, code: string | undefined, classes: ErrorClasses): Failure => {
  const { status } = reply;
  const reason = describeReply(reply);
  const known = code !== undefined && Object.hasOwn(classes, code) ? classes[code] : undefined;
  if (known === "retry") return retry(reason, retryAfter(reply));
  if (known === "dead-token") return deadToken(reason);
  if (known) return rejected(known, reason);
  if (status === 408 || status === 425 || status === 429 || status >= 500) return retry(reason, retryAfter(reply));
  if (status === 401 || status === 403) return rejected("auth", reason);
  if (status === 402) return rejected("quota", reason);
  if (status >= 300 && status < 400) return rejected("config", `${reason} (redirects are not followed)`);
  if (misdirected.has(status)) return rejected("config", reason);
  return rejected("content", reason);
};

/** An answer that says "taken" by its status and whose body, which would have to confirm it, cannot be read. */
export const unreadable = (reply: HttpReply): Failure =>
  unknown(`The answer cannot be read, the message may have been taken (${describeReply(reply)})`);

/** The result of a check that asked for something harmless: any 2xx means that the credentials work. */
export const checkByStatus = (reply: HttpReply): CheckResult =>
  reply.status >= 200 && reply.status < 300 ? { ok: true } : { ok: false, reason: describeReply(reply) };

/** Milliseconds the provider asks us to wait. A date is read against the provider's own clock when it sends one. */
export const retryAfter = (reply: HttpReply): number | undefined => {
  const value = reply.headers["retry-after"]?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const clock = Date.parse(reply.headers.date ?? "");
  return Math.max(0, until - (Number.isNaN(clock) ? Date.now() : clock));
};

// Long enough that no secret that will be visible is cut before it is scrubbed: see `scrub`, which makes it short.
export const describeReply = ({ status, text }: HttpReply): string => {
  const said = text.slice(0, 4000).replace(/\s+/g, " ").trim();
  return said ? `HTTP ${status}: ${said}` : `HTTP ${status}`;
};
