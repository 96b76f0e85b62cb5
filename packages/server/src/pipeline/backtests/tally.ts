// Counts what the replays of people returned, page by page. The counts are a column of the backtest, so a page that is
// interrupted is counted once. Pure.
import { type BacktestReport, isJsonObject, type JsonObject } from "@tidings/contract";
import type { Difference } from "../../store/backtests/backtests.ts";
import { findEntry } from "../steps/catalogue.ts";
import type { Calibrated } from "./calibrate.ts";
import { type Compared, compareRun, isRenderFault } from "./compare.ts";
import type { PersonHistory } from "./history.ts";
import { channelOf, isSent, type MessageOutcome, outcomesOf } from "./outcomes.ts";
import type { Replayed } from "./state.ts";

type Effects = Record<string, number>;
type Sides = { before: number; after: number };
type StepTally = Sides & { type: string; name: string; effects: Effects; reasons: Record<string, Sides> };
type WorkflowTally = Sides & {
  name: string;
  runs: number;
  people: number;
  effects: Effects;
  steps: Record<string, StepTally>;
};
type Example = BacktestReport["calibration"]["deviations"][number]["examples"][number];

export type Tally = Sides & {
  /** Notifications of the period that were replayed. */
  done: number;
  people: number;
  same: number;
  effects: Effects;
  differing: number;
  silenced: number;
  reached: number;
  channels: Record<string, Sides & { effects: Effects }>;
  /** By identifier. */
  workflows: Record<string, WorkflowTally>;
  renderFaults: BacktestReport["renderFaults"];
  calibration: { compared: number; equal: number; causes: Record<string, { steps: number; examples: Example[] }> };
  deletedWorkflows: Record<string, number>;
  deletedPeople: number;
  erasedPayloads: number;
  storedAnswers: number;
  assumedAnswers: number;
  /** People with more notifications or signals than are replayed. */
  cutPeople: number;
  /** The sample had more people than fit into its limit. */
  isSampleCut: boolean;
  /** Differences that are listed. */
  listed: number;
};

/** Without a prototype: workflows and steps may have the id `constructor`. */
const noCounts = <Value>(): Record<string, Value> => Object.create(null);

const emptyTally = (): Tally => ({
  ...{ done: 0, people: 0, before: 0, after: 0, same: 0, differing: 0, silenced: 0, reached: 0 },
  ...{ effects: noCounts(), channels: noCounts(), workflows: noCounts(), renderFaults: [] },
  calibration: { compared: 0, equal: 0, causes: noCounts() },
  ...{ deletedWorkflows: noCounts(), deletedPeople: 0, erasedPayloads: 0, storedAnswers: 0, assumedAnswers: 0 },
  ...{ cutPeople: 0, isSampleCut: false, listed: 0 },
});

/** The counts of the pages before; null before the first. */
export const readTally = (stored: JsonObject | null): Tally =>
  stored === null ? emptyTally() : (withoutPrototypes(stored) as Tally);

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isJsonObject(value)) return value;
  const copy = noCounts<unknown>();
  for (const [name, member] of Object.entries(value)) copy[name] = withoutPrototypes(member);
  return copy;
}

/** More template errors than these are only counted by their effect. */
const maxFaults = 20;
const maxReasons = 10;
const maxExamples = 5;

const add = (counts: Effects, name: string, count = 1): void => {
  counts[name] = (counts[name] ?? 0) + count;
};

/** `after`: null where the change does not concern the person. */
export type ReplayedPerson = {
  history: PersonHistory;
  before: Replayed;
  after: Replayed | null;
  /** Notifications that were replayed as changed; null: all of them, and roll-ups. */
  concerned: ReadonlySet<string> | null;
  calibrated: Calibrated;
};

/** Changes `tally`, and returns the messages that differ. */
export function countPerson(tally: Tally, one: ReplayedPerson): Difference[] {
  const { history, before, after, concerned, calibrated } = one;
  const { person } = history;
  const differences: Difference[] = [];
  const workflowsOfPerson = new Set<string>();
  const got = { before: 0, after: 0 };
  const ids = [...new Set([...before.runs.keys(), ...(after?.runs.keys() ?? [])])];
  for (const id of ids) {
    const was = before.runs.get(id);
    const isConcerned = after !== null && (concerned === null || concerned.has(id) || !was);
    const is = isConcerned ? after.runs.get(id) : was;
    const either = (was ?? is)!;
    if (either.isLead) continue;
    const { workflowId, name } = either.run.version.definition;
    const workflow = workflowOf(tally, workflowId, name);
    if (either.past) {
      tally.done++;
      workflow.runs++;
    }
    const earlier = was ? outcomesOf(was) : new Map<string, MessageOutcome>();
    const compared = compareRun(earlier, !isConcerned ? earlier : is ? outcomesOf(is) : new Map());
    for (const pair of compared) {
      count(tally, workflow, pair);
      if (isSent(pair.before)) got.before++;
      if (isSent(pair.after)) got.after++;
      if (pair.effect === null) continue;
      workflowsOfPerson.add(workflowId);
      differences.push({
        subscriber_id: person.id,
        notification_id: id,
        step_id: pair.stepId,
        workflow_id: workflowId,
        effect: pair.effect,
        was_sent: isSent(pair.before),
        is_sent: isSent(pair.after),
      });
      if (pair.effect === "render_failed") countFault(tally, workflowId, pair);
    }
  }
  for (const workflowId of workflowsOfPerson) tally.workflows[workflowId]!.people++;
  // Someone may have got nothing but tests of drafts.
  if (ids.some((id) => !(before.runs.get(id) ?? after!.runs.get(id))!.isLead)) tally.people++;
  if (differences.length > 0) tally.differing++;
  if (got.before > 0 && got.after === 0) tally.silenced++;
  if (got.before === 0 && got.after > 0) tally.reached++;
  for (const [workflowId, runs] of history.deletedWorkflows) add(tally.deletedWorkflows, workflowId, runs);
  tally.erasedPayloads += history.erasedPayloads;
  tally.storedAnswers += before.answers.stored + (after?.answers.stored ?? 0);
  tally.assumedAnswers += before.answers.assumed + (after?.answers.assumed ?? 0);
  if (history.isCut) tally.cutPeople++;
  countCalibration(tally, person.subscriber_id, calibrated);
  return differences;
}

function workflowOf({ workflows }: Tally, workflowId: string, name: string): WorkflowTally {
  workflows[workflowId] ??= {
    ...{ before: 0, after: 0, runs: 0, people: 0 },
    name,
    effects: noCounts(),
    steps: noCounts(),
  };
  return workflows[workflowId];
}

function count(tally: Tally, workflow: WorkflowTally, { stepId, before, after, effect }: Compared): void {
  const { step } = (before ?? after)!;
  workflow.steps[stepId] ??= {
    ...{ type: step.type, name: step.name, before: 0, after: 0 },
    ...{ effects: noCounts(), reasons: noCounts() },
  };
  const own = workflow.steps[stepId];
  countSide(tally, workflow, own, "before", before);
  countSide(tally, workflow, own, "after", after);
  if (effect !== null) {
    for (const counts of [tally, workflow, own]) add(counts.effects, effect);
    add(channelTally(tally, channelOf((before ?? after)!)).effects, effect);
  } else if (isSent(before) && isSent(after)) {
    tally.same++;
  }
}

function countSide(
  tally: Tally,
  workflow: WorkflowTally,
  step: StepTally,
  side: "before" | "after",
  one: MessageOutcome | undefined,
): void {
  if (isSent(one)) {
    for (const counts of [tally, workflow, step, channelTally(tally, channelOf(one))]) counts[side]++;
    return;
  }
  const text = one ? reasonText(one) : null;
  if (text === null) return;
  if (!step.reasons[text] && Object.keys(step.reasons).length >= maxReasons) return;
  step.reasons[text] ??= { before: 0, after: 0 };
  step.reasons[text][side]++;
}

/** In general words: those about one person are shown with the person. */
function reasonText({ code, outcome }: MessageOutcome): string | null {
  if (outcome === "waiting") return "Waiting when the replay ended";
  return code === null ? null : (findEntry({ d: code })?.text ?? code);
}

function channelTally({ channels }: Tally, channel: string): Tally["channels"][string] {
  channels[channel] ??= { before: 0, after: 0, effects: noCounts() };
  return channels[channel];
}

function countFault({ renderFaults }: Tally, workflowId: string, { after }: Compared): void {
  if (!after || !isRenderFault(after)) return;
  const raw = after.job.newDetails.findLast(({ d }) => d === after.code)?.r;
  const reason = [raw?.reason, raw?.position].filter((part) => typeof part === "string" && part !== "").join(", ");
  const { stepId } = after.step;
  const known = renderFaults.find(
    (fault) => fault.workflowId === workflowId && fault.stepId === stepId && fault.reason === reason,
  );
  if (known) known.messages++;
  else if (renderFaults.length < maxFaults) renderFaults.push({ workflowId, stepId, reason, messages: 1 });
}

function countCalibration({ calibration }: Tally, subscriberId: string, { compared, equal, deviations }: Calibrated) {
  calibration.compared += compared;
  calibration.equal += equal;
  for (const { cause, ...example } of deviations) {
    calibration.causes[cause] ??= { steps: 0, examples: [] };
    const own = calibration.causes[cause];
    own!.steps++;
    if (own!.examples.length < maxExamples) own!.examples.push({ ...example, subscriberId });
  }
}
