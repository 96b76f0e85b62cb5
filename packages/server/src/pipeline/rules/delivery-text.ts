// What keeps a message from being sent, in words: the provider that does not return, the address that was refused or
// suppressed, the dead letter. Pure.
import { type Channel, isChannel, type StepType } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";

/** What is known of an integration. Times are ISO texts; `openedAt`: its circuit breaker is open since then. */
export type KnownIntegration = {
  name: string;
  openedAt?: string;
  nextTryAt?: string;
  lastError?: string;
};

export type KnownIntegrations = ReadonlyMap<string, KnownIntegration>;

export const namesOf = (integrations: KnownIntegrations): ReadonlyMap<string, string> =>
  new Map([...integrations].map(([id, { name }]) => [id, name]));

/** Ids of the integrations that these details name. */
export const integrationIdsIn = (details: readonly StoredDetail[]): string[] =>
  details.flatMap(({ r }) => (typeof r?.integrationId === "string" ? r.integrationId : []));

const knownErrors: [pattern: RegExp, words: string][] = [
  [/ECONNREFUSED/, "connection refused"],
  [/ECONNRESET|EPIPE|socket hang up/, "connection closed"],
  [/ETIMEDOUT|ESOCKETTIMEDOUT|timed? ?-?out/i, "time-out"],
  [/ENOTFOUND|EAI_AGAIN/, "host not found"],
  [/EHOSTUNREACH|ENETUNREACH/, "host cannot be reached"],
];

const maxErrorLength = 200;

/** The words for what every network reports; other errors as the provider wrote them. */
export function shortError(error: string): string {
  const known = knownErrors.find(([pattern]) => pattern.test(error));
  if (known) return known[1];
  const line = error.replaceAll(/\s+/g, " ").trim();
  return line.length <= maxErrorLength ? line : `${line.slice(0, maxErrorLength).toWellFormed()}…`;
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const nameIn = ({ r = {}, p }: StoredDetail, known: KnownIntegrations): string | undefined =>
  known.get(String(r.integrationId))?.name ?? textIn(r.integration) ?? p;

/** "Shop SMTP is not responding (connection refused, since 2026-…). Next try 2026-…" */
export function pausedText(
  stored: StoredDetail,
  details: readonly StoredDetail[],
  known: KnownIntegrations,
): string | undefined {
  const integration = known.get(String(stored.r?.integrationId));
  const name = nameIn(stored, known);
  if (!name) return undefined;
  if (integration && !integration.openedAt) return `${name} is responding again`;
  const failure = details.findLast(({ d, r }) => d.startsWith("provider_") && textIn(r?.reason));
  const error = integration?.lastError ?? textIn(failure?.r?.reason);
  const facts = [
    ...(error ? [shortError(error)] : []),
    ...(integration?.openedAt ? [`since ${integration.openedAt}`] : []),
  ];
  const next = integration?.nextTryAt ? `. Next try ${integration.nextTryAt}` : "";
  return `${name} is not responding${facts.length > 0 ? ` (${facts.join(", ")})` : ""}${next}`;
}

/** "Shop SMTP did not take it (connection refused). Next try 2026-…" */
export function retryText(stored: StoredDetail, known: KnownIntegrations): string | undefined {
  const [name, reason, next] = [nameIn(stored, known), textIn(stored.r?.reason), textIn(stored.r?.next)];
  if (!name || !reason) return undefined;
  return `${name} did not take it (${shortError(reason)})${next ? `. Next try ${next}` : ""}`;
}

/** "Shop SMTP did not respond"; undefined where it is known that the message was not sent. */
export function doubtText(details: readonly StoredDetail[], known: KnownIntegrations): string | undefined {
  const doubt = details.findLast(({ d, r }) => d.startsWith("provider_") && r?.errorClass === "unknown");
  return doubt && `${nameIn(doubt, known) ?? "the provider"} did not respond`;
}

type CauseText = (name: string, reason: string) => string;

const causes: Readonly<Record<string, CauseText | undefined>> = {
  auth: (name) => `${name} refused the credentials`,
  quota: (name, reason) => `${name} is over its quota (${reason})`,
  unknown: (name) => `${name} did not respond`,
  transient: (name, reason) => `${name} did not take it (${reason})`,
};

/** For a message that was given up: "Shop SMTP refused the credentials. Kept for resending". */
export function deadLetterText(
  stored: StoredDetail,
  details: readonly StoredDetail[],
  known: KnownIntegrations,
): string | undefined {
  const failure = details.findLast(({ d }) => d === "provider_error");
  const reason = textIn(failure?.r?.reason);
  if (!failure || !reason) return undefined;
  const name = nameIn(stored, known) ?? nameIn(failure, known) ?? "the provider";
  const text = causes[String(stored.r?.errorClass)]?.(name, shortError(reason)) ?? shortError(reason);
  return `${text}. Kept for resending`;
}

const addressWords: Partial<Record<Channel, string>> = {
  email: "the address",
  sms: "the phone number",
  push: "the device",
  chat: "the chat channel",
};

const unknownAddress =
  /\b5\.1\.(?:1|10)\b|user unknown|unknown user|no such user|does not exist|mailbox not found|recipient not found/i;

/** "the address does not exist (550 5.1.1 …)" */
export function refusedText({ r }: StoredDetail, type: StepType): string {
  const address = (isChannel(type) && addressWords[type]) || "the address";
  const reason = textIn(r?.reason);
  if (!reason) return `${address} was refused`;
  return unknownAddress.test(reason)
    ? `${address} does not exist (${shortError(reason)})`
    : `${address} was refused: ${shortError(reason)}`;
}

const suppressionCauses: Readonly<Record<string, string | undefined>> = {
  manual: "added by hand",
  bounce: "a mail bounced",
  complaint: "it was reported as spam",
};

/** "we stopped mailing this address: added by hand on 2026-…"; undefined for a detail that has no cause. */
export function suppressedText({ r = {} }: StoredDetail, type: StepType): string | undefined {
  const cause = suppressionCauses[String(r.cause)];
  const since = textIn(r.since);
  if (!cause || !since) return undefined;
  return `we stopped ${type === "sms" ? "texting this number" : "mailing this address"}: ${cause} on ${since}`;
}
