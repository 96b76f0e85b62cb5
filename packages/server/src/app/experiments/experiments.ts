// Statistics of the experiments of a workflow: the people of each variant, what they did, and what that shows.
import {
  type ExperimentFigure,
  type ExperimentStatistics,
  type ExperimentVariant,
  experimentFigures,
  heldOutVariant,
  type Input,
  maxExperimentDays,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { isObject } from "../../lib/json.ts";
import { isShown, newcombe, type Proportion, peopleNeeded, shareOf, wilson } from "../../lib/proportions.ts";
import { captures } from "../../pipeline/objectives.ts";
import { countVariants, type VariantRow } from "../../store/experiments/exposures.ts";
import type { StoredStep, WorkflowRow } from "../../store/workflows/workflows.ts";
import { peekNow } from "../environments/clock.ts";
import { requireStep, requireWorkflow } from "../workflows/workflows.ts";
import { deedOf, type Group, sentenceAgainst, sentenceAlone } from "./sentences.ts";

type Query = Input<"workflows.retrieveExperiments">["query"];

const dayMs = 86_400_000;
/** Runs that one request reads, divided between the experiments. */
const maxRuns = 50_000;

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"workflows.retrieveExperiments">,
): Promise<Output<"workflows.retrieveExperiments">> {
  const { environmentId } = caller;
  const workflow = await requireWorkflow(ctx, environmentId, params.workflowId);
  const steps = experimentSteps(workflow, params.workflowId, query.stepId);
  const { from, to } = readRange(query, await peekNow(ctx, caller));
  const { goalDays = 30 } = query;
  const limit = Math.floor(maxRuns / Math.max(1, steps.length));
  const experiments: ExperimentStatistics[] = [];
  for (const step of steps) {
    const goals = goalsOf(step);
    const range = { stepId: step.id, from, to, limit, captures, goals, goalDays };
    experiments.push(toStatistics(step, goals, await countVariants(ctx.db, environmentId, range), limit));
  }
  return {
    workflowId: workflow.workflow_id,
    from: from.toISOString(),
    to: to.toISOString(),
    goalDays,
    experiments,
  };
}

function experimentSteps(workflow: WorkflowRow, workflowId: string, stepId: string | undefined): StoredStep[] {
  if (stepId === undefined) return workflow.steps.filter(({ type }) => type === "experiment");
  const { step } = requireStep(workflow, stepId, workflowId);
  if (step.type !== "experiment") {
    throw invalid({ stepId: { messages: ["stepId must name an experiment step"], value: stepId } });
  }
  return [step];
}

function readRange(query: Query, now: Date): { from: Date; to: Date } {
  const to = query.to ? new Date(query.to) : new Date(now.getTime() + 1);
  const from = query.from ? new Date(query.from) : new Date(to.getTime() - 30 * dayMs);
  if (from >= to) throw invalid({ from: { messages: ["from must be earlier than to"], value: query.from } });
  if (to.getTime() - from.getTime() > maxExperimentDays * dayMs) {
    const message = `from and to may be ${maxExperimentDays} days apart`;
    throw invalid({ from: { messages: [message], value: query.from } });
  }
  return { from, to };
}

const goalsOf = ({ controlValues: { goals } }: StoredStep): string[] =>
  Array.isArray(goals) ? [...new Set(goals.filter((one): one is string => typeof one === "string" && one !== ""))] : [];

type Variant = Pick<ExperimentVariant, "id" | "name" | "weight" | "isHeldOut">;

/** Those of the step, then former ones that people are in, then the people held out. */
function variantsOf({ controlValues: { variants, holdOutPercent } }: StoredStep, rows: VariantRow[]): Variant[] {
  const current = (Array.isArray(variants) ? variants : []).flatMap((one): Variant[] => {
    if (!isObject(one) || typeof one.id !== "string") return [];
    const { id, name, weight = 1 } = one;
    return [
      {
        id,
        name: typeof name === "string" && name !== "" ? name : null,
        weight: typeof weight === "number" ? weight : null,
        isHeldOut: false,
      },
    ];
  });
  const former = rows
    .map(({ variant }) => variant)
    .filter((id) => id !== heldOutVariant && current.every((one) => one.id !== id))
    .sort()
    .map((id): Variant => ({ id, name: null, weight: null, isHeldOut: false }));
  const hasHeldOut = Number(holdOutPercent ?? 0) > 0 || rows.some(({ variant }) => variant === heldOutVariant);
  const heldOut: Variant = { id: heldOutVariant, name: null, weight: null, isHeldOut: true };
  return [...current, ...former, ...(hasHeldOut ? [heldOut] : [])];
}

function toStatistics(step: StoredStep, goals: string[], rows: VariantRow[], limit: number): ExperimentStatistics {
  const byVariant = new Map(rows.map((row) => [row.variant, row]));
  const variants = variantsOf(step, rows);
  const [first] = variants;
  const runs = rows.reduce((total, row) => total + row.runs, 0);
  return {
    stepId: step.stepId,
    name: step.name,
    active: step.active,
    runs,
    isComplete: runs < limit,
    moved: rows.reduce((total, row) => total + row.moved, 0),
    variants: variants.map((variant): ExperimentVariant => {
      const row = byVariant.get(variant.id);
      const compared = variant === first ? null : { variant: first!, row: byVariant.get(first!.id) };
      const own = { variant, row };
      return {
        ...variant,
        people: row?.people ?? 0,
        figures: [
          ...(variant.isHeldOut ? [] : experimentFigures.map((figure) => toFigure(own, compared, { figure }))),
          ...goals.map((goal) => toFigure(own, compared, { figure: "goal", goal })),
        ],
      };
    }),
  };
}

type Counted = { variant: Variant; row: VariantRow | undefined };
type Measure = Pick<ExperimentFigure, "figure" | "goal">;

function toFigure(own: Counted, first: Counted | null, { figure, goal }: Measure): ExperimentFigure {
  const groupOf = ({ variant, row }: Counted): Group => {
    const count = goal !== undefined ? row?.goals[goal] : figure === "goal" ? 0 : row?.reached[figure];
    const people: Proportion = { count: count ?? 0, total: row?.people ?? 0 };
    return { name: variant.isHeldOut ? "People held out" : `Variant ${variant.name ?? variant.id}`, people };
  };
  const group = groupOf(own);
  const other = first && groupOf(first);
  const deed = deedOf(figure, goal);
  return {
    figure,
    ...(goal === undefined ? {} : { goal }),
    ...(figure !== "goal" && { messages: own.row?.messages[figure] ?? 0 }),
    people: group.people.count,
    share: shareOf(group.people),
    ...wilson(group.people),
    ...(other && { versusFirst: differenceOf(group.people, other.people) }),
    sentence: other ? sentenceAgainst(group, other, deed) : sentenceAlone(group, deed),
  };
}

function differenceOf(own: Proportion, first: Proportion): NonNullable<ExperimentFigure["versusFirst"]> {
  const interval = newcombe(own, first);
  const shown = isShown(interval);
  return {
    difference: shareOf(own) - shareOf(first),
    ...interval,
    isShown: shown,
    peopleNeeded: shown ? null : peopleNeeded(own, first),
  };
}
