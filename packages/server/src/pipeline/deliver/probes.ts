// Probes: integrations in trouble get one message at a time to find out whether they are back. A batch plans as if it had
// every probe that is due, claims those it would make use of, whichever integration the messages were meant for, and plans
// again with what it was granted. So none is claimed that nobody makes, and with every integration in trouble, the first
// that is back is found.
import type { Ctx } from "../../context.ts";
import { claimProbes } from "../../store/integrations/breakers.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { DeliverTask } from "../tasks.ts";
import { passage } from "./breaker.ts";
import { type PlanFacts, planFor, type Send, type Wait } from "./plan.ts";

export type Due = { task: Task<DeliverTask>; message: MessageRow };

/**
 * A plan for each, in the same order. What is granted is claimed in the transaction that writes the attempts down: if
 * that fails, the probes are free again.
 */
export async function planAll(ctx: Ctx, due: Due[], facts: Omit<PlanFacts, "probes">): Promise<(Send | Wait)[]> {
  const { now, health } = facts;
  const planWith = (probes: Set<string>) =>
    due.map(({ task, message }) => planFor(ctx, task, message, { ...facts, probes }));
  const open = [...health].flatMap(([id, state]) => (passage(state, now).kind === "probe" ? id : []));
  const wished = planWith(new Set(open));
  const wanted = wished.flatMap((plan) => ("isProbe" in plan && plan.isProbe ? plan.integration.id : []));
  if (wanted.length === 0) return wished;
  const until = new Date(now.getTime() + ctx.config.delivery.breaker.probeLimitMs);
  const granted = await claimProbes(ctx.db, wanted, now, until);
  return granted.size === wanted.length ? wished : planWith(granted);
}
