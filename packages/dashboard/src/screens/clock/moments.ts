// Times of the clock as a form has them, and what a move was. Pure.

/** A time as `<input type="datetime-local">` has it: in the reader's zone, to the minute. */
export function toLocalInput(iso: string): string {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Null while the text is not a whole date and time. */
export function fromLocalInput(text: string): string | null {
  const time = new Date(text);
  return text === "" || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

export const gapOf = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

/** How far the clock is on its way, from 0 to 1. */
export function progressOf(from: string, now: string, target: string): number {
  const whole = gapOf(from, target);
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, gapOf(from, now) / whole));
}
