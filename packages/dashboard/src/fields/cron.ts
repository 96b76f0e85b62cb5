// A cron expression as a plan that a form can show, as words, and with its next times. Other expressions are edited as
// cron. Times are local times of the recipient, whose zone is not known here. Pure.
import { type Cron, nextMatch, parseCron } from "@tidings/contract/cron";
import { words } from "./words.ts";

const say = words.cron;

export type Repeat = keyof typeof say.repeats;
export type Plan = {
  repeat: Repeat;
  minute: number;
  hour: number;
  /** Sunday is 0. */
  weekdays: readonly number[];
  /** From 1 to 31. */
  day: number;
};

export const newPlan: Plan = { repeat: "weekly", minute: 0, hour: 9, weekdays: [1], day: 1 };

/** null: the expression says more than a plan, or cannot be read. */
export function readPlan(text: string): Plan | null {
  const parsed = parseCron(text);
  if ("fault" in parsed) return null;
  const { minutes, hours, days, months, weekdays } = parsed.cron;
  if (minutes.length !== 1 || months) return null;
  const at = { ...newPlan, minute: minutes[0]! };
  if (hours.length === 24) return days || weekdays ? null : { ...at, repeat: "hourly" };
  if (hours.length !== 1 || (days && (days.length !== 1 || weekdays))) return null;
  const onTime = { ...at, hour: hours[0]! };
  if (days) return { ...onTime, repeat: "monthly", day: days[0]! };
  return weekdays ? { ...onTime, repeat: "weekly", weekdays } : { ...onTime, repeat: "daily" };
}

export function writePlan({ repeat, minute, hour, weekdays, day }: Plan): string {
  switch (repeat) {
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekly":
      return `${minute} ${hour} * * ${weekdays.join(",")}`;
    case "monthly":
      return `${minute} ${hour} ${day} * *`;
  }
}

const two = (value: number): string => String(value).padStart(2, "0");
export const timeText = ({ hour, minute }: Pick<Plan, "hour" | "minute">): string => `${two(hour)}:${two(minute)}`;

/** "Mondays at 09:00"; undefined where there are no words for it. */
export function cronText(text: string): string | undefined {
  const plan = readPlan(text);
  if (!plan) {
    const parsed = parseCron(text);
    return "cron" in parsed ? everyMinutes(parsed.cron) : undefined;
  }
  switch (plan.repeat) {
    case "hourly":
      return plan.minute === 0 ? "Every hour" : `Every hour at minute ${plan.minute}`;
    case "daily":
      return `Every day at ${timeText(plan)}`;
    case "weekly":
      return `${weekdaysText(plan.weekdays)} at ${timeText(plan)}`;
    case "monthly":
      return `On day ${plan.day} of the month at ${timeText(plan)}`;
  }
}

function weekdaysText(weekdays: readonly number[]): string {
  const key = weekdays.join("");
  if (key === "0123456") return "Every day";
  if (key === "12345") return "Weekdays";
  if (key === "06") return "Weekends";
  // The week begins on Monday.
  const names = [...weekdays].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((one) => `${say.names[one]}s`);
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** "Every 15 minutes", where the minutes divide the hour evenly. */
function everyMinutes({ minutes, hours, days, months, weekdays }: Cron): string | undefined {
  const step = 60 / minutes.length;
  const isEven = minutes.every((minute, index) => minute === index * step);
  if (!isEven || hours.length !== 24 || days || months || weekdays) return undefined;
  return step === 1 ? "Every minute" : `Every ${step} minutes`;
}

/** `wall`: the local time now, as milliseconds. Without a match there are no times. */
export function nextTimes(text: string, wall: number, count = 3): { times: string[] } | { fault: string } {
  const parsed = parseCron(text);
  if ("fault" in parsed) return parsed;
  const times: string[] = [];
  let after: number | null = wall;
  while (times.length < count) {
    after = nextMatch(parsed.cron, after);
    if (after === null) break;
    times.push(wallText(after));
  }
  return { times };
}

function wallText(wall: number): string {
  const at = new Date(wall);
  const month = at.toLocaleString("en-GB", { month: "short", timeZone: "UTC" });
  const time = timeText({ hour: at.getUTCHours(), minute: at.getUTCMinutes() });
  return `${say.short[at.getUTCDay()]} ${at.getUTCDate()} ${month}, ${time}`;
}
