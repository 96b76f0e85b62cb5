// The timeline of an environment: what waits, for when, and the newest messages.
import {
  type Input,
  maxDigestEventsCounted,
  maxResultsChecked,
  maxWaitingChecked,
  type Output,
  rollUpWorkflowId,
  type TimelineResult,
  type TimelineWait,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { waitingGroup } from "../../pipeline/clock/clock.ts";
import {
  findResults,
  findTimelineSubscribers,
  findTimelineVersions,
  findWaits,
  type ResultGroup,
  type TimelineSubscriberRow,
  type TimelineVersionRow,
  type WaitGroup,
  type WaitKey,
} from "../../store/environments/timeline.ts";
import { readState } from "./clock.ts";
import { requireOwn } from "./environments.ts";
import { decodeWaitCursor, encodeWaitCursor, type WaitCursor } from "./timeline-cursor.ts";

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"environments.retrieveTimeline">,
): Promise<Output<"environments.retrieveTimeline">> {
  const { id } = await requireOwn(ctx, caller, params.environmentId);
  const { limit = 50 } = query;
  const clock = await readState(ctx, id);
  const isByMinute = clock.status === "real";
  const { waits, next, isCapped } = await pageOfWaits(ctx, id, { after: query.after, limit, isByMinute });
  const results = await findResults(ctx.db, id, { limit, looked: maxResultsChecked, isByMinute });
  const parts = await loadParts(ctx, id, [...waits, ...results]);
  return {
    clock,
    waiting: waits.map((group) => toWait(group, parts)),
    next: next && encodeWaitCursor(next),
    isCapped,
    results: results.toReversed().map((group) => toResult(group, parts)),
  };
}

type Page = { waits: WaitGroup[]; next: WaitCursor | null; isCapped: boolean };
type Asked = { after: string | undefined; limit: number; isByMinute: boolean };

async function pageOfWaits(ctx: Ctx, environmentId: string, { after, limit, isByMinute }: Asked): Promise<Page> {
  const cursor = after === undefined ? null : decodeWaitCursor(after);
  if (after !== undefined && !cursor)
    throw invalid({ after: { messages: ["after is not a valid cursor"], value: after } });
  const { rows, looked, until } = await findWaits(ctx.db, environmentId, {
    queueGroup: waitingGroup(environmentId),
    ...startOf(cursor, isByMinute),
    limit,
    looked: maxWaitingChecked,
    maxEvents: maxDigestEventsCounted,
    isByMinute,
  });
  const isCapped = looked === maxWaitingChecked;
  const waits = rows.slice(0, limit);
  if (rows.length > limit) return { waits, next: cursorAt(waits.at(-1)!), isCapped };
  if (!isCapped) return { waits, next: null, isCapped };
  // The last moment was examined in part: the next page begins with it. One that takes the whole page is passed over.
  const last = waits.at(-1)?.moment ?? until!;
  const whole = waits.filter(({ moment }) => moment.getTime() !== last.getTime());
  return whole.length > 0
    ? { waits: whole, next: cursorAt(whole.at(-1)!), isCapped }
    : { waits, next: { moment: last }, isCapped };
}

/** Where the tasks of a page begin, and the group behind which it does. */
function startOf(cursor: WaitCursor | null, isByMinute: boolean): { from: Date; after?: WaitKey } {
  if (!cursor) return { from: new Date(0) };
  if ("kind" in cursor) return { from: cursor.moment, after: cursor };
  return { from: new Date(cursor.moment.getTime() + (isByMinute ? 60_000 : 1)) };
}

const cursorAt = ({ moment, kind, version_id, step_index }: WaitGroup): WaitKey => ({
  moment,
  kind,
  versionId: version_id,
  stepIndex: step_index,
});

type Parts = { subscribers: Map<string, TimelineSubscriberRow>; versions: Map<string, TimelineVersionRow> };
type Group = WaitGroup | ResultGroup;

async function loadParts(ctx: Ctx, environmentId: string, groups: Group[]): Promise<Parts> {
  const idsIn = (of: (group: Group) => string[]) => [...new Set(groups.flatMap(of))];
  const subscribers = await findTimelineSubscribers(
    ctx.db,
    environmentId,
    idsIn((group) => group.notification_ids),
  );
  const versions = await findTimelineVersions(
    ctx.db,
    environmentId,
    idsIn((group) => [group.version_id]),
  );
  return {
    subscribers: new Map(subscribers.map((row) => [row.id, row])),
    versions: new Map(versions.map((row) => [row.id, row])),
  };
}

function placeOf(group: Group, { subscribers, versions }: Parts) {
  const { workflow_id: _id, definition } = versions.get(group.version_id)!;
  // The jobs of a run are those of the steps that were active when it began.
  const step = definition.steps.filter(({ active }) => active)[group.step_index]!;
  return {
    at: group.at.toISOString(),
    until: group.until.toISOString(),
    workflow: { _id, workflowId: definition.workflowId, name: definition.name },
    step: { _id: step.id, stepId: step.stepId, name: step.name, type: step.type },
    count: group.count,
    people: group.notification_ids.flatMap((id) => {
      const subscriber = subscribers.get(id);
      return subscriber ? [{ subscriberId: subscriber.subscriber_id, transactionId: subscriber.transaction_id }] : [];
    }),
  };
}

function toWait(group: WaitGroup, parts: Parts): TimelineWait {
  const place = placeOf(group, parts);
  const isRollUp = group.kind === "budget" && place.workflow.workflowId === rollUpWorkflowId;
  return {
    ...place,
    kind: isRollUp ? "roll_up" : group.kind,
    ...(group.events !== null && { events: group.events }),
  };
}

const toResult = (group: ResultGroup, parts: Parts): TimelineResult => ({
  ...placeOf(group, parts),
  channel: group.channel,
  outcome: outcomeOf(group),
  title: group.title ?? "",
});

function outcomeOf({ status }: ResultGroup): TimelineResult["outcome"] {
  if (status === "pending") return "sending";
  return status === "sent" ? "sent" : "failed";
}
