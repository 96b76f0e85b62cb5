// When the people of a broadcast are due. Pure.
import type { BroadcastPace, BroadcastTime } from "@tidings/contract";
import { firstInstant, zoneOf } from "../rules/zones.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Zones of people are at most this far ahead of UTC. */
const earliestZone = 14 * hour;

/** `HH:MM` on a day, as milliseconds of a local time (rules/zones.ts). */
const wallOf = ({ date, localTime }: BroadcastTime): number => Date.parse(`${date}T${localTime}:00.000Z`);

/** When the first people may be due: the audience is fixed then. */
export function startOf(time: BroadcastTime, now: Date): Date {
  if (time.kind === "now") return now;
  const start = time.kind === "at" ? Date.parse(time.at!) : wallOf(time) - earliestZone;
  return new Date(Math.max(start, now.getTime()));
}

/** When people of this zone are due; those without one, or with an unknown one, have that of the broadcast. */
export function dueInZone(time: BroadcastTime, timezone: string | null, start: Date): Date {
  if (time.kind !== "local") return start;
  const due = firstInstant(zoneOf(timezone, time.timezone ?? "UTC"), wallOf(time));
  return new Date(Math.max(due, start.getTime()));
}

/** The lowest of all limits that hold; null: no limit. `active`: identifiers of active integrations. */
export function peoplePerMinute(
  { perMinute, integrations = {} }: BroadcastPace,
  active: ReadonlySet<string>,
): number | null {
  const limits = Object.entries(integrations).flatMap(([identifier, limit]) => (active.has(identifier) ? [limit] : []));
  if (perMinute !== undefined) limits.push(perMinute);
  return limits.length > 0 ? Math.min(...limits) : null;
}

const fullPage = 500;
/** Pages of one event, beyond which they are larger than their pace would have them. */
const maxPages = 20_000;
/** At a pace, a page is the people of this time. */
const pageMs = 10_000;

/** People on one page: few where they are spread over a time. */
export function pageSizeFor(people: number | null, perMinute: number | null, spreadMs: number): number {
  const paced = perMinute === null ? fullPage : Math.ceil((perMinute * pageMs) / minute);
  const spread = spreadMs > 0 && people !== null ? Math.ceil((people * pageMs) / spreadMs) : fullPage;
  const least = people === null ? 1 : Math.ceil(people / maxPages);
  return Math.min(fullPage, Math.max(least, Math.min(paced, spread), 1));
}

type PageTime = { page: number; people: number; due_at: Date };

/**
 * The times of pages that are not due when they were to be, because they are spread, or because of the pace. Pages that
 * have the same time are spread together.
 */
export function spaceOut(
  pages: readonly PageTime[],
  { perMinute, spreadMs, from }: { perMinute: number | null; spreadMs: number; from: Date },
): { page: number; due_at: Date }[] {
  const wanted = [...Map.groupBy(pages, ({ due_at }) => due_at.getTime())].flatMap(([due, own]) => {
    const all = own.reduce((sum, { people }) => sum + people, 0);
    let before = 0;
    return own.map((page) => {
      const at = Math.max(due + (spreadMs * before) / all, from.getTime());
      before += page.people;
      return { ...page, at };
    });
  });
  wanted.sort((a, b) => a.at - b.at || a.page - b.page);
  const perPerson = perMinute === null ? 0 : minute / perMinute;
  let free = 0;
  return wanted.flatMap(({ page, people, due_at, at }) => {
    const due = Math.round(Math.max(at, free));
    free = due + people * perPerson;
    return due === due_at.getTime() ? [] : [{ page, due_at: new Date(due) }];
  });
}

export const spreadMsOf = ({ spreadHours = 0 }: BroadcastTime): number => spreadHours * hour;
