// Compares what steps did with what a scenario expects of them.
import type { ExplainedStep, Scenario, ScenarioStep } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Stage } from "./environment.ts";
import { type Difference, describeText, isText, type Mismatch } from "./expect.ts";

type StepRun = { to: string; workflow: string; step: ExplainedStep };

/** One of the runs has to meet each expectation. */
export async function compareSteps(stage: Stage, { steps = [] }: Scenario): Promise<Mismatch[]> {
  const people = [...new Set(steps.map(({ to }) => to))];
  const runs = (await Promise.all(people.map((to) => readRuns(stage, to)))).flat();
  return steps.flatMap((expected): Mismatch[] => {
    const found = runs.filter(
      ({ to, workflow, step }) =>
        to === expected.to && step.stepId === expected.step && [undefined, workflow].includes(expected.workflow),
    );
    const compared = found.map(({ step }) => differencesOf(expected, step)).sort((a, b) => a.length - b.length);
    const [nearest] = compared;
    return nearest?.length === 0 ? [] : [{ kind: "step", expected, differences: nearest ?? null }];
  });
}

const maxEvents = 100;

async function readRuns({ tidings }: Stage, subscriberId: string): Promise<StepRun[]> {
  const { data, next } = await tidings.activity.listEvents({
    query: { subscriberIds: [subscriberId], limit: maxEvents },
  });
  if (next !== null)
    throw new CliError(`${subscriberId} has more than ${maxEvents} events, too many to check "steps".`);
  const runs: StepRun[] = [];
  for (const { transactionId } of data) {
    const { event, steps } = await tidings.explain.retrieve({ query: { transactionId, subscriberId } });
    runs.push(...steps.map((step) => ({ to: subscriberId, workflow: event.workflowId, step })));
  }
  return runs;
}

function differencesOf(expected: ScenarioStep, step: ExplainedStep): Difference[] {
  const found: Difference[] = [];
  const { outcome, reason, arm, variant } = expected;
  if (outcome !== undefined && outcome !== step.outcome && !isHeld(step, outcome))
    found.push({ field: "outcome", expected: outcome, actual: `${step.outcome}: ${step.reason}` });
  if (reason !== undefined && !isText(reason, step.reason))
    found.push({ field: "reason", expected: describeText(reason), actual: step.reason });
  for (const [field, wanted] of Object.entries({ arm, variant })) {
    if (wanted === undefined) continue;
    const actual = choiceOf(step, field);
    if (actual !== wanted) found.push({ field, expected: wanted, actual: actual ?? `none: ${step.reason}` });
  }
  return found;
}

/** Whether the attention budget did this; a message that it delayed may have been sent since. */
const isHeld = ({ details = [] }: ExplainedStep, outcome: string): boolean =>
  details.some(({ code }) => code === `attention_${outcome}`);

/** What a branch or an experiment chose, from its execution details. */
function choiceOf({ details = [] }: ExplainedStep, field: string): string | undefined {
  const code = field === "arm" ? "arm_taken" : "variant_chosen";
  const raw = details.find((one) => one.code === code)?.raw;
  const choice: unknown = raw ? JSON.parse(raw)[field] : undefined;
  return typeof choice === "string" ? choice : undefined;
}
