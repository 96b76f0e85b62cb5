// Steps of a run as lines: what was sent, and why not.
import type { ExplainedStep, StepOutcome } from "@tidings/contract";
import { type Output, plainText } from "./output.ts";

const tones: Record<StepOutcome, "green" | "red" | "yellow" | "dim"> = {
  sent: "green",
  done: "green",
  skipped: "yellow",
  waiting: "yellow",
  sending: "yellow",
  merged: "yellow",
  failed: "red",
  canceled: "yellow",
  pending: "dim",
};

export function printSteps(out: Output, steps: readonly ExplainedStep[]): void {
  const width = Math.max(0, ...steps.map(({ stepId }) => stepId.length));
  for (const { stepId, outcome, reason, messages } of steps) {
    const word = out.style(tones[outcome], outcome.padEnd(8));
    out.line(`  ${word} ${plainText(stepId).padEnd(width)}  ${plainText(reason)}`);
    for (const { subject, address, providerId } of messages) {
      const parts = [subject && `"${subject}"`, address && `to ${address}`, providerId && `through ${providerId}`];
      const told = parts.filter(Boolean).join(" ");
      if (told) out.line(out.style("dim", `  ${" ".repeat(8 + width + 3)}${plainText(told)}`));
    }
  }
}

export const hasFailed = (steps: readonly ExplainedStep[]): boolean =>
  steps.some(({ outcome }) => outcome === "failed");
