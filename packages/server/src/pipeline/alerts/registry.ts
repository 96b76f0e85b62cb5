// The kinds of alert rules, by name.
import type { AlertKindName } from "@tidings/contract";
import type { AlertKind } from "./kind.ts";
import { integrationFailing } from "./kinds/integration-failing.ts";
import { workflowObjective } from "./kinds/workflow-objective.ts";
import { workflowRunaway } from "./kinds/workflow-runaway.ts";

export const kindsByName: { [K in AlertKindName]?: AlertKind<K> } = {
  integration_failing: integrationFailing,
  workflow_objective: workflowObjective,
  workflow_runaway: workflowRunaway,
};
