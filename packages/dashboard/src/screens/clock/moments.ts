// What a move of the clock was. Pure.

export const gapOf = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

/** How far the clock is on its way, from 0 to 1. */
export function progressOf(from: string, now: string, target: string): number {
  const whole = gapOf(from, target);
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, gapOf(from, now) / whole));
}
