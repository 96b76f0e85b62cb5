// The report of a backtest, from what was counted: sentences first, then numbers by channel, workflow and step. Pure.
import {
  type BacktestCause,
  type BacktestReport,
  backtestCauses,
  type backtestEffects,
  backtestLimits,
  type Channel,
  channels,
} from "@tidings/contract";
import type { StoredChange } from "../../store/tables.ts";
import { messageWords } from "../attention/details.ts";
import { leadMs } from "./history.ts";
import type { Tally } from "./tally.ts";

/** Below, a replay says little about what would have happened (percent). */
const trustedPercent = 95;

const number = new Intl.NumberFormat("en-US");

const rounded = (share: number): number => Math.round(share * 1_000) / 10;

const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : rounded(part / whole));

const counted = (count: number, one: string, many: string): string =>
  `${number.format(count)} ${count === 1 ? one : many}`;

export function reportOf(tally: Tally, change: StoredChange, isCalibrationOnly: boolean): BacktestReport {
  const calibration = calibrationOf(tally);
  const changed = new Set(change.workflows.map(({ workflowId }) => workflowId));
  const { before, after, effects, same } = tally;
  const affected = Object.values(effects).reduce((sum, count) => sum + count, 0);
  return {
    sentences: sentencesOf(tally, calibration, isCalibrationOnly),
    totals: {
      ...{ runs: tally.done, people: tally.people, before, after, same, effects },
      ...{ differing: tally.differing, silenced: tally.silenced, reached: tally.reached },
      addedPercent: percentOf(effects.added ?? 0, before),
      removedPercent: percentOf((effects.removed ?? 0) + (effects.render_failed ?? 0), before),
      differingPercent: percentOf(affected, before),
    },
    channels: channels.flatMap((channel) => {
      const own = tally.channels[channel];
      return own ? [{ channel, ...own }] : [];
    }),
    workflows: Object.entries(tally.workflows)
      .map(([workflowId, { steps, ...own }]) => ({
        workflowId,
        ...own,
        isChanged: changed.has(workflowId),
        steps: Object.entries(steps).map(([stepId, { reasons, ...step }]) => ({
          stepId,
          ...step,
          reasons: Object.entries(reasons).map(([text, sides]) => ({ text, ...sides })),
        })),
      }))
      .sort((a, b) => sumOf(b.effects) - sumOf(a.effects) || (a.workflowId < b.workflowId ? -1 : 1)),
    renderFaults: tally.renderFaults,
    calibration,
    skipped: {
      deletedWorkflows: Object.entries(tally.deletedWorkflows).map(([workflowId, notifications]) => ({
        workflowId,
        notifications,
      })),
      erasedPayloads: tally.erasedPayloads,
      deletedPeople: tally.deletedPeople,
      storedAnswers: tally.storedAnswers,
      assumedAnswers: tally.assumedAnswers,
    },
    limits: limitsOf(tally, change),
  };
}

const sumOf = (effects: Record<string, number>): number => Object.values(effects).reduce((sum, one) => sum + one, 0);

const causeWords: Record<BacktestCause, [one: string, many: string]> = {
  person_changed: ["its person was changed since", "their people were changed since"],
  preferences_changed: ["its person chose other preferences since", "their people chose other preferences since"],
  payload_erased: ["a part of its payload was erased", "parts of their payloads were erased"],
  answer_assumed: [
    "no answer of its bridge or request is stored",
    "no answers of their bridges or requests are stored",
  ],
  provider_failed: ["its provider failed then", "their providers failed then"],
  canceled: ["its run was canceled, taken back or sent again", "their runs were canceled, taken back or sent again"],
  integration_changed: ["its integrations were changed since", "their integrations were changed since"],
  workflow_changed: ["settings of its workflow were changed since", "settings of their workflows were changed since"],
  configuration_changed: [
    "layouts, texts, variables or settings of the environment were changed since",
    "layouts, texts, variables or settings of the environment were changed since",
  ],
  open_before: ["it depends on events before the period", "they depend on events before the period"],
  unknown: ["the cause is not known", "the cause is not known"],
};

function calibrationOf({ calibration: { compared, equal, causes } }: Tally): BacktestReport["calibration"] {
  // Rounded down, so that 100 says that everything is equal.
  const percent = compared === 0 ? null : Math.floor((equal / compared) * 10_000) / 100;
  return {
    percent,
    isTrusted: percent !== null && percent >= trustedPercent,
    compared,
    equal,
    deviations: backtestCauses
      .flatMap((cause) => {
        const own = causes[cause];
        if (!own) return [];
        const [one, many] = causeWords[cause];
        const sentence = `${counted(own.steps, "step", "steps")} came out differently: ${own.steps === 1 ? one : many}`;
        return [{ cause, ...own, sentence }];
      })
      .sort((a, b) => b.steps - a.steps),
  };
}

function sentencesOf(
  tally: Tally,
  { percent, isTrusted, compared }: BacktestReport["calibration"],
  isCalibrationOnly: boolean,
): string[] {
  const steps = counted(compared, "step", "steps");
  const matches = `The replay of what is unchanged came out as it really did for ${percent} % of ${steps}`;
  const warning =
    percent === null
      ? "Nothing to compare, so do not rely on this report: no step of the period has ended"
      : `${matches}: do not rely on this report`;
  const findings = isCalibrationOnly ? [] : findingsOf(tally);
  return isTrusted ? [...findings, matches] : [warning, ...findings];
}

function findingsOf(tally: Tally): string[] {
  const { effects } = tally;
  const of = (effect: (typeof backtestEffects)[number]) => effects[effect] ?? 0;
  const say = (count: number, one: string, many: string) => (count === 0 ? [] : [counted(count, one, many)]);
  const found = [
    ...channels.flatMap((channel) => balanceOf(channel, tally)),
    ...say(tally.silenced, "person would get nothing who got something", "people would get nothing who got something"),
    ...say(tally.reached, "person would get something who got nothing", "people would get something who got nothing"),
    ...say(of("render_failed"), "message would fail to render", "messages would fail to render"),
    ...say(of("removed"), "message would not be sent", "messages would not be sent"),
    ...say(of("added"), "message would be sent that was not", "messages would be sent that were not"),
    ...say(of("digested"), "message would be digested differently", "messages would be digested differently"),
    ...say(of("channel"), "message would use another channel", "messages would use another channel"),
    ...say(of("provider"), "message would use another integration", "messages would use another integration"),
    ...say(of("earlier"), "message would be sent earlier", "messages would be sent earlier"),
    ...say(of("later"), "message would be sent later", "messages would be sent later"),
    ...say(of("content"), "message would have different content", "messages would have different content"),
  ];
  return found.length > 0 ? found : ["No message would be different"];
}

/** Such as "8,112 emails fewer (26 %)". */
function balanceOf(channel: Channel, { channels: tallies }: Tally): string[] {
  const own = tallies[channel];
  if (!own || own.before === own.after) return [];
  const [one, many] = messageWords[channel];
  const count = Math.abs(own.after - own.before);
  const share = own.before === 0 ? "" : ` (${percentOf(count, own.before)} %)`;
  return [`${counted(count, one, many)} ${own.after < own.before ? "fewer" : "more"}${share}`];
}

function limitsOf(tally: Tally, { ignored }: StoredChange): string[] {
  const listed = Object.values(tally.effects).reduce((sum, one) => sum + one, 0);
  const { cutPeople, deletedPeople, isSampleCut, done } = tally;
  return [
    ...ignored,
    "People, preferences, audiences, topics, layouts and texts are those of today: earlier versions are not stored",
    "Everyone whom an event reached then is reached again: members of topics and audiences are not chosen anew",
    `Digests, throttles and budgets know the ${leadMs / 86_400_000} days before the period, and nothing earlier`,
    "Marks and receipts count for messages that were sent before them, at the times they really came",
    ...(cutPeople > 0
      ? [
          `Of ${counted(cutPeople, "person", "people")} with very many notifications or signals, only the newest are replayed`,
        ]
      : []),
    ...(isSampleCut
      ? [`The sample ended at ${counted(done, "notification", "notifications")}: the people created last are not in it`]
      : []),
    ...(deletedPeople > 0 ? [`${counted(deletedPeople, "person was", "people were")} deleted since and left out`] : []),
    ...(listed > tally.listed
      ? [`Of the messages that differ, the first ${number.format(backtestLimits.differences)} are listed by person`]
      : []),
  ];
}
