// Counts what a dry run returned for a page of people. Pure.
import { isChannel } from "@tidings/contract";
import type { CheckState, StepTally } from "../../store/broadcasts/checks.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { isCritical } from "../rules/preferences.ts";
import { outcomeCode } from "../rules/step-outcome-text.ts";
import type { SimulatedRun } from "../run/dry-run.ts";
import type { JobState } from "../run/run.ts";
import { linksOf } from "./links.ts";

/** Template errors that are listed; more are only counted in the outcome of their step. */
const maxFaults = 10;
/** Links that are tried. */
const maxLinks = 50;

type CountedJob = Pick<JobState, "step" | "status"> & { details: readonly StoredDetail[] };

/** `sends` where a message is sent, `done` for another step that ran, or the code of the reason why not. */
export function outcomeWord(job: CountedJob): string {
  const { outcome, code } = outcomeCode(job);
  if (outcome === "sent") return "sends";
  return outcome === "done" ? "done" : (code ?? outcome);
}

/** Details of a wait that is not part of the workflow. */
const laterDetails: ReadonlySet<string> = new Set(["step_held", "attention_delayed"]);

type Links = { publicUrl: string };

export function addRuns(state: CheckState, runs: SimulatedRun[], links: Links): CheckState {
  const next = structuredClone(state);
  const steps = new Map(next.steps.map((step) => [step.stepId, step]));
  const urls = new Set(next.urls);
  for (const { run, messages } of runs) {
    for (const job of run.jobs) {
      const tally = steps.get(job.step.stepId) ?? newTally(job);
      steps.set(tally.stepId, tally);
      countJob(next, tally, job);
    }
    for (const message of messages) {
      if (message.status !== "sent") continue;
      if (message.channel === "email") countMail(next, message, run.rules.preferences, links);
      if (urls.size >= maxLinks) continue;
      for (const url of linksOf(message)) if (isForeign(url, links) && urls.size < maxLinks) urls.add(url);
    }
  }
  return { ...next, checked: state.checked + runs.length, steps: [...steps.values()], urls: [...urls] };
}

const newTally = ({ step: { stepId, name, type } }: JobState): StepTally => ({
  ...{ stepId, name, type },
  outcomes: {},
  later: {},
});

function countJob(state: CheckState, tally: StepTally, { step, status, newDetails }: JobState): void {
  const word = outcomeWord({ step, status, details: newDetails });
  add(tally.outcomes, word);
  if (word === "sends" && isChannel(step.type)) {
    const wait = newDetails.findLast(({ d }) => laterDetails.has(d));
    if (wait) add(tally.later, wait.d);
  }
  if (word !== "render_failed" && word !== "condition_failed") return;
  const raw = newDetails.findLast(({ d }) => d === word)?.r;
  const reason = [raw?.reason, raw?.position].filter((part) => typeof part === "string" && part !== "").join(", ");
  const known = state.faults.find((fault) => fault.stepId === step.stepId && fault.reason === reason);
  if (known) known.people++;
  else if (state.faults.length < maxFaults) state.faults.push({ stepId: step.stepId, reason, people: 1 });
}

const add = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** As deliver/unsubscribe.ts decides it when the mail is sent. */
function countMail(
  { mails }: CheckState,
  { outgoing }: SimulatedRun["messages"][number],
  preferences: SimulatedRun["run"]["rules"]["preferences"],
  { publicUrl }: Links,
): void {
  const facts = (outgoing ?? {}) as { isRequired?: boolean; pagesUrl?: string; headers?: Record<string, string> };
  const isOwn = Object.keys(facts.headers ?? {}).some((name) => /^list-unsubscribe$/i.test(name));
  const hasAddress = (facts.pagesUrl ?? publicUrl) !== "";
  const isAdded = hasAddress && !isCritical(preferences) && facts.isRequired !== true;
  mails.total++;
  mails.hasAddress &&= hasAddress;
  if (isOwn || isAdded) mails.withLink++;
}

const isForeign = (url: string, { publicUrl }: Links): boolean => publicUrl === "" || !url.startsWith(publicUrl);
