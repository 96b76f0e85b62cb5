// Decides for each message of a batch: through which integration it is sent now, or until when it waits. `planMessage`
// is pure and works on facts that were loaded for the whole batch; `planMessages` claims the probes of open circuit
// breakers.
import type { Message, Outcome, SentMessage } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import { claimProbes } from "../../store/integrations/breakers.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { AttemptSummary, DeliveryState } from "../../store/messages/attempts.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { SuppressedAddress } from "../../store/subscribers/subscribers.batch.ts";
import type { OnUnknownOutcome } from "../../store/tables.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import type { Clock } from "../clock/clock.ts";
import { candidatesFor } from "../rules/integration-choice.ts";
import type { DeliverTask } from "../tasks.ts";
import { checkBreaker, expectedProbeEnd, type Health, healthy } from "./breaker.ts";
import { findSuppressedRecipients } from "./recipients.ts";

type DueMessage = { task: Task<DeliverTask>; message: MessageRow };

/** A message to send now, with its integration. */
export type PlannedSend = DueMessage & {
  /** Null when no call is made: the message is given up, or goes to the next integration. */
  attemptId: string | null;
  content: Message | null;
  /** Null when they cannot be read. */
  credentials: JsonObject | null;
  integration: IntegrationRow;
  /** Attempt number with this integration. */
  number: number;
  /** Attempts of this round with all integrations, including this one. */
  attempts: number;
  /** The integration for failover. */
  next: IntegrationRow | null;
  /** The first choice, when its circuit breaker is open. */
  insteadOf: IntegrationRow | null;
  /** The attempt probes an open circuit breaker. */
  isProbe: boolean;
  /** All attempts with this integration are used, and the last one has no result. */
  isSpent: boolean;
  /** The integration was switched off or deleted since the last attempt, or since the message was created. */
  isOff: boolean;
  stepId: string;
  transactionId: string | null;
  /** The trace of its event (lib/trace-context.ts). */
  trace: string | null;
  onUnknown: OnUnknownOutcome;
  hadUnknown: boolean;
  deadline: Date;
  /** The address of the recipient, if it is suppressed: then no call is made. */
  suppressed: SuppressedAddress | null;
  /** Suppressed addresses among the other recipients of an email, which is sent without them. */
  leftOut: SuppressedAddress[];
  /** An earlier message that is changed to this one, where the provider can do that. */
  replaces?: SentMessage;
  /** The time of the call (ms), when the integration has a rate limit. */
  startAt?: number;
};

/** A message after its call, with the context of the call's span. `outcome` is null when no call was made. */
export type CalledSend = PlannedSend & { attemptId: string; outcome: Outcome; tookMs: number; span: string | null };
export type FinishedSend = CalledSend | (PlannedSend & { attemptId: null; outcome: null });

/** `isRealTime`: `until` is real time, even on a test clock, because the message waits for a provider. */
export type PlannedWait = DueMessage & {
  until: Date;
  isRealTime: boolean;
  why?: WaitCause;
  /** The integration whose circuit breaker the message waits for. */
  heldBy?: string;
  /** The circuit has closed, and the message waits for its turn. */
  isReleased?: boolean;
};

/** Why a message waits, for the job. `integration`: the one that is paused. */
type WaitCause = {
  detail: "waiting_for_provider" | "waiting_for_receipt";
  reason: string;
  integration?: IntegrationRow;
};

export type PlanFacts = {
  clock: Clock;
  /** Real time. */
  now: Date;
  deliveryStates: ReadonlyMap<string, DeliveryState>;
  versions: ReadonlyMap<string, WorkflowVersion>;
  tried: ReadonlyMap<string, AttemptSummary[]>;
  active: IntegrationRow[];
  integrations: ReadonlyMap<string, IntegrationRow>;
  health: ReadonlyMap<string, Health>;
  suppressed: ReadonlyMap<string, SuppressedAddress[]>;
  /**
   * Integrations with an open circuit breaker that may be sent a probe; the message that becomes the probe removes its
   * own.
   */
  probes: Set<string>;
};

/**
 * A plan for each message, in the same order. The batch plans as if it had every probe that is due, claims those it
 * would send, and plans again with those it was granted: so every claimed probe is sent, and when all circuit breakers
 * are open, the first integration that is back is found. The claims are part of the transaction that writes the
 * attempts: if that fails, the probes are free again.
 */
export async function planMessages(
  ctx: Ctx,
  due: DueMessage[],
  facts: Omit<PlanFacts, "probes">,
): Promise<(PlannedSend | PlannedWait)[]> {
  const { now, health } = facts;
  const planWith = (probes: Set<string>) => due.map((one) => planMessage(ctx, one, { ...facts, probes }));
  const probeable = [...health].flatMap(([id, state]) => (checkBreaker(state, now).kind === "probe" ? id : []));
  const plans = planWith(new Set(probeable));
  const wanted = plans.flatMap((plan) => ("isProbe" in plan && plan.isProbe ? plan.integration.id : []));
  if (wanted.length === 0) return plans;
  const until = new Date(now.getTime() + ctx.config.delivery.breaker.probeLimitMs);
  const granted = await claimProbes(ctx.db, wanted, now, until);
  return granted.size === wanted.length ? plans : planWith(granted);
}

/**
 * A message has no more attempts with one integration than the settings allow, even when their results were not
 * written.
 */
export function planMessage(
  { config, newId }: Pick<Ctx, "config" | "newId">,
  { task, message }: DueMessage,
  facts: PlanFacts,
): PlannedSend | PlannedWait {
  const { retry } = config.delivery;
  const policy = policyOf(message, facts, config.delivery.deadlineSeconds);
  const now = facts.clock.now(message.environment_id);
  const used = facts.tried.get(message.id) ?? [];
  const unknownAt = Math.max(...used.map((row) => row.unknown_at?.getTime() ?? 0), 0);
  // The message may have been sent: a workflow that may not duplicate waits for a receipt and never uses another
  // provider.
  const isBound = unknownAt > 0 && policy.onUnknown === "may_delay";
  if (isBound && unknownAt + retry.unknownWaitMs > now.getTime()) {
    const reason = "the outcome of the last attempt is unknown; a receipt may come";
    const why: WaitCause = { detail: "waiting_for_receipt", reason };
    return { task, message, until: new Date(unknownAt + retry.unknownWaitMs), isRealTime: false, why };
  }

  const candidates = candidatesOf(message, facts);
  const stored = facts.integrations.get(message.integration_id!)!;
  const first = message.round > 0 && used.length === 0 ? (candidates[0] ?? stored) : stored;
  const tried = new Set(used.map((row) => row.integration_id));
  const untried = isBound ? [] : candidates.filter((one) => one.id !== first.id && !tried.has(one.id));
  const suppressedFor = ({ provider_id }: IntegrationRow) =>
    findSuppressedRecipients(message, provider_id, facts.suppressed.get(message.id));
  const suppressed = suppressedFor(first).own;
  const isGivenUp = now > policy.deadline || suppressed !== null;
  const isSpent = !isGivenUp && attemptsWith(first, used) >= retry.attempts;
  const isOff = !isGivenUp && !isSpent && !facts.active.some((one) => one.id === first.id);
  const isCalled = !isGivenUp && !isSpent && !isOff;
  const canSend = (one: IntegrationRow) => isAvailable(one, facts) && !suppressedFor(one).own;
  const integration = isCalled ? [first, ...untried].find(canSend) : first;
  if (!integration) return waitForProvider({ task, message }, [first, ...untried], facts);
  return {
    ...policy,
    attemptId: isCalled ? newId() : null,
    task,
    message,
    content: null,
    credentials: null,
    integration,
    number: attemptsWith(integration, used) + (isCalled ? 1 : 0),
    attempts: used.reduce((sum, row) => sum + row.attempts, 0) + (isCalled ? 1 : 0),
    next: candidates.find((one) => one.id !== integration.id && !tried.has(one.id)) ?? null,
    insteadOf: integration === first ? null : first,
    isProbe: isCalled && facts.probes.delete(integration.id),
    isSpent,
    isOff,
    hadUnknown: unknownAt > 0,
    suppressed,
    leftOut: suppressedFor(integration).copies,
  };
}

type Policy = Pick<PlannedSend, "stepId" | "transactionId" | "trace" | "onUnknown" | "deadline">;

/** The settings of the message's workflow and step. */
function policyOf(message: MessageRow, { deliveryStates, versions }: PlanFacts, deadlineSeconds: number): Policy {
  const state = deliveryStates.get(message.id)!;
  const definition = versions.get(state.workflow_version_id)?.definition;
  const step = definition?.steps.filter((one) => one.active)[state.step_index];
  const lifeMs = (step?.deadlineSeconds ?? deadlineSeconds) * 1000;
  return {
    stepId: step?.stepId ?? "",
    transactionId: state.transaction_id,
    trace: state.trace_context,
    onUnknown: definition?.onUnknownOutcome ?? "may_duplicate",
    deadline: new Date((message.replayed_at ?? message.created_at).getTime() + lifeMs),
  };
}

const attemptsWith = ({ id }: IntegrationRow, used: AttemptSummary[]): number =>
  used.find((row) => row.integration_id === id)?.attempts ?? 0;

/**
 * Email and SMS: the integrations chosen for the message, then those added since. Chat and push belong to one
 * integration.
 */
function candidatesOf(message: MessageRow, { active, integrations }: PlanFacts): IntegrationRow[] {
  if (message.channel !== "email" && message.channel !== "sms") return [];
  const route = (message.outgoing?.route ?? []) as string[];
  const activeIds = new Set(active.map((one) => one.id));
  const chosen = route.flatMap((id) => (activeIds.has(id) ? (integrations.get(id) ?? []) : []));
  const usual = candidatesFor(active, message.environment_id, message.channel);
  return [...chosen, ...usual.filter((one) => !route.includes(one.id))];
}

const isAvailable = ({ id }: IntegrationRow, { health, probes, now }: PlanFacts): boolean =>
  probes.has(id) || checkBreaker(health.get(id) ?? healthy, now).kind === "pass";

/** Waits are spread at random, or all messages would return at once: up to 3 s, or a tenth of a long wait. */
const spreadMs = (waitMs: number): number => Math.max(3_000, waitMs / 10);

function waitForProvider(due: DueMessage, integrations: IntegrationRow[], { health, now }: PlanFacts): PlannedWait {
  const times = integrations.map(({ id }) => {
    const decision = checkBreaker(health.get(id) ?? healthy, now);
    // A probe that is due but was not granted is left to another message.
    return decision.kind === "wait" ? decision.until : expectedProbeEnd(now);
  });
  const waitMs = Math.min(...times.map((time) => time.getTime())) - now.getTime();
  const until = new Date(now.getTime() + waitMs + Math.random() * spreadMs(waitMs));
  const names = integrations.map((one) => one.identifier).join(", ");
  const reason = `paused after failures in a row: ${names}`;
  const [integration] = integrations;
  const why: WaitCause = { detail: "waiting_for_provider", reason, integration: integration! };
  return { ...due, until, isRealTime: true, why, heldBy: integration!.id };
}
