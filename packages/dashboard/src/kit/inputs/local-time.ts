// Times as `<input type="datetime-local">` has them: in the zone of the reader, to the minute. Pure.

/** Empty where there is no time. */
export function toLocalInput(iso: string | null | undefined): string {
  if (!iso) return "";
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Null for a text that is not a whole date and time. */
export function fromLocalInput(text: string): string | null {
  const time = new Date(text);
  return text === "" || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
