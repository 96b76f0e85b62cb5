// When a webhook delivery is retried, and when a webhook is disabled.

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Waits between attempts. After the last attempt the delivery has failed, about 28 hours after the event. */
export const webhookRetryWaits = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  10 * hours,
] as const;

/** A webhook without a successful delivery for this long is disabled. */
export const failingLimitMs = 5 * 24 * hours;

/** Milliseconds until the next attempt, after this number of failed ones; null when there is none. */
export const retryAfter = (failures: number): number | null => webhookRetryWaits[failures - 1] ?? null;
