import type { TriggerTarget } from "../../../../src/store/workflows/workflows.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/workflows/workflows.ts";

const columns = [
  "id",
  "workflow_id",
  "version_id",
  "name",
  "active",
  "validate_payload",
  "payload_schema",
  "search_keys",
  "step_count",
  "active_step_count",
] as const satisfies (keyof TriggerTarget)[];

export const findTriggerTargets = statement(
  "findTriggerTargets",
  (tx, _environmentId: string, identifiers: string[]): TriggerTarget[] =>
    tx
      .where<TriggerTarget>("workflows", (row) => identifiers.includes(row.workflow_id))
      .map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])) as unknown as TriggerTarget),
);
