// The checks before every step, in this order: the arm that it belongs to, its skip rule, its classic filters, and for
// a channel step the preferences and the subscriber's schedule. They are evaluated when the step starts, so changes
// during an earlier wait count. A check that stops the step adds a detail that names the reason.
import { type Channel, isChannel, type StepFilter } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";
import { RenderError } from "../render/liquid.ts";
import { evaluateSkip, storableRule, valuesAt } from "../rules/conditions.ts";
import { detail } from "../rules/details.ts";
import { choiceFor, decidePreference, filterDetail, withChoices } from "../rules/preferences.ts";
import { categoryOf, conditionScope, templateScope } from "../rules/scope.ts";
import { passesFilters, renderFilters } from "../rules/step-filters.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import { stoppedByArm } from "./branch.ts";
import { openingAt } from "./waiting.ts";

/** `stopped` is null when the step may run. `passed`: what its skip rule read and may change. */
export type Gate = { stopped: StepResult | null; passed: StoredDetail[] };

export function checkGate(input: StepInput): Gate {
  const other = stoppedByArm(input.run, input.job, input.now);
  if (other) return { stopped: other, passed: [] };
  const { skipped, passed } = checkSkipRule(input);
  return { stopped: skipped ?? stoppedByFilters(input) ?? stoppedByChannel(input), passed };
}

/** Before a step is sent again by hand. The schedule does not count: a person decides that it is sent now. */
export function checkResend(input: StepInput, hasConditions: boolean): StepResult | null {
  const { type } = input.job.step;
  const byConditions = hasConditions ? (checkSkipRule(input).skipped ?? stoppedByFilters(input)) : null;
  return byConditions ?? (isChannel(type) ? stoppedByPreferences(input, type) : null);
}

function stoppedByChannel(input: StepInput): StepResult | null {
  const { type } = input.job.step;
  return isChannel(type) ? (stoppedByPreferences(input, type) ?? stoppedBySchedule(input, type)) : null;
}

function checkSkipRule(input: StepInput): { skipped: StepResult | null; passed: StoredDetail[] } {
  const { job, now } = input;
  const { skip } = job.step.controlValues;
  if (skip === undefined) return { skipped: null, passed: [] };
  const decision = evaluateSkip(skip, () => conditionScope(input));
  if ("fault" in decision) {
    const raw = { rule: decision.rule, reason: decision.fault };
    return { skipped: { kind: "failed", details: [detail("condition_failed", now, { raw })] }, passed: [] };
  }
  const { isSkipped, rule, values } = decision;
  if (isSkipped) {
    const details = [detail("skipped_by_condition", now, { raw: { rule, values } })];
    return { skipped: { kind: "skipped", details }, passed: [] };
  }
  const isRecorded = Object.keys(values).length > 0;
  return { skipped: null, passed: isRecorded ? [detail("condition_passed", now, { raw: { rule, values } })] : [] };
}

function stoppedByFilters(input: StepInput): StepResult | null {
  const { job, now } = input;
  if (!job.step.filters?.length) return null;
  const scope = templateScope(input);
  let filters: StepFilter[];
  try {
    filters = renderFilters(job.step.filters, scope);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const raw = { filters: storableRule(job.step.filters), reason: error.message };
    return { kind: "failed", details: [detail("condition_failed", now, { raw })] };
  }
  if (passesFilters(filters, scope)) return null;
  const fields = filters.flatMap(({ children }) => children.map(({ on, field }) => `${on}.${field}`));
  const raw = { filters: storableRule(filters), values: valuesAt(fields, scope) };
  return { kind: "skipped", details: [detail("skipped_by_condition", now, { raw })] };
}

function stoppedByPreferences({ run, facts, now }: StepInput, channel: Channel): StepResult | null {
  const { version, contextKeys, rules } = run;
  const chosen = facts.preferences.get(run.subscriber?.id ?? "") ?? [];
  const category = categoryOf(run, facts);
  const levels = withChoices({ ...rules.preferences, category }, chosen, version.workflowId, contextKeys);
  const decision = decidePreference(levels, channel);
  const filter = filterDetail(decision);
  if (!filter) return null;
  const named = decision.level === "category" || decision.level === "subscriber_category";
  const choice = named && category && choiceFor(chosen, category.id, decision.isScoped ? contextKeys : []);
  const raw = {
    channel,
    workflow: version.definition.workflowId,
    ...(named && category && { category: category.name, categoryId: category.categoryId }),
    ...(choice && decision.level === "subscriber_category" && { since: choice.updated_at.toISOString() }),
    ...(decision.isScoped && { contextKeys }),
  };
  return { kind: "skipped", details: [detail(filter, now, { raw })] };
}

/** In-app messages ignore the schedule: they wait in the feed. */
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
  if (run.rules.outsideSchedule === "skip") {
    return { kind: "skipped", details: [detail("outside_schedule", now, { raw: { channel, opensAt: until } })] };
  }
  // The author of a test waits for the result.
  if (run.version.definition.isTest) return null;
  return { kind: "waiting", until: opensAt, details: [detail("step_held", now, { raw: { until } })] };
}
