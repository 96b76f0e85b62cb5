// What happens to one message when its turn has come: through which integration it goes, or until when it waits. Decided
// from facts that were loaded for the whole batch; nothing is read or written here.
import type { Message } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
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
import { type Health, healthy, passage, probeAnswered } from "./breaker.ts";
import { suppressedIn } from "./recipients.ts";

/** A message about to be sent: through which integration, the how-manieth time. */
export type Send = {
  /** Null when nothing is sent: it is given up, or goes to the next integration. */
  attemptId: string | null;
  task: Task<DeliverTask>;
  message: MessageRow;
  content: Message | null;
  /** Null when they cannot be read. */
  credentials: Record<string, unknown> | null;
  integration: IntegrationRow;
  number: number;
  /** Attempts of this round with whatever integration, this one included. */
  attempts: number;
  /** Where to go when this integration has had its chances. */
  next: IntegrationRow | null;
  /** The integration it was meant for, when that one is in trouble. */
  insteadOf: IntegrationRow | null;
  /** It finds out whether the integration is back. */
  isProbe: boolean;
  /** It has had its attempts with this integration, and the last one ended without a result. */
  isSpent: boolean;
  stepId: string;
  onUnknown: OnUnknownOutcome;
  hadUnknown: boolean;
  deadline: Date;
  /** Nothing is sent to the one it is made for any more. */
  suppressed: SuppressedAddress | null;
  /** Others that nothing is sent to any more: it goes without them. */
  leftOut: SuppressedAddress[];
  /** The moment of the call (ms), when the integration has a limit per second. */
  startAt?: number;
};

/** `isReal`: until then by the clock on the wall, because it is a provider that has to be waited for. */
export type Wait = {
  task: Task<DeliverTask>;
  message: MessageRow;
  until: Date;
  isReal: boolean;
  reason?: string;
};

export type PlanFacts = {
  clock: Clock;
  /** By the clock on the wall. */
  now: Date;
  deliveryStates: ReadonlyMap<string, DeliveryState>;
  versions: ReadonlyMap<string, WorkflowVersion>;
  tried: ReadonlyMap<string, AttemptSummary[]>;
  active: IntegrationRow[];
  integrations: ReadonlyMap<string, IntegrationRow>;
  health: ReadonlyMap<string, Health>;
  suppressed: ReadonlyMap<string, SuppressedAddress[]>;
  /** Integrations that may be sent one message to find out whether they are back; whoever sends it takes it out. */
  probes: Set<string>;
};

/**
 * Through which integration the message goes now, or until when it waits. However its attempts ended, even if no result
 * was ever written, it has no more of them with one integration than the settings allow.
 */
export function planFor(
  { config, newId }: Pick<Ctx, "config" | "newId">,
  task: Task<DeliverTask>,
  message: MessageRow,
  facts: PlanFacts,
): Send | Wait {
  const { delivery } = config;
  const standing = facts.deliveryStates.get(message.id)!;
  const definition = facts.versions.get(standing.workflow_version_id)?.definition;
  const step = definition?.steps.filter((one) => one.active)[standing.step_index];
  const onUnknown = definition?.onUnknownOutcome ?? "may_duplicate";
  const now = facts.clock.now(message.environment_id);
  const lifeMs = (step?.deadlineSeconds ?? delivery.deadlineSeconds) * 1000;
  const deadline = new Date((message.replayed_at ?? message.created_at).getTime() + lifeMs);
  const used = facts.tried.get(message.id) ?? [];
  const unknownAt = Math.max(...used.map((row) => row.unknown_at?.getTime() ?? 0), 0);
  const isBound = unknownAt > 0 && onUnknown === "may_delay";

  if (isBound && unknownAt + delivery.retry.unknownWaitMs > now.getTime()) {
    const until = new Date(unknownAt + delivery.retry.unknownWaitMs);
    return { task, message, until, isReal: false, reason: "nobody knows whether it was sent; a receipt may come" };
  }
  const candidates = candidatesOf(message, facts);
  const stored = facts.integrations.get(message.integration_id!)!;
  const meant = message.round > 0 && used.length === 0 ? (candidates[0] ?? stored) : stored;
  const tried = new Set(used.map((row) => row.integration_id));
  const untried = isBound ? [] : candidates.filter((one) => one.id !== meant.id && !tried.has(one.id));
  const found = facts.suppressed.get(message.id);
  const stopOf = ({ provider_id }: IntegrationRow) => suppressedIn(message, provider_id, found).own;
  const suppressed = stopOf(meant);
  const isGivenUp = now > deadline || suppressed !== null;
  const isSpent = !isGivenUp && attemptsWith(meant, used) >= delivery.retry.attempts;
  const isSent = !isGivenUp && !isSpent;
  const integration = isSent ? [meant, ...untried].find((one) => isFree(one, facts) && !stopOf(one)) : meant;
  if (!integration) return waitForProvider(task, message, [meant, ...untried], facts);
  return {
    attemptId: isSent ? newId() : null,
    task,
    message,
    content: null,
    credentials: null,
    integration,
    number: attemptsWith(integration, used) + (isSent ? 1 : 0),
    attempts: used.reduce((sum, row) => sum + row.attempts, 0) + (isSent ? 1 : 0),
    next: candidates.find((one) => one.id !== integration.id && !tried.has(one.id)) ?? null,
    insteadOf: integration === meant ? null : meant,
    isProbe: isSent && facts.probes.delete(integration.id),
    isSpent,
    stepId: step?.stepId ?? "",
    onUnknown,
    hadUnknown: unknownAt > 0,
    deadline,
    suppressed,
    leftOut: suppressedIn(message, integration.provider_id, found).copies,
  };
}

const attemptsWith = ({ id }: IntegrationRow, used: AttemptSummary[]): number =>
  used.find((row) => row.integration_id === id)?.attempts ?? 0;

/** Email and SMS: the way decided for the message, then what has been added since. Chat and push belong to one integration. */
function candidatesOf(message: MessageRow, { active, integrations }: PlanFacts): IntegrationRow[] {
  if (message.channel !== "email" && message.channel !== "sms") return [];
  const route = (message.outgoing?.route ?? []) as string[];
  const isActive = new Set(active.map((one) => one.id));
  const decided = route.flatMap((id) => (isActive.has(id) ? integrations.get(id)! : []));
  const usual = candidatesFor(active, message.environment_id, message.channel);
  return [...decided, ...usual.filter((one) => !route.includes(one.id))];
}

const isFree = ({ id }: IntegrationRow, { health, probes, now }: PlanFacts): boolean =>
  probes.has(id) || passage(health.get(id) ?? healthy, now).kind === "pass";

/** Everyone who waits comes back at about the same time, so not exactly; the longer the wait, the less exactly. */
const spreadMs = (waitMs: number): number => Math.max(3_000, waitMs / 10);

function waitForProvider(
  task: Task<DeliverTask>,
  message: MessageRow,
  integrations: IntegrationRow[],
  { health, now }: PlanFacts,
): Wait {
  // A probe that is due and not for this message is being made by another.
  const times = integrations.map(({ id }) => {
    const way = passage(health.get(id) ?? healthy, now);
    return way.kind === "wait" ? way.until : probeAnswered(now);
  });
  const waitMs = Math.min(...times.map((time) => time.getTime())) - now.getTime();
  const until = new Date(now.getTime() + waitMs + Math.random() * spreadMs(waitMs));
  const names = integrations.map((one) => one.identifier).join(", ");
  return { task, message, until, isReal: true, reason: `paused after failures in a row: ${names}` };
}
