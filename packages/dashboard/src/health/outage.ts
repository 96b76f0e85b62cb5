// How an integration is, and what its outage means, in sentences. Pure: Home, the list and the page of an integration
// use them.
import type { Channel, Integration, IntegrationHealth } from "@tidings/contract";
import type { Tone } from "../kit/tone.ts";
import { words } from "./words.ts";

/** `failing`: the circuit is closed, and the last call failed. `unused`: it was never called. */
export type Condition = "off" | "open" | "half_open" | "failing" | "unused" | "closed";

export const conditionTones: Record<Condition, Tone> = {
  off: "quiet",
  open: "bad",
  half_open: "warn",
  failing: "warn",
  unused: "quiet",
  closed: "good",
};

export function conditionOf({
  active,
  channel,
  health,
}: Pick<Integration, "active" | "channel" | "health">): Condition {
  if (!active) return "off";
  if (!health || channel === "in_app") return "closed";
  if (health.state !== "closed") return health.state;
  if (health.failures > 0 || health.failingSince) return "failing";
  return health.lastSuccessAt ? "closed" : "unused";
}

/** "5,000 mails", "1 mail". */
export function countMessages(channel: Channel, count: number): string {
  const [one, many] = words.messages[channel];
  return count === 1 ? `1 ${one}` : `${count.toLocaleString()} ${many}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  ...{ month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit" },
});

export const formatSince = (iso: string, now: number): string =>
  (new Date(iso).toDateString() === new Date(now).toDateString() ? clock : dayAndClock).format(new Date(iso));

/** "30 s", "4 min", "3 h 5 min", "2 d 3 h". */
export function formatAge(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const [first, rest] =
    hours < 24 ? [`${hours} h`, `${minutes % 60} min`] : [`${Math.floor(hours / 24)} d`, `${hours % 24} h`];
  return rest.startsWith("0 ") ? first : `${first} ${rest}`;
}

type Trouble = Pick<IntegrationHealth, "state" | "failingSince" | "openedAt" | "lastError" | "nextProbeAt"> & {
  name: string;
};

/** "Shop SMTP has not responded since 6:53 PM (connection refused)." */
export function sayTrouble({ name, failingSince, openedAt, lastError }: Trouble, now: number): string {
  const since = failingSince ?? openedAt;
  const summary = lastError?.summary;
  const say = lastError?.cause ? words.outage.silent : words.outage.failing;
  return `${say(name, since && formatSince(since, now))}${summary ? ` (${summary})` : ""}.`;
}

/** "next try in 2 min" */
export function sayNextTry({ state, nextProbeAt }: Pick<Trouble, "state" | "nextProbeAt">, now: number): string {
  if (state === "half_open") return words.outage.trying;
  const inMs = nextProbeAt ? Date.parse(nextProbeAt) - now : 0;
  return inMs > 1_000 ? words.outage.nextIn(formatAge(inMs)) : words.outage.nextSoon;
}

/** "5,000 mails are waiting; next try in 2 min." */
export function sayWaiting(
  trouble: Trouble,
  waiting: { channel: Channel; count: number } | undefined,
  now: number,
): string {
  const next = sayNextTry(trouble, now);
  if (!waiting || waiting.count === 0) return words.outage.nobody(next);
  return words.outage.waiting(countMessages(waiting.channel, waiting.count), waiting.count, next);
}
