// Times of a broadcast in words. Pure.
import type { Broadcast } from "@tidings/contract";
import { formatDay, formatMoment } from "../../kit/data/time.tsx";
import { words } from "./words.ts";

const say = words.time.sentences;

/** When it starts. */
export function startText({ kind, at, date, localTime }: Broadcast["time"]): string {
  if (kind === "now") return say.now;
  if (kind === "at") return at ? say.at(formatMoment(at, new Date().toISOString())) : say.noTime;
  return date && localTime ? say.local(formatDay(`${date}T12:00:00`), localTime) : say.noTime;
}

type Times = Pick<Broadcast, "time" | "pace" | "expiresAt"> & Partial<Pick<Broadcast, "startedAt">>;

/** When and how fast, as sentences: what a person confirms. Empty if it started when it was sent, without limits. */
export function timeText({ time, pace, expiresAt, startedAt }: Times): string {
  return [
    ...(startedAt && time.kind === "now" ? [] : [startText(time)]),
    ...(time.spreadHours ? [say.spread(time.spreadHours)] : []),
    ...(pace.perMinute === undefined ? [] : [say.pace(pace.perMinute)]),
    ...(expiresAt ? [say.expires(formatMoment(expiresAt, new Date().toISOString()))] : []),
  ].join(" ");
}
