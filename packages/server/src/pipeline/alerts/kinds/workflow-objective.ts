// A workflow that uses the error budget of an objective too fast: very fast for an hour and right now, or fast for six
// hours and in the last one. The shorter window ends the alert soon after messages are fine again.
import type { AlertParametersOf } from "@tidings/contract";
import { hourMs } from "../../../store/events/statistics.ts";
import { findWorkflowsWithObjectives, type WorkflowWithObjectives } from "../../../store/workflows/objectives.batch.ts";
import { captures, findOutcomes, type Outcomes, rowsWithin, shortWindowMs } from "../../objectives.ts";
import {
  type Burning,
  countRows,
  findBurn,
  leaveOut,
  type Objective,
  objectivesOf,
  objectiveText,
} from "../../rules/objectives.ts";
import type { AlertKind, Finding } from "../kind.ts";

/** Messages of an environment that are read for the last hour or two, every half minute. */
const maxLatestRows = 20_000;
/** A provider that reported a delivery within that time is one that reports deliveries. */
const reportingMs = 48 * hourMs;

const defaults = { fastBurn: 14.4, slowBurn: 6, atLeast: 20 };

export const workflowObjective: AlertKind<"workflow_objective"> = {
  async find(ctx, rules, now) {
    const environmentIds = [...new Set(rules.map(({ environmentId }) => environmentId))];
    const workflows = await findWorkflowsWithObjectives(ctx.db, environmentIds);
    const targets = workflows.map(({ environment_id, id }) => ({ environment_id, workflow_id: id }));
    const from = new Date(now.getTime() - reportingMs);
    const { latest, all } = await findOutcomes(ctx, targets, { from, now, limit: maxLatestRows });
    const latestOf = Map.groupBy(latest, ({ workflow_id }) => workflow_id);
    const allOf = Map.groupBy(all, ({ workflow_id }) => workflow_id);
    const workflowsOf = Map.groupBy(workflows, ({ environment_id }) => environment_id);
    return rules.flatMap(({ id: ruleId, environmentId, parameters }) =>
      (workflowsOf.get(environmentId) ?? [])
        .filter(({ workflow_id }) => parameters.workflowIds?.includes(workflow_id) ?? true)
        .flatMap((workflow): Finding[] => {
          const outcomes = { latest: latestOf.get(workflow.id) ?? [], all: allOf.get(workflow.id) ?? [] };
          const worst = findWorst(workflow, outcomes, parameters, now);
          return worst
            ? [{ ruleId, subject: { type: "workflow", id: workflow.id, name: workflow.name }, ...worst }]
            : [];
        }),
    );
  },
};

type Worst = Pick<Finding, "code" | "facts">;

/** The objective whose budget is used fastest. */
function findWorst(
  { objectives }: WorkflowWithObjectives,
  outcomes: Outcomes,
  parameters: AlertParametersOf<"workflow_objective">,
  now: Date,
): Worst | undefined {
  const limits = { ...defaults, ...parameters };
  const burning = objectivesOf(objectives).flatMap((objective): { objective: Objective; burn: Burning }[] => {
    const reasonOf = leaveOut(objective.kind, outcomes.all, captures);
    const count = (windowMs: number) =>
      countRows(rowsWithin(outcomes, windowMs, now), objective, {
        now: now.getTime(),
        isLeftOut: (row) => reasonOf(row) !== null,
      });
    const windows = { minutes: count(shortWindowMs), hour: count(hourMs), hours: count(6 * hourMs) };
    const burn = findBurn(windows, objective.percent, limits);
    return burn ? [{ objective, burn }] : [];
  });
  const worst = burning.toSorted((a, b) => b.burn.rate - a.burn.rate)[0];
  if (!worst) return undefined;
  const { objective, burn } = worst;
  const { hours, rate, good, bad } = burn;
  return {
    code: objective.kind === "handedOver" ? "handed_over" : "delivered",
    facts: { objective: objectiveText(objective), hours, rate, bad, messages: good + bad },
  };
}
