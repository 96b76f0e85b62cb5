// Times of a key, as the inputs of the browser have them. Pure.
const two = (number: number): string => String(number).padStart(2, "0");

/** For `<input type="datetime-local">`, in the zone of the reader; empty where there is no time. */
export function toInput(iso: string | null | undefined): string {
  if (!iso) return "";
  const at = new Date(iso);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** undefined for a text that is not a time. */
export function fromInput(input: string): string | undefined {
  const at = new Date(input);
  return input === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
