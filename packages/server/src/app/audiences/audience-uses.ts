// Which audiences, workflows and broadcasts name an audience. Pure.
import { audienceTestsIn } from "@tidings/contract";
import { conditionsOf } from "../../pipeline/audiences/tested-audiences.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";

type Ruled = { audience_id: string; rule: unknown };
type Stepped = { workflow_id: string; steps: readonly Pick<StoredStep, "stepId" | "type" | "controlValues">[] };

/** The audiences that the conditions of steps name. */
export const audiencesOfSteps = (steps: Stepped["steps"]): string[] => [
  ...new Set(steps.flatMap(conditionsOf).flatMap(({ condition }) => audienceTestsIn(condition).audienceIds)),
];

export type AudienceUsers = {
  audiences: readonly Ruled[];
  workflows: readonly Stepped[];
  broadcasts: readonly string[];
};

/** Who uses the audience, such as "workflow welcome"; null: no audience, workflow or unfinished broadcast does. */
export function userOfAudience(audienceId: string, { audiences, workflows, broadcasts }: AudienceUsers): string | null {
  const other = audiences.find(
    (one) => one.audience_id !== audienceId && audienceTestsIn(one.rule).audienceIds.includes(audienceId),
  );
  if (other) return `audience ${other.audience_id}`;
  const workflow = workflows.find(({ steps }) => audiencesOfSteps(steps).includes(audienceId));
  if (workflow) return `workflow ${workflow.workflow_id}`;
  return broadcasts.includes(audienceId) ? "a broadcast that is not finished" : null;
}
