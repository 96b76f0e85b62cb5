import type { TriggerTarget } from "../../../../src/store/workflows/workflows.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/workflows/workflows.ts";

export const findTriggerTargets = statement(
  "findTriggerTargets",
  (tx, _environmentId: string, identifiers: string[]): TriggerTarget[] =>
    tx.where<TriggerTarget>("workflows", (row) => identifiers.includes(row.workflow_id)),
);
