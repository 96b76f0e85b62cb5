// Who decided what happened to a step, as `decidedBy` of execution details and of explained steps: programs and the
// dashboard find the place to change it by this, and never by the text. Pure.
import { type DecidedBy, type Decider, deciderKinds, type JobStatus, type StepType } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { findEntry } from "../steps/catalogue.ts";

type Step = { stepId: string; name: string; type: StepType };

/**
 * What a decision is named after. `steps`: the active steps of the workflow; `index`: the one that the detail is of.
 */
export type DecisionPlace = {
  workflow: { workflowId: string; name: string };
  steps: readonly Step[];
  index: number;
  subscriberId?: string;
  transactionId?: string;
  /** Names of integrations by id, as far as they were loaded. */
  names?: ReadonlyMap<string, string>;
};

/** Undefined for a detail that decides nothing. */
export function decidedBy({ d, p, r = {} }: StoredDetail, place: DecisionPlace): DecidedBy | undefined {
  const kind = findEntry({ d })?.by;
  return kind && { kind, ...namesOf(kind, { providerId: p, raw: r }, place) };
}

function namesOf(
  kind: Decider,
  { providerId, raw }: { providerId?: string; raw: JsonObject },
  { workflow, steps, index, subscriberId, transactionId, names }: DecisionPlace,
): Omit<DecidedBy, "kind"> {
  switch (kind) {
    case "workflow":
      return { id: workflow.workflowId, name: workflow.name };
    case "preference":
      return definedNames(subscriberId, raw.category);
    case "schedule":
    case "subscriber":
      return definedNames(subscriberId);
    case "suppression":
      return definedNames(raw.suppressionId);
    case "integration": {
      const name = names?.get(String(raw.integrationId)) ?? raw.integration ?? raw.identifier;
      return definedNames(raw.integrationId, name);
    }
    case "provider":
      return definedNames(providerId);
    case "tenant":
      return definedNames(raw.tenant);
    case "event":
      return definedNames(transactionId);
    default: {
      // These decide for steps behind them too. A branch and an experiment are named by the detail.
      const isFlow = ["digest", "throttle", "wait", "experiment"].includes(kind);
      const nearest = isFlow ? steps.slice(0, index + 1).findLast(({ type }) => type === kind) : steps[index];
      const step = steps.find(({ stepId }) => stepId === raw[kind]) ?? nearest;
      return definedNames(step?.stepId, step?.name);
    }
  }
}

const definedNames = (id: unknown, name?: unknown): Omit<DecidedBy, "kind"> => ({
  ...(typeof id === "string" && { id }),
  ...(typeof name === "string" && { name }),
});

/** The decision about a step: the last one of its details, unless it was simply done. */
export function decisionOf(
  job: { status: JobStatus; details: readonly StoredDetail[] },
  place: DecisionPlace,
): DecidedBy | undefined {
  if (job.status === "completed" || job.status === "pending") return undefined;
  // What was decided before the step was sent again counts no more.
  const details = job.details.slice(job.details.findLastIndex(({ d }) => d === "resent") + 1);
  const last = details.findLast(({ d }) => findEntry({ d })?.by !== undefined);
  if (!last) return undefined;
  // The summary of several messages names no integration: the last of them does.
  const isNamed = findEntry(last)?.by !== "integration" || last.r?.integrationId !== undefined;
  const failed = isNamed ? undefined : details.findLast(({ r }) => r?.integrationId !== undefined);
  return decidedBy(failed ? { ...last, r: { ...last.r, integrationId: failed.r!.integrationId } } : last, place);
}

/** A step that has not begun waits for the one before it. */
export const waitsFor = ({ type, stepId, name }: Step): DecidedBy => ({
  kind: deciderKinds.find((kind) => kind === type) ?? "step",
  id: stepId,
  name,
});
