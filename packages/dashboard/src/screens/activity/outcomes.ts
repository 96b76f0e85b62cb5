// Outcomes in colours and icons.
import type { StepOutcome, StepType } from "@tidings/contract";
import type { IconName } from "../../icons.tsx";
import type { Tone } from "../../kit/tone.ts";
import type { Outcome } from "./filters.ts";

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

export const outcomeTones: Record<Outcome, Tone> = {
  failed: "bad",
  partly: "warn",
  pending: "info",
  delivered: "good",
  merged: "quiet",
  canceled: "warn",
  skipped: "quiet",
};

export const stepIcons: Record<StepType, IconName> = {
  in_app: "bell",
  email: "mail",
  sms: "message",
  chat: "hash",
  push: "smartphone",
  digest: "layers",
  delay: "timer",
  throttle: "gauge",
  custom: "code",
};
