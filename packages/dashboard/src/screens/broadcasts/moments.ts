// Times of a draft: as the inputs of the browser have them, and in words. Pure.
import type { Broadcast } from "@tidings/contract";
import { formatDay, formatMoment } from "../../kit/data/time.tsx";
import { words } from "./words.ts";

const say = words.time.sentences;
const two = (number: number): string => String(number).padStart(2, "0");

/** For `<input type="datetime-local">`, in the zone of the reader; empty where there is no time. */
export function toInput(iso: string | null | undefined): string {
  if (!iso) return "";
  const at = new Date(iso);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** undefined for a text that is not a time. */
export function fromInput(text: string): string | undefined {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

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
