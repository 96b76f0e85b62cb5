// Numbers, times and lists as the commands print them.

export class OperateError extends Error {}

/** What a command of an operator is handed by the command line. */
export type Operation = {
  env: Record<string, string | undefined>;
  /** A line of progress. */
  say(text: string): void;
  signal: AbortSignal;
};

export const numberText = (value: number): string => value.toLocaleString("en-US");

export const countText = (count: number, noun: string): string =>
  `${numberText(count)} ${count === 1 ? noun : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

const units = ["bytes", "kB", "MB", "GB", "TB"];

export function bytesText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** `2026-11-17 18:04:05 UTC`. */
export const timeText = (time: Date | string): string =>
  `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;

export const listText = (parts: string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

/** How often a large table says how far it is. */
const sayEveryMs = 5_000;

/** Says how many rows and bytes each table had, and at times how far a large one is. Empty tables are left out. */
export function createProgress(say: (text: string) => void) {
  let saidAt = performance.now();
  return (table: string, rows: number | null, bytes: number): void => {
    const now = performance.now();
    if (rows === null && now - saidAt < sayEveryMs) return;
    if (rows === 0) return;
    saidAt = now;
    say(rows === null ? `${table}: ${bytesText(bytes)} …` : `${table}: ${countText(rows, "row")}, ${bytesText(bytes)}`);
  };
}
