// When a webhook is tried again, and when it is given up.

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Waits between attempts. After the last one the delivery has failed, some 28 hours after the event. */
export const webhookRepeats = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  10 * hours,
] as const;

/** A webhook without any success for so long is switched off. */
export const failingLimitMs = 5 * 24 * hours;

/** Milliseconds to wait after the attempt that was the `failures`-th to fail; null when it was the last. */
export const repeatAfter = (failures: number): number | null => webhookRepeats[failures - 1] ?? null;
