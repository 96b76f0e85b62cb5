// What happens to an alert in a pass, and whether people are notified: pure rules. An alert ends when it was not found
// for a while, so that trouble that comes and goes is one alert. In quiet times nothing is sent: what opened is sent
// afterwards, and what opened and ended is summarised then.
import type { AlertEnding, AlertNotice, AlertQuietTimes } from "@tidings/contract";
import { offsetAt, zoneOf } from "../rules/zones.ts";

/** How long an alert must not have been found before it ends. */
const fineForMs = 3 * 60_000;

export type AlertState = {
  isOpen: boolean;
  lastSeenAt: Date;
  acknowledgedAt: Date | null;
  /** The last message while it was open. */
  toldAt: Date | null;
};

export type RuleTimes = { quiet: AlertQuietTimes | null; repeatAfterMinutes: number | null };

/**
 * `ending`: the alert ends now. `notice`: what a message says about it. `isClosed`: nothing is left to say about it.
 */
export type Decision = { ending?: AlertEnding; notice?: AlertNotice; isClosed?: true };

/** `rule`: null when it is paused or deleted. `isChecked`: the kind of the rule could be evaluated in this pass. */
export function decide(alert: AlertState, rule: RuleTimes | null, isChecked: boolean, now: Date): Decision {
  if (!rule) return alert.isOpen ? { ending: "rule_paused", isClosed: true } : { isClosed: true };
  const isFine = now.getTime() - alert.lastSeenAt.getTime() >= fineForMs;
  const ending: Decision = alert.isOpen && isChecked && isFine ? { ending: "recovered" } : {};
  if (isQuiet(rule.quiet, now)) return ending;
  if (!alert.isOpen || ending.ending) {
    return { ...ending, notice: alert.toldAt ? "resolved" : "passed", isClosed: true };
  }
  if (!alert.toldAt) return { notice: "opened" };
  return isRepeatDue(alert, alert.toldAt, rule, now) ? { notice: "repeated" } : {};
}

function isRepeatDue(alert: AlertState, toldAt: Date, { repeatAfterMinutes }: RuleTimes, now: Date): boolean {
  if (repeatAfterMinutes === null || alert.acknowledgedAt) return false;
  return now.getTime() - toldAt.getTime() >= repeatAfterMinutes * minute;
}

const minute = 60_000;
const day = 24 * 60 * minute;

const readClock = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * minute;

/** 1 January 1970 was a Thursday, the fourth day. */
const weekDayOf = (wall: number): number => ((Math.floor(wall / day) + 3) % 7) + 1;

/** Whether local time is within the quiet time; one over midnight belongs to the day on which it begins. */
export function isQuiet(quiet: AlertQuietTimes | null, now: Date): boolean {
  if (!quiet) return false;
  const wall = now.getTime() + offsetAt(zoneOf(quiet.timezone, "UTC"), now.getTime());
  const [from, to] = [readClock(quiet.from), readClock(quiet.to)];
  const time = wall % day;
  const [today, yesterday] = [weekDayOf(wall), weekDayOf(wall - day)];
  if (from < to) return quiet.days.includes(today) && time >= from && time < to;
  return (quiet.days.includes(today) && time >= from) || (quiet.days.includes(yesterday) && time < to);
}
