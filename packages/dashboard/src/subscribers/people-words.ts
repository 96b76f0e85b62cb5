// Counts of people in words, and the list of people of an audience or an outcome.
import type { AudienceCount } from "@tidings/contract";

const people = (count: number): string => (count === 1 ? "1 person" : `${count.toLocaleString()} people`);

export const words = {
  people,
  /** Beyond 100,000 the service estimates, and it is said so. */
  counted: ({ people: count, isEstimated }: AudienceCount): string =>
    isEstimated ? `About ${people(count)}` : people(count),
  estimated: "Estimated: exact counts end at 100,000 people.",
  name: "Name",
  email: "Email",
  timezone: "Time zone",
  nothing: "–",
} as const;
