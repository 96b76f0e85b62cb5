// Which setting decided about a step of a dry-run, and the way there.
import type { LinkProps } from "@tanstack/react-router";
import type { ExplainedStep } from "@tidings/contract";
import { findDecision } from "../../../outcomes/deciders.ts";

export type Fix = { where: string; link: LinkProps };

export function findFix(explained: ExplainedStep, subscriberId: string, workflowId: string): Fix | undefined {
  const decision = findDecision(explained, { subscriberId, workflowId });
  return decision && { where: decision.place, link: decision.link };
}
