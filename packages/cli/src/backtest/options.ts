// Options of a backtest, for `tidings backtest` and `tidings plan --backtest`: the period, and the file of limits.
import { backtestLimits } from "@tidings/contract";
import { numberOption, textOption } from "../arguments.ts";
import type { Call, CommandOptions, Values } from "../command.ts";
import { wrongUsage } from "../failure.ts";

export const periodOptions = {
  days: { type: "string", value: "number", about: `The last days, 1 to ${backtestLimits.days}; 7 by default` },
  from: { type: "string", value: "time", about: "Instead of --days: events from this time on, such as 2026-05-01" },
  to: { type: "string", value: "time", about: "With --from: events before this time; now by default" },
  threshold: { type: "string", value: "file", about: "YAML file with limits; exit code 1 if one is exceeded" },
} as const satisfies CommandOptions;

export type Period = { lastDays: number } | { from: string; to?: string };

/** What is wrong with a period is said here where the service need not be asked. */
export function readPeriod({ values }: Pick<Call, "values">, help: string): Period {
  const [from, to] = [timeOption(values, "from", help), timeOption(values, "to", help)];
  if (from === undefined) {
    if (to !== undefined) throw wrongUsage("--to needs --from.", help);
    const lastDays = numberOption(values, "days", { least: 1, most: backtestLimits.days, otherwise: 7 });
    if (!Number.isInteger(lastDays)) throw wrongUsage(`--days: "${values.days}" is not a whole number.`, help);
    return { lastDays };
  }
  if (values.days !== undefined) throw wrongUsage("--days and --from exclude each other.", help);
  if (to !== undefined && to <= from) throw wrongUsage(`--to: ${to} is not after ${from}.`, help);
  return { from, ...(to !== undefined && { to }) };
}

const isoPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A day begins at midnight UTC. */
function timeOption(values: Values, name: string, help: string): string | undefined {
  const given = textOption(values, name);
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (!isoPattern.test(given) || Number.isNaN(time.getTime()))
    throw wrongUsage(`--${name}: "${given}" is not a time, such as 2026-05-01 or 2026-05-01T08:00:00Z.`, help);
  return time.toISOString();
}
