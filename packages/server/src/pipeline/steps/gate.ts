// The questions every step answers before it runs, in this order: does its own rule skip it, do its classic filters let
// it pass, and for a channel step: is the channel wanted, and is this a time at which the subscriber may be disturbed?
// Everything is asked at the moment the step begins, so what changed during a wait before it counts. Each "no" leaves a
// detail that names who said it.
import { type Channel, isChannel, type StepFilter } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";
import { RenderFault } from "../render/liquid.ts";
import { templateScope } from "../render/scope.ts";
import { keptRule, valuesAt } from "../rules/condition-values.ts";
import { evaluateSkip } from "../rules/conditions.ts";
import { detail } from "../rules/details.ts";
import { decide, withChoices } from "../rules/preferences.ts";
import { passesFilters, renderFilters } from "../rules/step-filters.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import { openingAt } from "./wait.ts";

/** `stopped` is null when the step may run. `passed` says which results of earlier steps its rule let it run by. */
export type Gate = { stopped: StepResult | null; passed: StoredDetail[] };

export function gate(input: StepInput): Gate {
  const { skipped, passed } = judgeRule(input);
  return { stopped: skipped ?? stoppedByFilters(input) ?? stoppedByChannel(input), passed };
}

function stoppedByChannel(input: StepInput): StepResult | null {
  const { type } = input.job.step;
  return isChannel(type) ? (stoppedByPreferences(input, type) ?? stoppedBySchedule(input, type)) : null;
}

function judgeRule({ run, job, facts, now }: StepInput): { skipped: StepResult | null; passed: StoredDetail[] } {
  const { skip } = job.step.controlValues;
  if (skip === undefined) return { skipped: null, passed: [] };
  const verdict = evaluateSkip(skip, () => templateScope(run, facts));
  if ("fault" in verdict) {
    const raw = { rule: verdict.rule, reason: verdict.fault };
    return { skipped: { kind: "failed", details: [detail("condition_failed", now, { raw })] }, passed: [] };
  }
  const { isSkipped, rule, values } = verdict;
  if (isSkipped) {
    const details = [detail("skipped_by_condition", now, { raw: { rule, values } })];
    return { skipped: { kind: "skipped", details }, passed: [] };
  }
  const isRecorded = Object.keys(values).length > 0;
  return { skipped: null, passed: isRecorded ? [detail("condition_passed", now, { raw: { rule, values } })] : [] };
}

function stoppedByFilters({ run, job, facts, now }: StepInput): StepResult | null {
  if (!job.step.filters?.length) return null;
  const scope = templateScope(run, facts);
  let filters: StepFilter[];
  try {
    filters = renderFilters(job.step.filters, scope);
  } catch (error) {
    if (!(error instanceof RenderFault)) throw error;
    const raw = { filters: keptRule(job.step.filters), reason: error.message };
    return { kind: "failed", details: [detail("condition_failed", now, { raw })] };
  }
  if (passesFilters(filters, scope)) return null;
  const fields = filters.flatMap(({ children }) => children.map(({ on, field }) => `${on}.${field}`));
  const raw = { filters: keptRule(filters), values: valuesAt(fields, scope) };
  return { kind: "skipped", details: [detail("skipped_by_condition", now, { raw })] };
}

function stoppedByPreferences({ run, facts, now }: StepInput, channel: Channel): StepResult | null {
  const { version, contextKeys } = run;
  const chosen = facts.preferences.get(run.subscriber?.id ?? "") ?? [];
  const levels = withChoices(version.definition.preferences, chosen, version.workflowId, contextKeys);
  const { enabled, level, isScoped } = decide(levels, channel);
  if (enabled || !level) return null;
  const raw = { channel, workflow: version.definition.workflowId, ...(isScoped && { contextKeys }) };
  return { kind: "skipped", details: [detail(`filtered_by_${level}`, now, { raw })] };
}

/** In-app messages disturb nobody: they lie in the feed until somebody looks. */
function stoppedBySchedule(input: StepInput, channel: Channel): StepResult | null {
  if (channel === "in_app") return null;
  const { run, now } = input;
  const opening = openingAt(input, now);
  if (opening.open) return null;
  const { opensAt } = opening;
  if (opensAt === null) {
    const raw = { channel, reason: "the schedule does not open within 7 days" };
    return { kind: "skipped", details: [detail("outside_schedule", now, { raw })] };
  }
  const until = opensAt.toISOString();
  if (run.version.definition.outsideSchedule === "skip") {
    return { kind: "skipped", details: [detail("outside_schedule", now, { raw: { channel, opensAt: until } })] };
  }
  return { kind: "waiting", until: opensAt, details: [detail("step_held", now, { raw: { until } })] };
}
