// How a workflow meets its objectives, over a period and in the last hours.
import { type Input, type ObjectiveState, type Output, objectiveWindows } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { captures, findOutcomes, type Outcomes, rowsWithin } from "../../pipeline/objectives.ts";
import {
  budgetLeft,
  burnRate,
  countRows,
  leaveOut,
  measuredPercent,
  type Objective,
  objectivesOf,
  usedUpInDays,
} from "../../pipeline/rules/objectives.ts";
import { hourMs } from "../../store/events/statistics.ts";
import type { OutcomeRow } from "../../store/workflows/objectives.ts";
import { requireWorkflow } from "../workflows/workflows.ts";

const dayMs = 24 * hourMs;

export async function retrieve(
  ctx: Ctx,
  { environmentId }: Caller,
  { params, query }: Input<"workflows.retrieveObjectives">,
): Promise<Output<"workflows.retrieveObjectives">> {
  const { id, workflow_id, objectives: stored } = await requireWorkflow(ctx, environmentId, params.workflowId);
  const { days = 30 } = query;
  const objectives = objectivesOf(stored);
  if (objectives.length === 0) return { workflowId: workflow_id, days, objectives: [] };
  const now = ctx.now();
  const from = new Date(Math.floor(now.getTime() / hourMs) * hourMs - days * dayMs);
  const outcomes = await findOutcomes(ctx, [{ environment_id: environmentId, workflow_id: id }], { from, now });
  return {
    workflowId: workflow_id,
    days,
    objectives: objectives.map((objective) => stateOf(objective, outcomes, { from, now, days })),
  };
}

function stateOf(
  objective: Objective,
  outcomes: Outcomes,
  { from, now, days }: { from: Date; now: Date; days: number },
): ObjectiveState {
  const reasonOf = leaveOut(objective.kind, outcomes.all, captures);
  const count = (rows: OutcomeRow[]) =>
    countRows(rows, objective, { now: now.getTime(), isLeftOut: (row) => reasonOf(row) !== null });
  const windows = objectiveWindows.map((hours) => {
    const counts = count(rowsWithin(outcomes, hours * hourMs, now));
    const { percent } = objective;
    return { hours, ...counts, measuredPercent: measuredPercent(counts), burnRate: burnRate(counts, percent) };
  });
  const total = count(outcomes.all);
  const left = budgetLeft(total, objective.percent);
  const byDay = Map.groupBy(outcomes.all, ({ at }) => Math.floor(at.getTime() / dayMs) * dayMs);
  const series: ObjectiveState["series"] = [];
  for (let day = Math.floor(from.getTime() / dayMs) * dayMs; day <= now.getTime(); day += dayMs) {
    series.push({ start: new Date(day).toISOString(), ...count(byDay.get(day) ?? []) });
  }
  return {
    ...objective,
    ...total,
    measuredPercent: measuredPercent(total),
    budgetLeft: left,
    usedUpInDays: usedUpInDays(left, windows.find(({ hours }) => hours === 24)!.burnRate, days),
    windows,
    series,
    leftOut: leftOutOf(outcomes.all, reasonOf),
  };
}

function leftOutOf(rows: OutcomeRow[], reasonOf: ReturnType<typeof leaveOut>): ObjectiveState["leftOut"] {
  return [...Map.groupBy(rows, (row) => `${row.channel} ${row.provider_id}`).values()].flatMap((own) => {
    const { channel, provider_id } = own[0]!;
    const reason = reasonOf(own[0]!);
    const messages = own.reduce((total, { sent, failed }) => total + sent + failed, 0);
    return reason && messages > 0 ? [{ channel, providerId: provider_id || null, messages, reason }] : [];
  });
}
