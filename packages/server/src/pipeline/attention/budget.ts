// The attention budget of a step. What a channel step is about to send needs a place in the budgets of its channel; the
// database gives places (places.ts), so the step returns a claim and continues with its result. A message without a
// place is rolled up, delayed or dropped, as the budget says. Without a budget, nothing of this happens.
import { type AttentionBudget, type BudgetedClass, type Channel, isChannel } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";
import { categoryOf } from "../rules/scope.ts";
import { zoneOf } from "../rules/zones.ts";
import type { Claim, PlaceResult, StepInput, StepResult } from "../run/run.ts";
import { checkGate } from "../steps/gate.ts";
import { stepHandlers } from "../steps/registry.gen.ts";
import { attentionDetail, overRaw } from "./details.ts";
import { messageClassOf } from "./message-class.ts";
import { rollUpTransactionId, toItem } from "./roll-up-items.ts";
import { nextTimeOfDay } from "./windows.ts";

type Step = (input: StepInput) => StepResult;

export function withinAttention(input: StepInput, step: Step): StepResult {
  const { run, job, facts } = input;
  const budgets = facts.budgets.get(run.environmentId);
  const { type } = job.step;
  const rollUp = run.event.startedBy?.rollUp;
  if (!isChannel(type) || (!budgets && !rollUp) || run.version.definition.isTest) return step(input);
  if (rollUp) return sendRollUp(input, budgets ?? [], rollUp);
  const messageClass = budgetedClassOf(input);
  if (!messageClass || !budgets?.some(({ channel }) => channel === type)) return step(input);
  return askForPlace(input, step, { messageClass, budgets });
}

/** Null for a critical workflow, which never counts. */
function budgetedClassOf({ run, facts }: StepInput): BudgetedClass | null {
  const { preferences, messageClass } = run.rules;
  const found = messageClassOf({ preferences: { ...preferences, category: categoryOf(run, facts) }, messageClass });
  return found === "critical" ? null : found;
}

type Asking = { messageClass: BudgetedClass; budgets: readonly AttentionBudget[] };

/** The content is rendered once: a message that cannot be sent takes no place. */
function askForPlace(input: StepInput, step: Step, asking: Asking): StepResult {
  const { job, facts } = input;
  const claimed = claimedPlace(input);
  const result = (claimed && facts.drafted.get(job.id)) ?? step(input);
  if (!sends(result)) return result;
  if (!claimed) {
    facts.drafted.set(job.id, result);
    return { kind: "claim", claim: claimOf(input, asking, null) };
  }
  facts.drafted.delete(job.id);
  return claimed.kind === "over" ? hold(input, result, claimed) : result;
}

/** The step has made a message that a person would get. */
const sends = (result: StepResult): boolean =>
  result.kind === "sending" || (result.kind === "done" && result.message?.status === "sent");

function claimedPlace({ job, facts, now }: StepInput): PlaceResult | undefined {
  const claimed = facts.claimResults.get(job.id);
  return claimed && "askedAt" in claimed && claimed.askedAt === now.getTime() ? claimed : undefined;
}

const claimOf = (
  { run, job, facts }: StepInput,
  { messageClass, budgets }: Asking,
  rollUp: string | null,
): Extract<Claim, { kind: "place" }> => ({
  kind: "place",
  jobId: job.id,
  channel: job.step.type as Channel,
  rollUp,
  messageClass,
  budgets,
  zone: zoneOf(run.subscriber?.timezone, facts.defaultTimezone),
});

/** What happens to a message without a place. */
function hold(input: StepInput, result: StepResult, claimed: Extract<PlaceResult, { kind: "over" }>): StepResult {
  const { job, now } = input;
  const { overflow, budget, until, rollUp } = claimed;
  const raw = overRaw(job.step.type as Channel, budget);
  if (rollUp !== null) {
    const held = attentionDetail("attention_rolled_up", now, {
      raw: { ...raw, transactionId: rollUpTransactionId(rollUp) },
    });
    return { kind: "skipped", details: [held], output: toItem(input, result), rollUp };
  }
  if (overflow === "drop") {
    return { kind: "skipped", details: [attentionDetail("attention_dropped", now, { raw })] };
  }
  return delay(until, attentionDetail("attention_delayed", now, { raw: { ...raw, until: until.toISOString() } }));
}

const delay = (until: Date, held: StoredDetail): StepResult => ({
  kind: "waiting",
  until,
  details: [held],
});

/** The run of a roll-up: its items are known when it has its place, and only then its content is rendered. */
function sendRollUp(
  input: StepInput,
  budgets: readonly AttentionBudget[],
  { id, at }: { id: string; at: string | null },
): StepResult {
  const { run, job, facts, now } = input;
  const { stopped, passed } = checkGate(input);
  if (stopped) return stopped.kind === "claim" ? stopped : { ...stopped, details: [...passed, ...stopped.details] };
  if (at !== null) {
    const zone = zoneOf(run.subscriber?.timezone, facts.defaultTimezone);
    const due = nextTimeOfDay(run.event.createdAt.getTime(), at, zone);
    if (due > now.getTime()) {
      const until = new Date(due);
      return delay(until, attentionDetail("roll_up_waits", now, { raw: { at, until: until.toISOString() } }));
    }
  }
  const claimed = claimedPlace(input);
  // The class of a roll-up is that of its items, which the ledger has.
  if (!claimed) return { kind: "claim", claim: claimOf(input, { messageClass: "promotional", budgets }, id) };
  if (claimed.kind === "empty") return { kind: "skipped", details: [attentionDetail("roll_up_empty", now)] };
  if (claimed.kind === "over") {
    const raw = overRaw(job.step.type as Channel, claimed.budget);
    const until = claimed.until.toISOString();
    return delay(claimed.until, attentionDetail("attention_delayed", now, { raw: { ...raw, until } }));
  }
  const items = claimed.items ?? [];
  const payload = { ...run.event.payload, items, itemCount: items.length };
  const result = stepHandlers[job.step.type].run({ ...input, run: { ...run, event: { ...run.event, payload } } });
  if (result.kind === "claim") return result;
  const filled = attentionDetail("roll_up_filled", now, { raw: { items: items.length } });
  return { ...result, details: [filled, ...result.details] };
}
