// What HTTP requests of past runs got back, as the responses of a scenario: its own run sends none.
import type { Scenario } from "@tidings/contract";
import type { Ctx } from "../../../context.ts";
import { canonicalJson, isObject, type JsonObject } from "../../../lib/json.ts";
import { findRequestOutputs } from "../../../store/events/scenarios.ts";
import type { StoredStep, WorkflowVersion } from "../../../store/workflows/workflows.ts";

type Responses = NonNullable<Scenario["given"]["responses"]>;
export type PastResponses = {
  responses: Responses;
  /** One step got several, of which the scenario has the first. */
  isMixed: boolean;
};

const maxRequests = 500;

export async function findResponses(
  { db }: Ctx,
  environmentId: string,
  { versions, eventIds }: { versions: ReadonlyMap<string, WorkflowVersion>; eventIds: string[] },
): Promise<PastResponses> {
  const found: PastResponses = { responses: {}, isMixed: false };
  const hasRequests = [...versions.values()].some(({ definition }) => definition.steps.some(isRequest));
  if (!hasRequests) return found;
  for (const { version_id, step_index, output } of await findRequestOutputs(db, environmentId, eventIds, maxRequests)) {
    const definition = versions.get(version_id)?.definition;
    const step = definition?.steps.filter(({ active }) => active)[step_index];
    if (!definition || !step || typeof output.status !== "number") continue;
    const response = { status: output.status, body: bodyOf(step, output) };
    const own = found.responses[definition.workflowId] ?? {};
    const first = own[step.stepId] ?? response;
    found.responses[definition.workflowId] = { ...own, [step.stepId]: first };
    if (canonicalJson(first) !== canonicalJson(response)) found.isMixed = true;
  }
  return found;
}

const isRequest = ({ type }: Pick<StoredStep, "type">): boolean => type === "http_request";

/** The result of a step has the declared properties of the body, or the whole of it. */
function bodyOf({ controlValues }: StoredStep, { status: _, ...rest }: JsonObject): unknown {
  const schema = controlValues.responseBodySchema;
  const declared = isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return declared.length > 0 ? rest : rest.body;
}
