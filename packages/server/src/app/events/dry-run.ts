// What an event would do, without doing it: judged as events.trigger judges it, its runs made as the fan-out makes them
// and advanced by the engine's own core, all in one read-only transaction.
import type { DryRun, Input, Output, TriggerEvent } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { mapWithPauses } from "../../lib/pauses.ts";
import { type Clock, peekClock } from "../../pipeline/clock/clock.ts";
import {
  excludedFromTopics,
  matchTopicMember,
  memberReason,
  plainReason,
  topicReason,
} from "../../pipeline/rules/recipient-reasons.ts";
import { type EventUpserts, type SimulatedRun, simulate } from "../../pipeline/run/dry-run.ts";
import { loadVersions } from "../../pipeline/run/versions.ts";
import type { Member } from "../../pipeline/trigger/audience.ts";
import { previewRecipients } from "../../pipeline/trigger/recipients.ts";
import { makeRuns } from "../../pipeline/trigger/trigger.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import type { EventRow } from "../../store/events/events.ts";
import { findTransactionIds } from "../../store/events/notifications.ts";
import { findIntegrationsByIds } from "../../store/integrations/integrations.ts";
import { countTopicAudience, findTopicAudience } from "../../store/topics/topic-audience.ts";
import type { WorkflowVersion } from "../../store/workflows/workflows.ts";
import { checkRequest, type Evaluated, evaluateAll, noVerdict, throwIfRefused } from "./events.ts";
import { tellSteps, toExplainedMessage } from "./explain-view.ts";

/** People simulated at a time: between two lots other requests get their turn. Slow templates make lots of one. */
const largestLot = 50;
const smoothMs = 200;
/** Beyond these an answer ends with `truncated`: what it took to calculate, and characters of content. */
const timeLimitMs = 10_000;
const contentBudget = 5_000_000;

export async function dryRun(
  ctx: Ctx,
  caller: Caller,
  { body, query }: Input<"explain.dryRun">,
): Promise<Output<"explain.dryRun">> {
  checkRequest([body]);
  const { limit = 100 } = query;
  return inReadOnlyTransaction(ctx.db, (tx) => explainEvent({ ...ctx, db: tx }, caller, body, limit));
}

async function explainEvent(ctx: Ctx, caller: Caller, given: TriggerEvent, limit: number): Promise<DryRun> {
  const { environmentId } = caller;
  const clock = await peekClock(ctx, environmentId);
  const time = clock.now(environmentId);
  const verdict = noVerdict();
  const [evaluated] = await evaluateAll(ctx, caller, [given], null, time, verdict);
  const { result, event } = evaluated!;
  throwIfRefused(given, result, verdict);
  const { status, error } = result;
  const empty = { recipients: [], notReached: [], audienceCount: 0, truncated: false };
  const head = { status, error, time: time.toISOString() };
  const workflow = { workflowId: given.name, name: given.name };
  if (!event) {
    const note =
      status === "processed"
        ? "An event with this transactionId was accepted before: nothing is sent again"
        : undefined;
    return { workflow, ...head, note, ...empty };
  }
  const row: EventRow = { ...event, expanded_at: null, canceled_at: null, open_walks: 1 };
  const version = (await loadVersions(ctx, [row.workflow_version_id])).get(row.workflow_version_id)!;
  const audience = await lookAtTopics(ctx, row, version, limit);
  const people: Person[] = [
    ...row.recipients.slice(0, limit).map((recipient) => ({ recipient })),
    ...audience.members.map((member) => ({ member })),
  ];
  const told = await tellPeople(ctx, row, version, people, clock, upsertsOf(evaluated!));
  return {
    workflow: { ...workflow, name: version.definition.name },
    ...head,
    recipients: told,
    notReached: audience.notReached,
    audienceCount: audience.count,
    truncated: audience.isTruncated || row.recipients.length > limit || told.length < people.length,
  };
}

const upsertsOf = ({ contexts = [], tenant }: Evaluated): EventUpserts => ({ contexts, tenant: tenant ?? null });

type Looked = { members: Member[]; notReached: DryRun["notReached"]; count: number; isTruncated: boolean };

/** The first members of the event's topics; those it passes over with the reason. Who is named comes up once, by name. */
async function lookAtTopics(ctx: Ctx, event: EventRow, version: WorkflowVersion, limit: number): Promise<Looked> {
  const { audience, environment_id: environmentId, context_keys: contextKeys } = event;
  const looked: Looked = { members: [], notReached: [], count: 0, isTruncated: false };
  if (audience?.kind !== "topics") return looked;
  const { topicKeys } = audience;
  const excluded = excludedFromTopics(event, audience);
  const page = await findTopicAudience(ctx.db, environmentId, topicKeys, contextKeys, null, limit);
  const judged = await mapWithPauses(page.members, (member) => ({
    subscriber: member.subscriber,
    verdict: matchTopicMember(member, { audience, excluded, version, payload: event.payload }),
  }));
  for (const { subscriber, verdict } of judged) {
    if (verdict.kind === "topic") looked.members.push({ subscriber, subscriptions: verdict.subscriptions });
    else if (verdict.kind !== "direct") {
      looked.notReached.push({ subscriberId: subscriber.subscriber_id, reached: false, via: memberReason(verdict) });
    }
  }
  looked.count = await countTopicAudience(ctx.db, environmentId, topicKeys, contextKeys);
  looked.isTruncated = looked.count > page.members.length;
  return looked;
}

type Person = { recipient: EventRow["recipients"][number] } | { member: Member };
type Recipient = DryRun["recipients"][number];

async function tellPeople(
  ctx: Ctx,
  event: EventRow,
  version: WorkflowVersion,
  people: Person[],
  clock: Clock,
  upserts: EventUpserts,
): Promise<Recipient[]> {
  const end = performance.now() + timeLimitMs;
  const told: Recipient[] = [];
  let budget = contentBudget;
  let size = 1;
  for (let from = 0; from < people.length && budget > 0 && performance.now() < end; ) {
    const began = performance.now();
    const lot = people.slice(from, from + size);
    from += size;
    for (const recipient of await tellLot(ctx, event, version, lot, clock, upserts)) {
      if (budget > 0) told.push(recipient);
      budget -= sizeOf(recipient);
    }
    size = performance.now() - began < smoothMs ? Math.min(largestLot, size * 2) : 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return told;
}

const sizeOf = ({ steps }: Recipient): number =>
  steps.flatMap((step) => step.messages).reduce((sum, { content = "" }) => sum + content.length, 0);

async function tellLot(
  ctx: Ctx,
  event: EventRow,
  version: WorkflowVersion,
  lot: Person[],
  clock: Clock,
  upserts: EventUpserts,
): Promise<Recipient[]> {
  const { db } = ctx;
  const { environment_id: environmentId } = event;
  const recipients = lot.flatMap((person) => ("recipient" in person ? person.recipient : []));
  const members = lot.flatMap((person) => ("member" in person ? person.member : []));
  const starts = [{ event, recipients, members }];
  const { findRecipient, created } = await previewRecipients(ctx, environmentId, starts);
  const runs = await makeRuns({ ...ctx, clock }, starts, findRecipient);
  const simulated = await simulate({ ...ctx, clock }, runs, upserts);

  const used = simulated.flatMap(({ messages }) => messages.flatMap(({ integrationId }) => integrationId ?? []));
  const integrations = await findIntegrationsByIds(db, environmentId, [...new Set(used)]);
  const identifiers = new Map(integrations.map((row) => [row.id, row.identifier]));
  const leaders = simulated.flatMap(({ digestedInto }) => digestedInto ?? []);
  const transactions = await findTransactionIds(db, environmentId, [...new Set(leaders)]);
  return simulated.map((one) => {
    const { subscriber, subscriptions } = one.run;
    const subscriberId = subscriber!.subscriber_id;
    return {
      subscriberId,
      isNew: created.has(subscriberId),
      reached: true,
      via: subscriptions ? topicReason(subscriptions) : plainReason("direct"),
      ...tellRun(one, version, identifiers, transactions.get(one.digestedInto ?? "")),
    };
  });
}

function tellRun(
  { run, messages }: SimulatedRun,
  { definition }: WorkflowVersion,
  identifiers: ReadonlyMap<string, string>,
  leader: string | undefined,
): Pick<Recipient, "steps" | "verdict"> {
  const byJob = Map.groupBy(messages, (message) => message.jobId);
  return tellSteps(
    run.jobs.map((job) => ({
      step: job.step,
      status: job.status,
      details: job.newDetails,
      providerId: job.providerId,
      wakeAt: job.wakeAt,
      messages: (byJob.get(job.id) ?? []).map((message) => toExplainedMessage(message, identifiers)),
    })),
    { tense: "dry-run", workflow: definition.workflowId, leader },
  );
}
