// The timeline of an environment: what waits, for when, and the messages that were made last.
import {
  type Input,
  mostDigestEventsCounted,
  mostResultsLooked,
  mostWaitingLooked,
  type Output,
  type TimelineResult,
  type TimelineWait,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { waitingGroup } from "../../pipeline/clock/clock.ts";
import {
  findResults,
  findTimelinePeople,
  findTimelineVersions,
  findWaits,
  type ResultGroup,
  type TimelinePersonRow,
  type TimelineVersionRow,
  type WaitGroup,
} from "../../store/environments/timeline.ts";
import { readState } from "./clock.ts";
import { requireOwn } from "./environments.ts";

/** Before every time that a clock may have. */
const beginning = new Date(0);

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"environments.retrieveTimeline">,
): Promise<Output<"environments.retrieveTimeline">> {
  const { id } = await requireOwn(ctx, caller, params.environmentId);
  const { limit = 50, after } = query;
  const clock = await readState(ctx, id);
  const isByMinute = clock.status === "real";
  const { rows, looked } = await findWaits(ctx.db, id, {
    queueGroup: waitingGroup(id),
    after: after === undefined ? beginning : new Date(after),
    limit,
    looked: mostWaitingLooked,
    mostEvents: mostDigestEventsCounted,
    isByMinute,
  });
  const results = await findResults(ctx.db, id, { limit, looked: mostResultsLooked, isByMinute });
  const waits = wholeMoments(rows, limit);
  const isCapped = looked === mostWaitingLooked;
  const hasMore = waits.length < rows.length || isCapped;
  const parts = await loadParts(ctx, id, [...waits, ...results]);
  return {
    clock,
    results: results.toReversed().map((group) => toResult(group, parts)),
    waiting: waits.map((group) => toWait(group, parts)),
    next: hasMore ? (waits.at(-1)?.until.toISOString() ?? null) : null,
    isCapped,
  };
}

/** The next page begins behind a moment: one that does not fit on this page is left to it, unless it is the only one. */
function wholeMoments(rows: WaitGroup[], limit: number): WaitGroup[] {
  const cut = rows[limit]?.moment.getTime();
  const whole = rows.slice(0, limit).filter(({ moment }) => moment.getTime() !== cut);
  return whole.length > 0 ? whole : rows.slice(0, limit);
}

type Parts = { people: Map<string, TimelinePersonRow>; versions: Map<string, TimelineVersionRow> };
type Group = WaitGroup | ResultGroup;

async function loadParts(ctx: Ctx, environmentId: string, groups: Group[]): Promise<Parts> {
  const idsIn = (of: (group: Group) => string[]) => [...new Set(groups.flatMap(of))];
  const people = await findTimelinePeople(
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
    people: new Map(people.map((row) => [row.id, row])),
    versions: new Map(versions.map((row) => [row.id, row])),
  };
}

function placeOf(group: Group, { people, versions }: Parts) {
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
      const person = people.get(id);
      return person ? [{ subscriberId: person.subscriber_id, transactionId: person.transaction_id }] : [];
    }),
  };
}

const toWait = (group: WaitGroup, parts: Parts): TimelineWait => ({
  ...placeOf(group, parts),
  kind: group.kind,
  ...(group.events !== null && { events: group.events }),
});

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
