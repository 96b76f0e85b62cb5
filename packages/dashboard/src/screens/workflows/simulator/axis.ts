// The moments of a simulated run, and what is the case at each of them. Pure.
import type { DryRun, ExplainedStep } from "@tidings/contract";

export type Recipient = DryRun["recipients"][number];

/** Times at which something is decided, the start first; idle time between them takes up no length. */
export function momentsOf({ time, recipients }: DryRun): number[] {
  const start = Date.parse(time);
  const times = recipients.flatMap(({ steps }) =>
    steps.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)])),
  );
  return [...new Set([start, ...times.map((at) => Math.max(at, start))])].sort((a, b) => a - b);
}

export type StepState = "past" | "now" | "waiting" | "ahead";

/** Steps run one behind the other: the first that has not been decided is the one that is waited for. */
export function stateOf(steps: readonly ExplainedStep[], index: number, moment: number): StepState {
  const timeOf = (step: ExplainedStep | undefined) => (step?.at === undefined ? undefined : Date.parse(step.at));
  const at = timeOf(steps[index]);
  if (at !== undefined && at <= moment) return at === moment ? "now" : "past";
  if (at === undefined) return "ahead";
  const before = index === 0 ? moment : timeOf(steps[index - 1]);
  return before !== undefined && before <= moment ? "waiting" : "ahead";
}
