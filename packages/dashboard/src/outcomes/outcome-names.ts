// What a notification comes to, in words.
import type { NotificationOutcome } from "@tidings/contract";

export const outcomeNames: Readonly<Record<NotificationOutcome, string>> = {
  failed: "Failed",
  partly: "Partly delivered",
  pending: "In progress",
  delivered: "Delivered",
  merged: "Joined a digest",
  canceled: "Canceled",
  skipped: "Nothing sent",
};
