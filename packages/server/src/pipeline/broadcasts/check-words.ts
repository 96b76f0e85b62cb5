// The checklist in sentences, from the counts of a check. Pure.
import { type BroadcastCheckItem, type Channel, isChannel } from "@tidings/contract";
import type { CheckState, LinkFault, StepTally } from "../../store/broadcasts/checks.ts";
import { findEntry } from "../steps/catalogue.ts";

type Level = BroadcastCheckItem["level"];

const number = new Intl.NumberFormat("en-US");
const counted = (count: number): string => number.format(count);

/** "1 person", "31,204 people". */
const peopleText = (count: number): string => `${counted(count)} ${count === 1 ? "person" : "people"}`;

const subjects: Record<Channel, string> = {
  in_app: "in-app message",
  email: "email",
  sms: "SMS",
  push: "push message",
  chat: "chat message",
};

/** The verb in the singular and in the plural, and the rest of the sentence. */
type Sentence = { code: string; level: Level; one: string; many: string; rest: (subject: string) => string };

const have = (code: string, rest: string): Sentence => ({
  ...{ code, level: "warning", one: "has", many: "have" },
  rest: () => rest,
});
const are = (code: string, level: Level, rest: (subject: string) => string): Sentence => ({
  ...{ code, level, one: "is", many: "are" },
  rest,
});
const getNot = (code: string, level: Level, rest: (subject: string) => string): Sentence => ({
  ...{ code, level, one: "does not get", many: "do not get" },
  rest,
});

const singular: Readonly<Record<string, string>> = { get: "gets", "do not get": "does not get" };
const overBudget = (level: Level, verb: string, rest: string): Sentence => ({
  ...{ code: "over_budget", level, rest: () => rest },
  one: `is over their budget and ${singular[verb]}`,
  many: `are over their budget and ${verb}`,
});

const switchedOff: Sentence = {
  code: "switched_off",
  level: "ok",
  one: "has",
  many: "have",
  rest: () => "switched it off",
};
const offByDefault = getNot("off_by_default", "warning", (subject) => `the ${subject}: it is switched off by default`);

/** By the code of the outcome. Outcomes without a sentence are described by their detail. */
const sentences: Readonly<Record<string, Sentence | undefined>> = {
  no_email: have("no_address", "no email address"),
  no_phone: have("no_address", "no phone number"),
  no_device_tokens: have("no_address", "no device for push messages"),
  no_chat_channel: have("no_address", "no chat channel"),
  no_webhook_url: have("no_address", "no address of a chat channel"),
  recipient_suppressed: are("suppressed", "warning", () => "suppressed"),
  attention_rolled_up: overBudget("ok", "get", "it in the roll-up"),
  attention_dropped: overBudget("warning", "do not get", "it"),
  filtered_by_subscriber_global: switchedOff,
  filtered_by_subscriber_category: switchedOff,
  filtered_by_subscriber_workflow: switchedOff,
  filtered_by_workflow: offByDefault,
  filtered_by_dashboard: offByDefault,
  filtered_by_category: offByDefault,
  outside_schedule: getNot("quiet_hours", "warning", () => "it because of their quiet hours"),
  skipped_by_condition: getNot("condition", "ok", (subject) => `the ${subject}: a condition leaves them out`),
  no_integration: getNot("no_integration", "problem", (subject) => `the ${subject}: no active integration sends it`),
  held_out: are("held_out", "ok", () => "held out by an experiment"),
};

const laterSentences: Readonly<Record<string, Sentence | undefined>> = {
  step_held: {
    code: "quiet_hours",
    level: "ok",
    one: "gets",
    many: "get",
    rest: () => "it when their quiet hours end",
  },
  attention_delayed: overBudget("ok", "get", "it later"),
};

/** Outcomes that lose nothing: the message is sent, or the step is of another arm. */
const quiet: ReadonlySet<string> = new Set(["sends", "done", "arm_not_taken", "render_failed", "condition_failed"]);

export function checklistOf(state: CheckState): BroadcastCheckItem[] {
  const items = [...state.items];
  if (state.source === null) return items;
  const isCounted = state.page > 0;
  if (isCounted) items.push(peopleItem(state), ...everyoneItem(state));
  for (const step of state.steps) items.push(...stepItems(step, state.steps));
  for (const { stepId, reason, people } of state.faults) {
    const sentence = `The step ${stepId} cannot be rendered for ${peopleText(people)}: ${reason}`;
    items.push({ code: "template", level: "problem", sentence, people });
  }
  items.push(...unsubscribeItem(state), ...linkItem(state));
  return items;
}

function peopleItem({ people, checked, status }: CheckState): BroadcastCheckItem {
  const count = status === "completed" ? checked : people;
  if (count > 0) return { code: "people", level: "ok", sentence: peopleText(count), people: count };
  const sentence = "The audience has no people now";
  return { code: "people", level: "problem", sentence, people: 0, field: "audience" };
}

function everyoneItem({ isEveryone, people }: CheckState): BroadcastCheckItem[] {
  if (!isEveryone || people === 0) return [];
  const sentence = `This is everyone: the audience leaves no person of the environment out`;
  return [{ code: "everyone", level: "warning", sentence, people, field: "audience" }];
}

/** The step is named where there are several of its channel. */
function stepItems(step: StepTally, all: StepTally[]): BroadcastCheckItem[] {
  const isAlone = all.filter(({ type }) => type === step.type).length === 1;
  const suffix = isAlone ? "" : ` (step ${step.stepId})`;
  const groups = new Map<string, { sentence: Sentence; people: number }>();
  const add = (sentence: Sentence, people: number) => {
    const key = `${sentence.code} ${sentence.rest("")}`;
    groups.set(key, { sentence, people: people + (groups.get(key)?.people ?? 0) });
  };
  for (const [outcome, people] of Object.entries(step.outcomes)) {
    // The experiment says it, not each step after it.
    const isRepeated = outcome === "held_out" && step.type !== "experiment";
    if (!quiet.has(outcome) && !isRepeated) add(sentences[outcome] ?? otherSentence(outcome), people);
  }
  for (const [reason, people] of Object.entries(step.later)) {
    const sentence = laterSentences[reason];
    if (sentence) add(sentence, people);
  }
  const subject = isChannel(step.type as Channel) ? subjects[step.type as Channel] : `step ${step.stepId}`;
  return [...groups.values()].map(({ sentence: { code, level, one, many, rest }, people }) => ({
    code,
    level,
    sentence: `${counted(people)} ${people === 1 ? one : many} ${rest(subject)}${suffix}`,
    people,
  }));
}

/** A step that was not sent, in the past: "412 people had no email address". */
export function causeSentence(cause: { reason: string; type: string; people: number; example: string | null }): string {
  const { reason, type, people, example } = cause;
  const subject = isChannel(type as Channel) ? subjects[type as Channel] : "message";
  const past = pastSentences[reason];
  if (past) return `${peopleText(people)} ${past(people === 1)}`;
  const text = textOf(reason);
  return `${peopleText(people)} did not get the ${subject}: ${text}${example ? `, such as "${example}"` : ""}`;
}

const textOf = (reason: string): string => {
  const { text } = findEntry({ d: reason }) ?? { text: reason.replaceAll("_", " ") };
  return text.charAt(0).toLowerCase() + text.slice(1);
};

const had = (what: string) => () => `had ${what}`;
const were = (what: string) => (isOne: boolean) => `${isOne ? "was" : "were"} ${what}`;
const pastSentences: Readonly<Record<string, ((isOne: boolean) => string) | undefined>> = {
  no_email: had("no email address"),
  no_phone: had("no phone number"),
  no_device_tokens: had("no device for push messages"),
  no_chat_channel: had("no chat channel"),
  no_webhook_url: had("no address of a chat channel"),
  recipient_suppressed: were("suppressed"),
  attention_rolled_up: were("over their budget and get it in the roll-up"),
  attention_dropped: were("over their budget and did not get it"),
  filtered_by_subscriber_global: had("switched it off"),
  filtered_by_subscriber_category: had("switched it off"),
  filtered_by_subscriber_workflow: had("switched it off"),
  held_out: were("held out by an experiment"),
};

const otherSentence = (outcome: string): Sentence => {
  const level = findEntry({ d: outcome })?.status === "Failed" ? "warning" : "ok";
  return getNot(outcome, level, (subject) => `the ${subject}: ${textOf(outcome)}`);
};

function unsubscribeItem({ mails: { total, withLink, hasAddress } }: CheckState): BroadcastCheckItem[] {
  if (total === 0) return [];
  if (withLink === total) {
    return [{ code: "unsubscribe", level: "ok", sentence: "The unsubscribe link is present" }];
  }
  const people = total - withLink;
  const where = withLink === 0 ? "" : ` in ${counted(people)} of ${counted(total)} emails`;
  const fix = hasAddress ? "people cannot switch the category off" : "TIDINGS_PUBLIC_URL is not set";
  return [
    { code: "unsubscribe", level: "warning", sentence: `The unsubscribe link is missing${where}: ${fix}`, people },
  ];
}

/** "17 links, 1 returns 404: https://…" */
function linkItem({ links }: CheckState): BroadcastCheckItem[] {
  if (!links || links.count === 0) return [];
  const all = `${counted(links.count)} ${links.count === 1 ? "link" : "links"}`;
  if (links.faults.length === 0) {
    const sentence = links.count === 1 ? `${all}, which works` : `${all}, all of them work`;
    return [{ code: "links", level: "ok", sentence }];
  }
  const parts = [...Map.groupBy(links.faults, ({ problem }) => problem)].map(([problem, own]) =>
    [counted(own.length), own.length === 1 ? problem : plural(problem)].join(" "),
  );
  const named = links.faults.slice(0, 3).map(({ url }: LinkFault) => url);
  return [{ code: "links", level: "warning", sentence: `${all}, ${parts.join(", ")}: ${named.join(" ")}` }];
}

/** "returns 404", "return 404". */
const plural = (problem: string): string => problem.replace(/^returns /, "return ").replace(/^does not /, "do not ");
