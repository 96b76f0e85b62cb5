// Generated from the step files in this folder by `npm run generate`. Do not edit.
import type { StepKind, StepType, WaitingStep } from "@tidings/contract";

export const stepTypes: readonly StepType[] = ["in_app", "email", "sms", "chat", "push", "digest", "delay", "throttle", "custom", "branch", "experiment", "wait", "http_request", "start_workflow", "update_subscriber"];
export const maxSteps = 20;

export const stepNames = {
  in_app: "In-app",
  email: "Email",
  sms: "SMS",
  chat: "Chat",
  push: "Push",
  digest: "Digest",
  delay: "Delay",
  throttle: "Throttle",
  custom: "Custom",
  branch: "Branch",
  experiment: "Experiment",
  wait: "Wait",
  http_request: "HTTP request",
  start_workflow: "Start workflow",
  update_subscriber: "Update subscriber",
} as const satisfies Record<StepType, string>;

export const stepIcons = {
  in_app: "bell",
  email: "mail",
  sms: "message",
  chat: "hash",
  push: "smartphone",
  digest: "layers",
  delay: "timer",
  throttle: "gauge",
  custom: "code",
  branch: "branch",
  experiment: "flask",
  wait: "pause",
  http_request: "globe",
  start_workflow: "play",
  update_subscriber: "user",
} as const satisfies Record<StepType, string>;

export const stepKinds: Readonly<Record<StepType, StepKind>> = {
  in_app: "channel",
  email: "channel",
  sms: "channel",
  chat: "channel",
  push: "channel",
  digest: "wait",
  delay: "wait",
  throttle: "gate",
  custom: "custom",
  branch: "gate",
  experiment: "gate",
  wait: "wait",
  http_request: "custom",
  start_workflow: "custom",
  update_subscriber: "custom",
};

/** The end of a wait, on a timeline. */
export const waitEnds = {
  digest: "Digest closes",
  delay: "Delay ends",
  wait: "Wait times out",
} as const satisfies Record<WaitingStep, string>;
