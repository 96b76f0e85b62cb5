// Targets of alert rules: who gets a message. They are encrypted at rest, because the address of an incoming webhook
// is all that a stranger needs to write to a channel.
import type { AlertTarget } from "@tidings/contract";
import type { Secrets } from "../../lib/secrets.ts";

/** `email`: through the named integration, or any that works. `owners`: the members with this role, by email. */
export type Target =
  | { type: "email"; to: string[]; integrationIdentifier?: string }
  | { type: "owners" }
  | { type: "webhook"; url: string; secret: string }
  | { type: "slack"; url: string };

export const sealTargets = (secrets: Secrets, targets: Target[]): string => secrets.encrypt(JSON.stringify(targets));

export const openTargets = (secrets: Secrets, stored: string): Target[] =>
  JSON.parse(secrets.decrypt(stored)) as Target[];

export const sealTarget = (secrets: Secrets, target: Target): string => secrets.encrypt(JSON.stringify(target));

export const openTarget = (secrets: Secrets, stored: string): Target => JSON.parse(secrets.decrypt(stored)) as Target;

const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

export const toTargetView = (target: Target): AlertTarget =>
  "url" in target ? { ...target, host: hostOf(target.url) } : target;

/** A target in a sentence, without its secrets. */
export function describeTarget(target: Target): string {
  if (target.type === "email") return `the email to ${target.to.join(", ")}`;
  if (target.type === "owners") return "the email to the owners";
  return `the ${target.type === "slack" ? "Slack channel" : "webhook"} at ${hostOf(target.url)}`;
}
