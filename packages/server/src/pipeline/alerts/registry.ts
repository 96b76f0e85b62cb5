// The kinds of alert rules, by name.
import type { AlertKindName } from "@tidings/contract";
import type { AlertKind } from "./kind.ts";
import { deadLetters } from "./kinds/dead-letters.ts";
import { integrationFailing } from "./kinds/integration-failing.ts";
import { queueAge } from "./kinds/queue-age.ts";
import { sourceFailing } from "./kinds/source-failing.ts";
import { storage } from "./kinds/storage.ts";
import { webhookFailing } from "./kinds/webhook-failing.ts";
import { workflowObjective } from "./kinds/workflow-objective.ts";
import { workflowRunaway } from "./kinds/workflow-runaway.ts";

export const kindsByName: { [K in AlertKindName]?: AlertKind<K> } = {
  dead_letters: deadLetters,
  integration_failing: integrationFailing,
  queue_age: queueAge,
  webhook_failing: webhookFailing,
  source_failing: sourceFailing,
  storage,
  workflow_objective: workflowObjective,
  workflow_runaway: workflowRunaway,
};
