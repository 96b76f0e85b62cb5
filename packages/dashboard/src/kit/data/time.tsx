// Times in the reader's language and zone; the exact value shows on hover.
import { createContext, use, useEffect, useState } from "react";

/** Made at its first use: a formatter takes the browser milliseconds, and no page needs all of them. */
function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const formatOf = (options: Intl.DateTimeFormatOptions) => onFirstUse(() => new Intl.DateTimeFormat(undefined, options));

const exact = formatOf({ dateStyle: "full", timeStyle: "long" });
const clock = formatOf({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const shortClock = formatOf({ hour: "numeric", minute: "2-digit" });
const dayAndClock = formatOf({ month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
const yearAndDay = formatOf({ year: "numeric", month: "short", day: "numeric" });
const relative = onFirstUse(() => new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" }));

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** The page's own clock moves in steps: what has just happened may seem to be ahead of it. */
const stepMs = 5_000;

export function formatRelative(time: number, now: number): string {
  const gap = time > now && time - now < stepMs ? 0 : time - now;
  for (const [unit, ms] of steps) if (Math.abs(gap) >= ms) return relative().format(Math.trunc(gap / ms), unit);
  return relative().format(0, "second");
}

export const formatDay = (iso: string): string => yearAndDay().format(new Date(iso));

export function formatTime(iso: string, to: "second" | "minute" = "second"): string {
  const time = new Date(iso);
  const now = new Date();
  if (time.toDateString() === now.toDateString()) return (to === "second" ? clock : shortClock)().format(time);
  return time.getFullYear() === now.getFullYear() ? dayAndClock().format(time) : yearAndDay().format(time);
}

const dayAndMinute: Intl.DateTimeFormatOptions = {
  weekday: "short",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
};
const momentOf = (more: Intl.DateTimeFormatOptions) => formatOf({ ...dayAndMinute, ...more });
const moments = {
  minute: { year: momentOf({ year: "numeric" }), plain: momentOf({}) },
  second: { year: momentOf({ year: "numeric", second: "2-digit" }), plain: momentOf({ second: "2-digit" }) },
};

/** Day and time, for times that may be far from now; without the year where it is that of `near`. */
export function formatMoment(iso: string, near?: string): string {
  const time = new Date(iso);
  const isSameYear = near !== undefined && new Date(near).getFullYear() === time.getFullYear();
  return moments[time.getUTCSeconds() === 0 ? "minute" : "second"][isSameYear ? "plain" : "year"]().format(time);
}

/** "1.2 s", "4 min 10 s", "3 d 2 h". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const parts: [string, number][] = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1_000],
  ];
  const first = parts.findIndex(([, size]) => ms >= size);
  const shown: string[] = [];
  let rest = ms;
  for (const [unit, size] of parts.slice(first, first + 2)) {
    const amount = Math.floor(rest / size);
    if (amount > 0) shown.push(`${amount} ${unit}`);
    rest -= amount * size;
  }
  return shown.join(" ");
}

const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all relative times of a page. */
export function useNow(isOn: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return;
    const update = () => setNow(Date.now());
    listeners.add(update);
    ticking ??= setInterval(() => {
      for (const listener of listeners) listener();
    }, 10_000);
    return () => {
      listeners.delete(update);
      if (listeners.size > 0) return;
      clearInterval(ticking);
      ticking = undefined;
    };
  }, [isOn]);
  return now;
}

/** The time zone of the subscriber that a part of a page is about; undefined elsewhere. */
export const SubscriberZone = createContext<string | undefined>(undefined);

const zoned = new Map<string, Intl.DateTimeFormat | null>();

/** Null for a zone that the browser does not know. */
function zoneFormat(zone: string, isDay: boolean): Intl.DateTimeFormat | null {
  const key = `${zone} ${isDay}`;
  const known = zoned.get(key);
  if (known !== undefined) return known;
  const day: Intl.DateTimeFormatOptions = isDay ? { month: "short", day: "numeric" } : {};
  let made: Intl.DateTimeFormat | null = null;
  try {
    made = new Intl.DateTimeFormat(undefined, { ...day, hour: "2-digit", minute: "2-digit", timeZone: zone });
  } catch {
    // The service may know zones that this browser does not.
  }
  zoned.set(key, made);
  return made;
}

/** The time on the clock of the subscriber; undefined where it is that of the reader. */
export function theirTime(at: Date, zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  const [own, theirs] = [zoneFormat(Intl.DateTimeFormat().resolvedOptions().timeZone, true), zoneFormat(zone, true)];
  if (!own || !theirs || own.format(at) === theirs.format(at)) return undefined;
  const isToday = at.toDateString() === new Date().toDateString();
  return `${(zoneFormat(zone, !isToday) ?? theirs).format(at)} their time`;
}

/** `isTheirs`: also as the clock of the subscriber shows it, where that differs; otherwise that is in the title. */
type TimeProps = { at: string; isRelative?: boolean; isTheirs?: boolean };

export function Time({ at, isRelative = false, isTheirs = false }: TimeProps) {
  const now = useNow(isRelative);
  const zone = use(SubscriberZone);
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{at}</span>;
  const theirs = theirTime(time, zone);
  return (
    <time dateTime={at} title={[exact().format(time), ...(theirs ? [theirs] : []), at].join("\n")}>
      {isRelative ? formatRelative(time.getTime(), now) : formatTime(at)}
      {isTheirs && theirs && ` · ${theirs}`}
    </time>
  );
}

/** "Goes on in 3 min", or "Was due 1 min ago": a time that is over is not one to come. */
export function DueTime({ at, words }: { at: string; words: { next: string; over: string } }) {
  const now = useNow(true);
  return (
    <>
      {Date.parse(at) > now ? words.next : words.over} <Time at={at} isRelative />
    </>
  );
}

const isoPattern = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Times that a subscriber waits for; those of a provider are the reader's alone. */
const awaited = /\b(?:until|opens at|ends at) $/;

/** A sentence of the service, with its times in the reader's zone. */
export const Sentence = ({ text }: { text: string }) =>
  text.split(isoPattern).map((part, index, parts) =>
    // Every second part is a time: split keeps what the group caught.
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
    index % 2 === 1 ? <Time key={index} at={part} isTheirs={awaited.test(parts[index - 1]!)} /> : part,
  );
