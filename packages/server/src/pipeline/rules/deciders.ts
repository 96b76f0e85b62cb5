// Who decided what became of a step, as `decidedBy` of execution details and of explained steps: programs and the dashboard find
// the place to change it by this, and never by the text. Pure.
import { type DecidedBy, type Decider, isChannel, type JobStatus, type StepType } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { DetailName } from "./details.ts";

/** Details that are not here decide nothing: they note what was done. */
const deciders: Readonly<Record<string, Decider | undefined>> = {
  step_delayed: "delay",
  waiting_for_provider: "integration",
  waiting_for_receipt: "provider",
  step_held: "schedule",
  step_extended: "schedule",
  step_digested: "digest",
  digest_started: "digest",
  digest_closed_early: "digest",
  digest_merged: "digest",
  digest_alone: "digest",
  throttled: "throttle",
  throttle_past: "throttle",
  throttle_invalid: "throttle",
  skipped_by_condition: "condition",
  condition_failed: "condition",
  skipped_by_bridge: "bridge",
  not_reached_in_bridge: "bridge",
  bridge_asked: "bridge",
  bridge_retry: "bridge",
  bridge_failed: "bridge",
  filtered_by_workflow: "workflow",
  filtered_by_dashboard: "workflow",
  filtered_by_subscriber_global: "preference",
  filtered_by_subscriber_workflow: "preference",
  outside_schedule: "schedule",
  no_integration: "integration",
  named_integration_missing: "integration",
  tenant_missing: "tenant",
  layout_missing: "step",
  override_invalid: "event",
  render_failed: "step",
  provider_retry: "integration",
  provider_error: "integration",
  recipient_refused: "subscriber",
  device_token_removed: "subscriber",
  dead_letter: "integration",
  recipient_suppressed: "suppression",
  no_email: "subscriber",
  no_phone: "subscriber",
  no_device_tokens: "subscriber",
  no_chat_channel: "subscriber",
  no_webhook_url: "subscriber",
  all_chats_failed: "integration",
  all_devices_failed: "integration",
  delay_invalid: "delay",
  digest_invalid: "digest",
  wait_too_long: "step",
  bounced: "provider",
  dropped: "provider",
  rejected: "provider",
  blocked: "provider",
  deferred: "provider",
  reported_as_spam: "subscriber",
  unsubscribed: "subscriber",
} satisfies Partial<Record<DetailName, Decider>>;

type Step = { stepId: string; name: string; type: StepType };

/** What a decision is named after. `steps`: the active steps of the workflow; `index`: the one that the detail is of. */
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
  const kind = deciders[d];
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
      // A digest and a throttle decide for all steps behind them.
      const isFlow = kind === "digest" || kind === "throttle";
      const step = isFlow ? steps.slice(0, index + 1).findLast(({ type }) => type === kind) : steps[index];
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
  const last = details.findLast(({ d }) => deciders[d] !== undefined);
  if (!last) return undefined;
  // The summary of several messages names no integration: the last of them does.
  const isNamed = deciders[last.d] !== "integration" || last.r?.integrationId !== undefined;
  const failed = isNamed ? undefined : details.findLast(({ r }) => r?.integrationId !== undefined);
  return decidedBy(failed ? { ...last, r: { ...last.r, integrationId: failed.r!.integrationId } } : last, place);
}

const waitKinds: Partial<Record<StepType, Decider>> = { digest: "digest", delay: "delay", throttle: "throttle" };

/** A step that has not begun waits for the one before it. */
export const waitsFor = ({ type, stepId, name }: Step): DecidedBy => ({
  kind: isChannel(type) ? "step" : (waitKinds[type] ?? "step"),
  id: stepId,
  name,
});
