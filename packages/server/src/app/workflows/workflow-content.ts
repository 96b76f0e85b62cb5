// The content of a workflow as a request gives it, read into what is stored. An error in the structure refuses the
// request with 422; steps that only lack something are stored and reported as issues (issues/step-issues.ts).
import {
  armFaults,
  type Objectives,
  type StepIn,
  type WorkflowPatch,
  type WorkflowPreference,
} from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { type FieldFaults, failure, faultCollector, invalid } from "../../failure.ts";
import { freeIdentifier, identifierFrom } from "../../lib/identifiers.ts";
import type { StoredStep, WorkflowContent } from "../../store/workflows/workflows.ts";
import { payloadSchemaFault } from "./payload-schema.ts";
import { readControlValues, readFilters } from "./step-controls.ts";

export const defaultPreference: WorkflowPreference = { all: { enabled: true, readOnly: false }, channels: {} };

type Settings = Pick<
  WorkflowContent,
  | "description"
  | "tags"
  | "active"
  | "validate_payload"
  | "payload_schema"
  | "is_translation_enabled"
  | "severity"
  | "outside_schedule"
  | "on_unknown_outcome"
  | "search_keys"
  | "objectives"
  | "category_id"
  | "is_commercial"
  | "message_class"
  | "priority"
>;

export const defaultSettings: Omit<Settings, "active"> = {
  description: null,
  tags: [],
  validate_payload: false,
  payload_schema: null,
  is_translation_enabled: false,
  severity: "none",
  outside_schedule: "hold",
  on_unknown_outcome: "may_duplicate",
  search_keys: [],
  objectives: null,
  category_id: null,
  is_commercial: false,
  message_class: "transactional",
  priority: "normal",
};

/** A repeated tag is stored once. Programs for Novu expect a refusal. */
export function refuseRepeatedTags({ config }: Pick<Ctx, "config">, tags: WorkflowPatch["tags"]): void {
  if (config.vocabulary !== "novu" || !tags) return;
  const tag = tags.find((one, index) => tags.indexOf(one) !== index);
  if (tag !== undefined) throw failure("DUPLICATE_TAG", { tag });
}

/** Settings that the body leaves out keep their stored value. */
export function readSettings(body: WorkflowPatch, stored: Settings): Settings {
  const faults = faultCollector();
  const schemaFault = body.payloadSchema ? payloadSchemaFault(body.payloadSchema) : null;
  if (schemaFault) faults.add("payloadSchema", `payloadSchema is not a valid JSON Schema: ${schemaFault}`);
  const tags = body.tags && new Set(body.tags.map((tag) => tag.trim()));
  for (const [index, tag] of (body.tags ?? []).entries()) {
    if (tag.trim() === "") faults.add(`tags.${index}`, `tags.${index} must not be empty`, tag);
  }
  faults.throwIfAny();
  return {
    description: body.description ?? stored.description,
    tags: tags ? [...tags] : stored.tags,
    active: body.active ?? stored.active,
    validate_payload: body.validatePayload ?? stored.validate_payload,
    payload_schema: body.payloadSchema === undefined ? stored.payload_schema : body.payloadSchema,
    is_translation_enabled: body.isTranslationEnabled ?? stored.is_translation_enabled,
    severity: body.severity ?? stored.severity,
    outside_schedule: body.outsideSchedule ?? stored.outside_schedule,
    on_unknown_outcome: body.onUnknownOutcome ?? stored.on_unknown_outcome,
    search_keys: body.searchKeys ? [...new Set(body.searchKeys)] : stored.search_keys,
    objectives: body.objectives ? readObjectives(body.objectives) : stored.objectives,
    category_id: body.categoryId === undefined ? stored.category_id : body.categoryId,
    is_commercial: body.isCommercial ?? stored.is_commercial,
    message_class: body.messageClass ?? stored.message_class,
    priority: body.priority ?? stored.priority,
  };
}

/** In the order of the contract, so that equal objectives are equal as text; null for none. */
function readObjectives({ handedOver, delivered }: Objectives): Objectives | null {
  if (!handedOver && !delivered) return null;
  return {
    ...(handedOver && { handedOver: { percent: handedOver.percent, withinSeconds: handedOver.withinSeconds } }),
    ...(delivered && { delivered: { percent: delivered.percent } }),
  };
}

/** A step that replaces a stored one keeps its id, so that digests and runs in progress still find it. */
export function readSteps(ctx: Pick<Ctx, "newId">, given: StepIn[], stored: StoredStep[]): StoredStep[] {
  const faults: FieldFaults = {};
  const replaced = matchSteps(given, stored);
  const taken = new Set(given.flatMap((step, index) => step.stepId ?? replaced[index]?.stepId ?? []));
  const seen = new Set<string>();
  const steps = given.map((step, index) => {
    const before = replaced[index];
    const { values, faults: valueFaults } = readControlValues(step, `steps.${index}.controlValues`);
    const { filters, faults: filterFaults } = readFilters(step.filters ?? [], `steps.${index}.filters`);
    Object.assign(faults, valueFaults, filterFaults);
    const stepId = step.stepId ?? before?.stepId ?? freeIdentifier(identifierFrom(step.name, "step"), taken);
    taken.add(stepId);
    if (seen.has(stepId)) {
      const field = `steps.${index}.stepId`;
      faults[field] = { messages: [`${field} must be unique within the workflow`], value: stepId };
    }
    seen.add(stepId);
    return {
      id: before?.id ?? ctx.newId(),
      stepId,
      name: step.name,
      type: step.type,
      controlValues: values,
      ...(filters.length > 0 && { filters }),
      active: step.active ?? true,
      shouldStopOnFail: step.shouldStopOnFail ?? false,
      ...(step.arm === undefined ? {} : { arm: step.arm }),
      ...(step.deadlineSeconds === undefined ? {} : { deadlineSeconds: step.deadlineSeconds }),
    };
  });
  for (const { index, message } of armFaults(steps)) {
    const field = `steps.${index}.arm`;
    faults[field] ??= { messages: [`${field}: ${message}`], value: steps[index]!.arm };
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return steps;
}

/** For each given step the stored one it replaces: by `_id`, else by `stepId`, each stored one at most once. */
function matchSteps(given: StepIn[], stored: StoredStep[]): (StoredStep | undefined)[] {
  const unmatched = new Set(stored);
  const take = (isMatch: (old: StoredStep) => boolean) => {
    const found = [...unmatched].find(isMatch);
    if (found) unmatched.delete(found);
    return found;
  };
  const byId = given.map((step) => (step._id === undefined ? undefined : take((old) => old.id === step._id)));
  return given.map((step, index) => byId[index] ?? take((old) => old.stepId === step.stepId));
}
