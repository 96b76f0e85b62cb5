// Outcomes in colours.
import type { NotificationOutcome, StepOutcome } from "@tidings/contract";
import type { Tone } from "../kit/tone.ts";

export { stepIcons } from "../steps/facts.gen.ts";

export const stepTones: Record<StepOutcome, Tone> = {
  sent: "good",
  done: "good",
  skipped: "quiet",
  waiting: "info",
  sending: "info",
  merged: "quiet",
  failed: "bad",
  canceled: "warn",
  pending: "quiet",
};

export const outcomeTones: Record<NotificationOutcome, Tone> = {
  failed: "bad",
  partly: "warn",
  pending: "info",
  delivered: "good",
  merged: "quiet",
  canceled: "warn",
  skipped: "quiet",
};
