// Which audiences the conditions of steps name. Pure: the command line checks files with it.
import { armsOf, audienceTestsIn } from "@tidings/contract";
import type { WorkflowDefinition } from "../../store/tables.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";

type ConditionalStep = Pick<StoredStep, "stepId" | "type" | "controlValues">;

/** The conditions of a step, with the paths of their controls. */
export function conditionsOf(step: ConditionalStep): { path: string; condition: unknown }[] {
  const arms = step.type === "branch" ? armsOf(step) : [];
  return [
    { path: "skip", condition: step.controlValues.skip },
    ...arms.map(({ condition }, index) => ({ path: `arms.${index}.condition`, condition })),
  ];
}

const idsOfDefinitions = new WeakMap<WorkflowDefinition, string[]>();

/** The audiences that conditions of the workflow name. Versions are cached, so each is read once. */
export function audienceIdsOf(definition: WorkflowDefinition): string[] {
  const known = idsOfDefinitions.get(definition);
  if (known) return known;
  const conditions = definition.steps.flatMap(conditionsOf);
  const ids = [...new Set(conditions.flatMap(({ condition }) => audienceTestsIn(condition).audienceIds))];
  idsOfDefinitions.set(definition, ids);
  return ids;
}
