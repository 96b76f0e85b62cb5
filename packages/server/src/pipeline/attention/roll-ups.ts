// Roll-ups: one message for a person and channel, with everything that was held there. A roll-up is an event of the
// workflow `roll-up`, started with its first item; its run waits for a place like a message that is delayed, and takes
// all items when it has one. So it is retried, explained and found like every other event.
import { type Channel, rollUpWorkflowId } from "@tidings/contract";
import { findHeldItems, type HeldItem } from "../../store/attention/roll-ups.batch.ts";
import { findRollUpChannels, findWaitingRollUps } from "../../store/attention/roll-ups.ts";
import { findPreferencesOfBatch } from "../../store/subscribers/subscribers.batch.ts";
import { findWorkflowStates } from "../../store/workflows/workflows.batch.ts";
import type { Batch } from "../batch.ts";
import { enqueueEvents } from "../effects/workflow-starts.ts";
import { decidePreference, withChoices } from "../rules/preferences.ts";
import type { PlaceAsk, RollUpItem } from "../run/run.ts";
import { acceptEvents } from "../trigger/accept.ts";
import { readItem, rollUpTransactionId } from "./roll-up-items.ts";

/** The items of roll-ups by id; one whose items are all gone has none. */
export type ItemsOf = ReadonlyMap<string, RollUpItem[]>;

/** A template shows a few dozen at most. */
const maxItems = 200;

export async function findRollUpItems(batch: Batch, asks: PlaceAsk[]): Promise<ItemsOf> {
  const closing = new Map(asks.flatMap((ask) => (ask.claim.rollUp === null ? [] : [[ask.claim.rollUp, ask] as const])));
  if (closing.size === 0) return new Map();
  const held = await findHeldItems(batch.db, [...closing.keys()], maxItems);
  const wanted = await dropUnwanted(
    batch,
    held.map((item) => ({ item, ask: closing.get(item.roll_up)! })),
  );
  const items = Map.groupBy(wanted, ({ roll_up }) => roll_up);
  return new Map(
    [...closing.keys()].map((id) => [id, (items.get(id) ?? []).flatMap((one) => readItem(one.output) ?? [])]),
  );
}

/** Preferences may have changed since an item was held, and its workflow may be gone. */
async function dropUnwanted(batch: Batch, held: { item: HeldItem; ask: PlaceAsk }[]): Promise<HeldItem[]> {
  if (held.length === 0) return [];
  const each = (pick: (one: (typeof held)[number]) => string) => [...new Set(held.map(pick))];
  const workflowIds = each(({ item }) => item.workflow_id);
  const states = await findWorkflowStates(batch.db, workflowIds);
  const categoryIds = [...states.values()].flatMap(({ rules }) => rules.categoryId ?? []);
  const { rows, categories } = await findPreferencesOfBatch(
    batch.db,
    each(({ item }) => item.environment_id),
    { subscriberIds: each(({ ask }) => ask.run.subscriber!.id), workflowIds, categoryIds: [...new Set(categoryIds)] },
  );
  const choices = Map.groupBy(rows, (row) => row.subscriber_id);
  return held.flatMap(({ item, ask }) => {
    const state = states.get(item.workflow_id);
    if (!state || state.isDeleted) return [];
    const { preferences, categoryId } = state.rules;
    const category = categories.find(
      (one) => one.environmentId === item.environment_id && one.categoryId === categoryId,
    );
    const chosen = choices.get(ask.run.subscriber!.id) ?? [];
    const levels = withChoices({ ...preferences, category }, chosen, item.workflow_id, item.context_keys);
    return decidePreference(levels, ask.claim.channel).enabled ? [item] : [];
  });
}

/** A roll-up that a message would join. */
export type JoinedRollUp = { environmentId: string; channel: Channel; id: string; isNew: boolean };

/**
 * `missing`: `<environment id> <channel>` where roll-ups have no step, so that what would be rolled up waits instead.
 * `ended`: roll-ups that were canceled or taken back, and take no more items.
 */
export type KnownRollUps = { missing: ReadonlySet<string>; ended: ReadonlySet<string> };

export async function checkRollUps(batch: Batch, joined: JoinedRollUp[]): Promise<KnownRollUps> {
  const missing = new Set<string>();
  const ended = new Set<string>();
  for (const [environmentId, own] of Map.groupBy(joined, (one) => one.environmentId)) {
    const channels = await findRollUpChannels(batch.db, environmentId);
    for (const { channel } of own) if (!channels.has(channel)) missing.add(`${environmentId} ${channel}`);
    const open = [...new Set(own.filter(({ isNew }) => !isNew).map(({ id }) => id))];
    const waiting = await findWaitingRollUps(batch.db, environmentId, open.map(rollUpTransactionId));
    for (const id of open) if (!waiting.has(rollUpTransactionId(id))) ended.add(id);
  }
  return { missing, ended };
}

/** `ask`: that of the first item. `at`: the time of day that it waits for. */
export type NewRollUp = { ask: PlaceAsk; id: string; at: string | null };

export async function startRollUps(batch: Batch, started: NewRollUp[]): Promise<void> {
  for (const [environmentId, own] of Map.groupBy(started, ({ ask }) => ask.run.environmentId)) {
    const events = own.map((one) => toEvent(one));
    const outcomes = await acceptEvents(batch, { environmentId, environmentType: "prod" }, events, {
      store: enqueueEvents,
    });
    for (const { request } of events) {
      const outcome = outcomes.get(request);
      const status = Array.isArray(outcome) ? outcome[0]?.result.status : undefined;
      // Nothing is lost: the transaction of the run is repeated.
      if (status !== "processed") throw new Error(`A roll-up could not be started: ${status ?? String(outcome)}`);
    }
  }
}

function toEvent({ ask: { run, claim }, id, at }: NewRollUp) {
  const { event, version, notificationId, jobs } = run;
  const { workflowId } = version.definition;
  const stepId = jobs.find((job) => job.id === claim.jobId)!.step.stepId;
  const channel: Channel = claim.channel;
  const path = [...(event.startedBy?.path ?? []), workflowId];
  return {
    request: {},
    event: {
      name: rollUpWorkflowId,
      to: [{ subscriberId: run.subscriber!.subscriber_id }],
      payload: { channel },
      transactionId: rollUpTransactionId(id),
    },
    carried: {
      startedBy: { eventId: event.id, notificationId, workflowId, stepId, path, rollUp: { id, channel, at } },
      contextKeys: [],
      tenantFields: null,
    },
  };
}
