// A dry run: what an event would do if it were triggered. It is evaluated as by events.trigger, its runs are created as
// in the fan-out and advanced by the pipeline's own `advance()`, all in one read-only transaction.
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { DryRun, DryRunAssumptions, DryRunEvent, Input, Output, TriggerEvent } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import { type Caller, type Ctx, mayRaisePriority, type NetworkCtx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import { membersCondition } from "../../pipeline/audiences/event-members.ts";
import { eventBridgeFault } from "../../pipeline/bridge/bridge-url.ts";
import { excludedFrom } from "../../pipeline/broadcasts/freeze.ts";
import { type Clock, peekClock } from "../../pipeline/clock/clock.ts";
import {
  excludedFromTopics,
  matchTopicMember,
  memberReason,
  plainReason,
  topicKeysOf,
  topicReason,
  withDecider,
} from "../../pipeline/rules/recipient-reasons.ts";
import { type BridgeSimulation, type Circumstances, type SimulatedRun, simulate } from "../../pipeline/run/dry-run.ts";
import { loadVersions } from "../../pipeline/run/versions.ts";
import type { Member } from "../../pipeline/trigger/audience.ts";
import { checkPayloadSizes, evaluateEvents, throwIfRefused } from "../../pipeline/trigger/evaluation.ts";
import { previewRecipients } from "../../pipeline/trigger/recipients.ts";
import { makeRuns } from "../../pipeline/trigger/trigger.ts";
import { countMembersToCap, findMembers } from "../../store/broadcasts/event-pages.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import type { EventRow } from "../../store/events/events.ts";
import { findTransactionIds } from "../../store/events/notifications.ts";
import { findIntegrationsByIds } from "../../store/integrations/integrations.ts";
import type { AudiencesOfEvent, BridgeAnswer } from "../../store/tables.ts";
import { countTopicAudience, findTopicAudience } from "../../store/topics/topic-audience.ts";
import { findWorkflow, type TriggerTarget, type WorkflowVersion } from "../../store/workflows/workflows.ts";
import { askStep } from "../workflows/bridge-preview.ts";
import { readDraft } from "../workflows/drafts.ts";
import { explainSteps, toExplainedMessage } from "./explain-view.ts";

/** Recipients simulated in one batch; between two batches the event loop serves other requests. */
const maxBatchSize = 50;
/** A batch that took longer makes the next one per batch of one: its templates are slow. */
const slowBatchMs = 200;
/** Beyond either limit the response ends, with `truncated`: the time it takes, and the characters of content in it. */
const maxSimulationMs = 10_000;
const maxContentLength = 5_000_000;

export async function dryRun(
  ctx: Ctx,
  caller: Caller,
  { body, query }: Input<"explain.dryRun">,
  found: BridgeAnswers | null,
): Promise<Output<"explain.dryRun">> {
  const limit = Math.min(query.limit ?? 100, found ? maxBridgedPeople : 1_000);
  const bridge = { answers: found ?? new Map(), asks: new Map() };
  return inReadOnlyTransaction(ctx.db, async (tx) => {
    const { event, ...simulated } = await readEvent({ ...ctx, db: tx }, caller, body);
    checkPayloadSizes([event]);
    const { targets, assume } = simulated;
    return explainEvent(simulated.ctx, caller, event, { limit, targets, bridge, assume });
  });
}

/** Each person is a call for each step, so a dry run of a workflow of a bridge examines fewer. */
const maxBridgedPeople = 10;
/** A workflow has at most 20 steps. */
const maxRounds = 20;

type BridgeAnswers = Map<string, BridgeAnswer | { fault: string }>;

/**
 * For a workflow that is defined in code: what its bridge returns for `execute`, as in a run, for all steps of all
 * people. (To `preview` the framework does not say whether the code skips a step.) No call is made inside a
 * transaction: the event is simulated as far as the responses reach, the next steps are asked, and so on.
 */
export async function askBridge(
  ctx: NetworkCtx,
  caller: Caller,
  input: Input<"explain.dryRun">,
): Promise<BridgeAnswers | null> {
  const { name, workflow: draft, bridgeUrl } = input.body;
  if (name === undefined || draft !== undefined) return null;
  const reads = { ...ctx, db: ctx.reads.db };
  const workflow = await findWorkflow(reads.db, caller.environmentId, name);
  if (!workflow?.bridge_url) return null;
  const isGiven = bridgeUrl !== undefined && eventBridgeFault(bridgeUrl, caller.environmentType === "dev") === null;
  const end = performance.now() + maxSimulationMs;
  const answers: BridgeAnswers = new Map();
  for (let round = 0; round < maxRounds && performance.now() < end; round++) {
    const asks: BridgeSimulation["asks"] = new Map();
    await simulateWith(reads, caller, input, { answers, asks });
    if (asks.size === 0) break;
    const ask = { url: isGiven ? bridgeUrl : workflow.bridge_url, workflowId: workflow.workflow_id };
    const replies = [...asks].map(
      async ([key, step]) => [key, await askStep(ctx, caller, { action: "execute", ...ask, ...step })] as const,
    );
    for (const [key, answer] of await Promise.all(replies)) answers.set(key, answer);
  }
  return answers;
}

async function simulateWith(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"explain.dryRun">,
  bridge: BridgeSimulation,
): Promise<void> {
  await inReadOnlyTransaction(ctx.db, async (tx) => {
    const { event, targets, assume, ...simulated } = await readEvent({ ...ctx, db: tx }, caller, body);
    checkPayloadSizes([event]);
    return explainEvent(simulated.ctx, caller, event, { limit: maxBridgedPeople, targets, bridge, assume });
  });
}

type SimulatedEvent = { ctx: Ctx; event: TriggerEvent; targets?: TriggerTarget[]; assume: DryRunAssumptions };

/** An event of a draft finds its version in its own cache, so that no other request ever sees the draft. */
async function readEvent(ctx: Ctx, caller: Caller, body: DryRunEvent): Promise<SimulatedEvent> {
  const { workflow, name, assume = {}, ...rest } = body;
  if (workflow === undefined && name !== undefined) return { ctx, event: { name, ...rest }, assume };
  if (workflow === undefined || name !== undefined) {
    const message = "Give either name, the identifier of a stored workflow, or workflow, an unsaved definition";
    throw invalid({ name: { messages: [message] } });
  }
  const { version, target } = await readDraft(ctx, caller, workflow);
  const versions: Ctx["versions"] = new LRUCache({ max: 1 });
  versions.set(version.id, version);
  return { ctx: { ...ctx, versions }, event: { name: target.workflow_id, ...rest }, targets: [target], assume };
}

type DryRunOptions = {
  limit: number;
  targets: TriggerTarget[] | undefined;
  bridge: BridgeSimulation;
  assume: DryRunAssumptions;
};

/** The event as it would be stored; only its status where it is not accepted. */
async function startEvent(ctx: Ctx, caller: Caller, given: TriggerEvent, targets: TriggerTarget[] | undefined) {
  const { environmentId } = caller;
  const clock = await peekClock(ctx, environmentId);
  const now = clock.now(environmentId);
  const [evaluation] = await evaluateEvents(
    ctx,
    caller,
    [{ request: { mayRaisePriority: mayRaisePriority(caller) }, event: given }],
    {
      audience: null,
      now,
      targets,
    },
  );
  const { result, accepted } = evaluation!;
  throwIfRefused(evaluation!);
  const head = { status: result.status, error: result.error, time: now.toISOString() };
  if (!accepted) return { head };
  const started = { expanded_at: null, canceled_at: null, open_walks: 1, held_events: null, refusal: null };
  const event: EventRow = { ...accepted.event, ...started };
  const version = (await loadVersions(ctx, [event.workflow_version_id])).get(event.workflow_version_id)!;
  return { head, accepted, event, version, clock };
}

async function explainEvent(
  ctx: Ctx,
  caller: Caller,
  given: TriggerEvent,
  { limit, targets, bridge, assume }: DryRunOptions,
): Promise<DryRun> {
  const { head, ...begun } = await startEvent(ctx, caller, given, targets);
  const workflow = { workflowId: given.name, name: given.name };
  if (!begun.event) {
    const note =
      head.status === "processed"
        ? "An event with this transactionId was accepted before: nothing is sent again"
        : undefined;
    return { workflow, ...head, note, recipients: [], notReached: [], audienceCount: 0, truncated: false };
  }
  const { accepted, event, version, clock } = begun;
  const audience = await findAudience(ctx, event, version, limit);
  const people: Person[] = [
    ...event.recipients.slice(0, limit).map((recipient) => ({ recipient })),
    ...audience.members.map((member) => ({ member })),
  ];
  const around = { contexts: accepted.contexts, tenant: accepted.tenant ?? null, assume };
  const recipients = await explainPeople(ctx, { event, version, clock, around, bridge }, people);
  return {
    workflow: { ...workflow, name: version.definition.name },
    ...head,
    recipients,
    notReached: audience.notReached,
    audienceCount: audience.count,
    truncated: audience.isTruncated || event.recipients.length > limit || recipients.length < people.length,
  };
}

type FoundAudience = { members: Member[]; notReached: DryRun["notReached"]; count: number; isTruncated: boolean };

/**
 * The first members of the event's topics: those it reaches, and those it does not with the reason. Members that the
 * event also names as recipients are in neither list.
 */
async function findAudience(
  ctx: Ctx,
  event: EventRow,
  version: WorkflowVersion,
  limit: number,
): Promise<FoundAudience> {
  const { audience, environment_id: environmentId, context_keys: contextKeys } = event;
  const found: FoundAudience = { members: [], notReached: [], count: 0, isTruncated: false };
  if (audience?.kind === "audiences") return findPeople(ctx, event, audience, limit);
  if (audience?.kind !== "topics") return found;
  const { topicKeys } = audience;
  const excluded = excludedFromTopics(event, audience);
  const page = await findTopicAudience(ctx.db, environmentId, {
    topicKeys,
    contextKeys,
    afterRecipientRowId: null,
    limit,
  });
  const judged = await mapWithPauses(page.members, (member) => ({
    subscriber: member.subscriber,
    verdict: matchTopicMember(member, { audience, excluded, version, payload: event.payload }),
  }));
  for (const { subscriber, verdict } of judged) {
    if (verdict.kind === "topic") found.members.push({ subscriber, subscriptions: verdict.subscriptions });
    else if (verdict.kind !== "direct") {
      const subscriberId = subscriber.subscriber_id;
      const via = withDecider(memberReason(verdict), { workflow: version.definition, subscriberId, topicKeys });
      found.notReached.push({ subscriberId, reached: false, via });
    }
  }
  found.count = await countTopicAudience(ctx.db, environmentId, topicKeys, contextKeys);
  found.isTruncated = found.count > page.members.length;
  return found;
}

/** The first people of the event's audiences. */
async function findPeople(
  ctx: Ctx,
  event: EventRow,
  audience: AudiencesOfEvent,
  limit: number,
): Promise<FoundAudience> {
  const { environment_id: environmentId } = event;
  const excluded = excludedFrom(event, audience);
  const isMember = await membersCondition(ctx.db, environmentId, audience, event.created_at);
  const rows = await findMembers(ctx.db, environmentId, { isMember, excluded }, limit);
  const members = rows.map((subscriber) => ({ subscriber, subscriptions: null }));
  const count = await countMembersToCap(ctx.db, environmentId, { isMember, excluded });
  return { members, notReached: [], count, isTruncated: count > members.length };
}

/** A person the event reaches: a recipient it names, or a member of one of its topics. */
type Person = { recipient: EventRow["recipients"][number] } | { member: Member };
type Recipient = DryRun["recipients"][number];

/** What all batches of one dry run share. */
type Simulation = {
  event: EventRow;
  version: WorkflowVersion;
  clock: Clock;
  around: Circumstances;
  bridge: BridgeSimulation;
};

async function explainPeople(ctx: Ctx, simulation: Simulation, people: Person[]): Promise<Recipient[]> {
  const end = performance.now() + maxSimulationMs;
  const explained: Recipient[] = [];
  let contentLeft = maxContentLength;
  let size = 1;
  for (let from = 0; from < people.length && contentLeft > 0 && performance.now() < end; ) {
    const began = performance.now();
    const batch = people.slice(from, from + size);
    from += size;
    for (const recipient of await explainBatch(ctx, simulation, batch)) {
      if (contentLeft > 0) explained.push(recipient);
      contentLeft -= contentLength(recipient);
    }
    size = performance.now() - began < slowBatchMs ? Math.min(maxBatchSize, size * 2) : 1;
    await yieldToOthers();
  }
  return explained;
}

const contentLength = ({ steps }: Recipient): number =>
  steps.flatMap((step) => step.messages).reduce((sum, { content = "" }) => sum + content.length, 0);

/** The runs of an event for these subscribers after their last step; fewer when time runs out. */
export async function simulateSubscribers(ctx: Ctx, caller: Caller, body: DryRunEvent): Promise<SimulatedRun[]> {
  const { ctx: own, event: given, targets, assume } = await readEvent(ctx, caller, body);
  checkPayloadSizes([given]);
  const begun = await startEvent(own, caller, given, targets);
  if (!begun.event) return [];
  const { event, accepted, version, clock } = begun;
  const around = { contexts: accepted.contexts, tenant: accepted.tenant ?? null, assume };
  const bridge = { answers: new Map(), asks: new Map() };
  const end = performance.now() + maxSimulationMs;
  const runs: SimulatedRun[] = [];
  for (let from = 0; from < event.recipients.length && performance.now() < end; from += maxBatchSize) {
    const batch = event.recipients.slice(from, from + maxBatchSize).map((recipient) => ({ recipient }));
    const { simulated } = await simulateBatch(own, { event, version, clock, around, bridge }, batch);
    runs.push(...simulated);
    await yieldToOthers();
  }
  return runs;
}

async function simulateBatch(ctx: Ctx, { event, clock, around, bridge }: Simulation, batch: Person[]) {
  const recipients = batch.flatMap((person) => ("recipient" in person ? person.recipient : []));
  const members = batch.flatMap((person) => ("member" in person ? person.member : []));
  const starts = [{ event, recipients, members }];
  const { created, ...found } = await previewRecipients(ctx, event.environment_id, starts);
  const runs = await makeRuns({ ...ctx, clock }, starts, found);
  return { created, simulated: await simulate({ ...ctx, clock }, runs, around, bridge) };
}

async function explainBatch(ctx: Ctx, simulation: Simulation, batch: Person[]): Promise<Recipient[]> {
  const { db } = ctx;
  const { event, version } = simulation;
  const { environment_id: environmentId } = event;
  const { created, simulated } = await simulateBatch(ctx, simulation, batch);
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
      via: withDecider(reasonOf(event, subscriberId, subscriptions), {
        workflow: version.definition,
        subscriberId,
        topicKeys: topicKeysOf(event.audience),
      }),
      ...explainRun(one, version, identifiers, transactions.get(one.digestedInto ?? "")),
    };
  });
}

function reasonOf(event: EventRow, subscriberId: string, subscriptions: Member["subscriptions"]) {
  if (subscriptions) return topicReason(subscriptions);
  const isNamed = event.recipients.some((recipient) => recipient.subscriberId === subscriberId);
  return plainReason(isNamed || event.audience?.kind !== "audiences" ? "direct" : "audience");
}

function explainRun(
  { run, messages }: SimulatedRun,
  { definition }: WorkflowVersion,
  identifiers: ReadonlyMap<string, string>,
  leader: string | undefined,
): Pick<Recipient, "steps" | "verdict"> {
  const byJob = Map.groupBy(messages, (message) => message.jobId);
  const person = run.subscriber?.first_name || run.subscriber?.subscriber_id;
  return explainSteps(
    run.jobs.map((job) => ({
      step: job.step,
      status: job.status,
      details: job.newDetails,
      providerId: job.providerId,
      wakeAt: job.wakeAt,
      messages: (byJob.get(job.id) ?? []).map((message) => toExplainedMessage(message, identifiers)),
    })),
    { tense: "dry-run", workflow: definition.workflowId, leader, person },
    { workflow: definition, subscriberId: run.subscriber?.subscriber_id, transactionId: run.event.transactionId },
  );
}
