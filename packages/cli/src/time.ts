// Durations and times as people write them: `3d`, `1d2h`, `90s`, `+0m`.
import { setTimeout as sleep } from "node:timers/promises";

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
const part = /(\d+)(ms|[smhdw])/y;

/** Milliseconds; null when the text is not a duration. A leading `+` is allowed. */
export function parseDuration(text: string): number | null {
  const given = text.startsWith("+") ? text.slice(1) : text;
  if (given === "") return null;
  let total = 0;
  part.lastIndex = 0;
  while (part.lastIndex < given.length) {
    const found = part.exec(given);
    if (!found) return null;
    total += Number(found[1]) * units[found[2]!]!;
  }
  return Number.isSafeInteger(total) ? total : null;
}

/** `+1d2h`. */
export function formatOffset(ms: number): string {
  let left = Math.abs(ms);
  const parts = ["d", "h", "m", "s", "ms"].map((unit) => {
    const count = Math.floor(left / units[unit]!);
    left -= count * units[unit]!;
    return count > 0 ? `${count}${unit}` : "";
  });
  return `${ms < 0 ? "-" : "+"}${parts.join("") || "0m"}`;
}

/** Rejects when the command is interrupted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal });

/** Calls `ask` until it returns a value, for at most `withinMs`; null if it has not returned one by then. */
export async function pollUntil<T>(
  ask: () => Promise<T | null>,
  { withinMs, everyMs = 500, signal }: { withinMs: number; everyMs?: number; signal: AbortSignal },
): Promise<T | null> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    const left = end - performance.now();
    if (left <= 0) return null;
    await pause(Math.min(everyMs, left), signal);
  }
}
