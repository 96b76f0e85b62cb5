// The workflow as the editor holds it: what a person can change, without what the service adds. Pure.
import type { StepFilter, StepType, Workflow, WorkflowDraft, WorkflowTestIn, WorkflowUpdate } from "@tidings/contract";
import { identifierFrom } from "../../../fields/identifier.ts";
import { isSame } from "../../../kit/is-same.ts";
import { stepNames } from "../../../steps/facts.gen.ts";
import type { Values } from "../../../steps/kit.ts";
import { editorSteps } from "../../../steps/registry.gen.ts";

export type { Values };

export type DraftStep = {
  /** Tells steps apart while they are edited: the internal id, or one made up for a step that was never saved. */
  key: string;
  _id?: string;
  stepId: string;
  name: string;
  type: StepType;
  controlValues: Values;
  filters?: StepFilter[];
  active: boolean;
  shouldStopOnFail: boolean;
  deadlineSeconds?: number;
  arm?: string;
};

export type Draft = Required<
  Pick<
    Workflow,
    | "name"
    | "description"
    | "tags"
    | "active"
    | "validatePayload"
    | "isTranslationEnabled"
    | "severity"
    | "outsideSchedule"
    | "onUnknownOutcome"
    | "searchKeys"
    | "objectives"
    | "isCommercial"
    | "messageClass"
    | "priority"
  >
> & {
  categoryId: string | null;
  payloadSchema: Values | null;
  preferences: { user: Workflow["preferences"]["default"] | null; workflow: Workflow["preferences"]["default"] };
  steps: DraftStep[];
};

/** `_id` where the steps of a broadcast are edited as a workflow: it has no texts, comments or events. */
export const unsavedId = "";

type AnyStep = Omit<DraftStep, "key" | "_id"> & { _id: string };

function toDraftStep(step: AnyStep): DraftStep {
  const { _id, stepId, name, type, controlValues, filters, active, shouldStopOnFail, deadlineSeconds, arm } = step;
  return {
    key: _id,
    _id,
    stepId,
    name,
    type,
    controlValues,
    ...(filters && filters.length > 0 && { filters }),
    active,
    shouldStopOnFail,
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(arm !== undefined && { arm }),
  };
}

export function draftOf(workflow: Workflow): Draft {
  return {
    name: workflow.name,
    description: workflow.description ?? "",
    tags: workflow.tags ?? [],
    active: workflow.active ?? false,
    validatePayload: workflow.validatePayload ?? false,
    payloadSchema: (workflow.payloadSchema as Values | null | undefined) ?? null,
    isTranslationEnabled: workflow.isTranslationEnabled ?? false,
    severity: workflow.severity,
    outsideSchedule: workflow.outsideSchedule ?? "hold",
    onUnknownOutcome: workflow.onUnknownOutcome ?? "may_duplicate",
    searchKeys: workflow.searchKeys ?? [],
    objectives: workflow.objectives ?? {},
    categoryId: workflow.categoryId ?? null,
    isCommercial: workflow.isCommercial ?? false,
    messageClass: workflow.messageClass ?? "transactional",
    priority: workflow.priority ?? "normal",
    preferences: { user: workflow.preferences.user ?? null, workflow: workflow.preferences.default },
    steps: workflow.steps.map((step) => toDraftStep({ ...step, controlValues: step.controls.values as Values })),
  };
}

/**
 * Whether two drafts have the same content, whatever the keys of their steps: a saved step has another key than the
 * new one.
 */
export const isSameContent = (one: Draft, other: Draft): boolean => isSame(contentOf(one), contentOf(other));

const contentOf = (draft: Draft) => ({ ...draft, steps: draft.steps.map(({ key, _id, ...step }) => step) });

const stepsOut = (steps: readonly DraftStep[]) => steps.map(({ key, ...step }) => step);

export function toUpdate(draft: Draft, { origin }: Workflow, expectedVersion: string | undefined): WorkflowUpdate {
  return {
    ...draft,
    steps: stepsOut(draft.steps),
    origin,
    ...(expectedVersion !== undefined && { expectedVersion }),
  };
}

/** For a dry-run. An inactive workflow is run as if it were active: the point is to see what it would do. */
export const toDryRun = (draft: Draft, workflowId: string): WorkflowDraft => ({
  ...draft,
  workflowId,
  active: true,
  steps: stepsOut(draft.steps),
});

/** For a backtest. A workflow that is switched off sends nothing: that is part of the change. */
export const toBacktest = (draft: Draft, workflowId: string): WorkflowDraft & { workflowId: string } => ({
  ...draft,
  workflowId,
  steps: stepsOut(draft.steps),
});

/** For a test of the draft. */
export function toTest(draft: Draft): WorkflowTestIn["workflow"] {
  const { workflowId: _identifier, ...content } = toDryRun(draft, "");
  return content;
}

/** The key of a step that was never saved. */
export const newKey = (stepId: string): string => `new-${stepId}-${Math.random().toString(36).slice(2)}`;

/** A step with a name and an identifier that the workflow does not have yet. */
export function newStep(type: StepType, steps: readonly DraftStep[]): DraftStep {
  const names = new Set(steps.map(({ name }) => name));
  const ids = new Set(steps.map(({ stepId }) => stepId));
  let count = 1;
  const nameAt = () => (count === 1 ? stepNames[type] : `${stepNames[type]} ${count}`);
  while (names.has(nameAt()) || ids.has(identifierFrom(nameAt()))) count++;
  const stepId = identifierFrom(nameAt());
  return {
    key: newKey(stepId),
    stepId,
    name: nameAt(),
    type,
    controlValues: { ...editorSteps[type].startValues },
    active: true,
    shouldStopOnFail: false,
  };
}

export const changeStep = (draft: Draft, key: string, changed: Partial<DraftStep>): Draft => ({
  ...draft,
  steps: draft.steps.map((step) => (step.key === key ? { ...step, ...changed } : step)),
});

/** The value at a path such as `primaryAction.label`. */
export const valueAt = (values: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as Values | null | undefined)?.[name], values);

/** With the value at the path changed; undefined removes it, together with objects that become empty. */
export function withValue(values: Values, path: string, value: unknown): Values {
  const [name = "", ...rest] = path.split(".");
  const inner = rest.length === 0 ? value : withValue((values[name] as Values) ?? {}, rest.join("."), value);
  const isGone = inner === undefined || (rest.length > 0 && Object.keys(inner as object).length === 0);
  const { [name]: _gone, ...others } = values;
  return isGone ? others : { ...values, [name]: inner };
}
