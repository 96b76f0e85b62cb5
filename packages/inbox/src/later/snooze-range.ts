// Which dates a snooze may have.

const minuteMs = 60_000;
/** The service refuses a snooze that ends earlier. */
const minMinutes = 3;

/** The value of a field for a local date and time. */
export const toFieldDate = (time: Date): string => {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
};

/** Minutes are whole in the field, so the first one is rounded up and the last one down. */
export const snoozeRange = (now: number, maxHours: number): { from: Date; to: Date } => ({
  from: new Date(Math.ceil((now + minMinutes * minuteMs) / minuteMs) * minuteMs),
  to: new Date(Math.floor((now + maxHours * 60 * minuteMs) / minuteMs) * minuteMs),
});
