// How often a subscriber may want a digest, in words.
import type { DigestFrequency } from "@tidings/contract";

export const frequencyNames: Readonly<Record<DigestFrequency, string>> = {
  instant: "At once",
  hourly: "Every hour",
  daily: "Every day",
  weekly: "Every week",
};
