// HTTP replies as plain data: how members are read out of a JSON body, and what a status or an error code means for the
// message. An adapter reads a reply without fetching it, so it can be tested with values alone.

import {
  accepted,
  type CheckResult,
  deadToken,
  type Failure,
  type Outcome,
  type RejectionClass,
  rejected,
  retry,
  unknown,
} from "./outcome.ts";

export type HttpReply = {
  status: number;
  /** Names in lower case; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  text: string;
  /** The parsed body, or undefined when it is not JSON or was longer than 1 MB. */
  json: unknown;
  /** The body was longer than 1 MB: the text is its beginning. */
  isCut?: true;
};

/** A member deep inside a reply: `valueAt(reply.json, "messages", 0, "id")`. Undefined where there is none. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The same as text. Values other than text and numbers are undefined. */
export function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}

/** The same as a list: one value is a list of one, an absent value is an empty list. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  return eventsOf(valueAt(value, ...path));
}

/** The events of a body that may be one event or a list of them. */
export function eventsOf(body: unknown): unknown[] {
  return Array.isArray(body) ? body : body === undefined ? [] : [body];
}

/** The parsed text, or undefined when it is not JSON. */
export function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** The meaning of a provider's own error codes. For a code that is not listed the status decides. */
export type ErrorClasses = Readonly<Record<string, RejectionClass | "retry" | "dead-token">>;

/**
 * The outcome by the status of the reply. `providerMessageId` is used for 2xx. A provider with error codes passes the
 * code of this reply and a table of the codes that mean more than the status.
 */
export function byStatus(
  reply: HttpReply,
  providerMessageId?: string,
  said?: { code: string | undefined; classes: ErrorClasses },
): Outcome {
  return reply.status >= 200 && reply.status < 300
    ? accepted(providerMessageId)
    : failureByCode(reply, said?.code, said?.classes ?? {});
}

/** The address or the method of the call is wrong: every message would fail, but another integration may succeed. */
const misdirected: ReadonlySet<number> = new Set([404, 405, 406, 410, 415]);

/**
 * The failure by the error code, otherwise by the status. With a 2xx status, a code that is not listed is `content`.
 */
export function failureByCode(reply: HttpReply, code: string | undefined, classes: ErrorClasses): Failure {
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
}

/** A 2xx reply whose body should confirm the message but cannot be read. */
export function unreadable(reply: HttpReply): Failure {
  return unknown(`The response cannot be read, the message may have been accepted (${describeReply(reply)})`);
}

/** The result of a check by a read-only call: any 2xx means that the credentials work. */
export function checkByStatus(reply: HttpReply): CheckResult {
  const { status } = reply;
  if (status >= 200 && status < 300) return { ok: true };
  const isTransient = status === 408 || status === 429 || status >= 500;
  return { ok: false, reason: describeReply(reply), ...(isTransient ? { class: "transient" } : {}) };
}

/**
 * Milliseconds of the Retry-After header. A date is compared with the `date` header of the reply, where there is one.
 */
export function retryAfter(reply: HttpReply): number | undefined {
  const value = reply.headers["retry-after"]?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const clock = Date.parse(reply.headers.date ?? "");
  return Math.max(0, until - (Number.isNaN(clock) ? Date.now() : clock));
}

// 4000 characters, so that no secret is cut in half before `scrub` removes it; `scrub` then shortens the text.
export function describeReply({ status, text }: HttpReply): string {
  const said = text.slice(0, 4000).replace(/\s+/g, " ").trim();
  return said ? `HTTP ${status}: ${said}` : `HTTP ${status}`;
}
