// What differs between two contents of a workflow or layout, as sentences about what people will notice. Pure. The
// comparison itself is version-diff.ts.
import {
  armsAround,
  type ChangedField,
  type Objectives,
  type StepChange,
  type StepType,
  stepDefinitions,
} from "@tidings/contract";
import { canonicalJson, type JsonObject } from "../../lib/json.ts";
import { classSentence, prioritySentence } from "../../pipeline/attention/message-class.ts";
import { objectiveTexts } from "../../pipeline/rules/objectives.ts";
import type { StoredLayout, StoredStep } from "../../store/tables.ts";
import { type BothSteps, flowChange, placeOf } from "./changes/flow-changes.ts";
import { diffContents, type VersionContent } from "./version-diff.ts";

/** Texts by locale. */
type Texts = Record<string, JsonObject>;
type Both<T> = { before: T; after: T };

const maxSentences = 40;
const maxQuoted = 70;

export function describeWorkflow(
  { before, after }: Both<VersionContent | null>,
  texts: Both<Texts> = { before: {}, after: {} },
): string[] {
  if (!after) return ["The workflow is deleted, and its runs in progress are canceled"];
  if (!before) return describeAdded(after, texts.after);
  const { settings, steps } = diffContents(before, after);
  return limit([
    ...settings.flatMap(describeSetting),
    ...steps.flatMap((change) =>
      describeStep(change, { before: before.definition.steps, after: after.definition.steps }),
    ),
    ...describeTexts(texts),
  ]);
}

export function describeLayout(
  { before, after }: Both<StoredLayout | null>,
  texts: Both<Texts> = { before: {}, after: {} },
): string[] {
  if (!after) return ["The layout is deleted"];
  if (!before) return ["The layout is added", ...describeTexts(texts)];
  const isSame = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);
  return limit([
    ...(before.name === after.name ? [] : describeChange("Name", before.name, after.name)),
    ...(isSame(before.control_values, after.control_values)
      ? []
      : ["The frame changes around every email that uses this layout"]),
    ...(before.is_translation_enabled === after.is_translation_enabled
      ? []
      : [`Translation is turned ${after.is_translation_enabled ? "on" : "off"}`]),
    ...describeTexts(texts),
  ]);
}

function limit(sentences: string[]): string[] {
  if (sentences.length <= maxSentences) return sentences;
  return [...sentences.slice(0, maxSentences - 1), `And ${sentences.length - maxSentences + 1} more changes`];
}

function describeAdded({ definition: { steps }, settings }: VersionContent, texts: Texts): string[] {
  const names = steps.map((step, index) => nameWithWait(step, steps, index)).join(", ");
  return [
    steps.length === 0 ? "The workflow is added, without steps" : `The workflow is added: ${names}`,
    ...(settings?.active === false ? ["It is turned off: events of it are refused"] : []),
    ...describeTexts({ before: {}, after: texts }),
  ];
}

function describeTexts({ before, after }: Both<Texts>): string[] {
  const locales = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const named = (verb: string, isMatch: (locale: string) => boolean) => {
    const found = locales.filter(isMatch);
    return found.length > 0 ? [`Translations are ${verb}: ${found.join(", ")}`] : [];
  };
  return [
    ...named("added", (locale) => !before[locale]),
    ...named("removed", (locale) => !after[locale]),
    ...named("changed", (locale) => {
      const [old, next] = [before[locale], after[locale]];
      return old !== undefined && next !== undefined && canonicalJson(old) !== canonicalJson(next);
    }),
  ];
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";
const isShort = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && !value.includes("\n"));

function quote(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return `“${value.length > maxQuoted ? `${value.slice(0, maxQuoted)}…` : value}”`;
}

function describeChange(what: string, before: unknown, after: unknown): string[] {
  if (isEmpty(after)) return [isShort(before) ? `${what} is removed: it was ${quote(before)}` : `${what} is removed`];
  if (isEmpty(before)) return [isShort(after) ? `${what} is set to ${quote(after)}` : `${what} is added`];
  return [
    isShort(before) && isShort(after) ? `${what} changes from ${quote(before)} to ${quote(after)}` : `${what} changes`,
  ];
}

const settingNames: Record<string, string> = {
  name: "Name",
  description: "Description",
  severity: "Severity",
  workflowId: "Identifier",
  origin: "Origin",
  payloadSchema: "The schema of the payload",
  "preferences.default": "The default of the preferences",
  "preferences.user": "The preferences that the team set",
};

const settingSentences: Record<string, (after: unknown) => string> = {
  active: (after) => (after ? "The workflow is turned on" : "The workflow is turned off: events of it are refused"),
  validatePayload: (after) =>
    after ? "Events are refused when their payload does not fit the schema" : "Payloads are no longer checked",
  isTranslationEnabled: (after) => `Translation is turned ${after ? "on" : "off"}`,
  outsideSchedule: (after) =>
    after === "skip"
      ? "Outside a person's schedule, messages are skipped instead of held"
      : "Outside a person's schedule, messages wait instead of being skipped",
  searchKeys: (after) => {
    const keys = (after ?? []) as string[];
    return keys.length > 0 ? `Events can be searched by ${keys.map(quote).join(", ")}` : "Search keys are removed";
  },
  objectives: (after) => {
    const texts = objectiveTexts(after as Objectives | null);
    return texts.length > 0 ? `The objective becomes: ${texts.join(", ")}` : "Objectives are removed";
  },
  categoryId: (after) =>
    typeof after === "string" ? `It joins the category ${quote(after)}` : "It leaves its category",
  isCommercial: (after) =>
    after ? "Its mails always have the headers to unsubscribe" : "It is no longer marked as commercial",
  messageClass: classSentence,
  priority: prioritySentence,
  onUnknownOutcome: (after) =>
    after === "may_delay"
      ? "When a provider does not respond, the message is not sent again"
      : "When a provider does not respond, the message is sent again",
};

function describeSetting({ field, before, after }: ChangedField): string[] {
  const sentence = settingSentences[field];
  if (sentence) return [sentence(after)];
  if (field === "tags") return describeTags((before ?? []) as string[], (after ?? []) as string[]);
  return describeChange(settingNames[field] ?? `Setting ${field}`, before, after);
}

function describeTags(before: string[], after: string[]): string[] {
  const list = (tags: string[]) => tags.map(quote).join(", ");
  const [added, removed] = [after.filter((tag) => !before.includes(tag)), before.filter((tag) => !after.includes(tag))];
  return [
    ...(added.length > 0 ? [`Tags are added: ${list(added)}`] : []),
    ...(removed.length > 0 ? [`Tags are removed: ${list(removed)}`] : []),
  ];
}

function typeNameOf(type: StepType): string {
  const { label, kind } = stepDefinitions[type];
  return kind === "custom" ? `${label} step` : label;
}

type Named = { name: string; type: StepType };

/** "Email", or `Email “Receipt”` where the step has its own name. */
function nameOf({ name, type }: Named): string {
  const typeName = typeNameOf(type);
  return name.toLowerCase() === typeName.toLowerCase() ? typeName : `${typeName} ${quote(name)}`;
}

type Values = Record<string, unknown>;

/** "1 hour", or when the wait ends; empty where that is not known. */
function spanOf({ type, amount, unit, cron, dynamicKey }: Values): string {
  if (type === "timed") return isEmpty(cron) ? "" : `until ${quote(cron)}`;
  if (type === "dynamic") return isEmpty(dynamicKey) ? "" : `until the time in ${String(dynamicKey)}`;
  if (isEmpty(amount)) return "";
  const word = String(unit ?? "");
  return `${String(amount)} ${amount === 1 ? word.replace(/s$/, "") : word}`;
}

const isWait = ({ type }: Pick<StoredStep, "type">): boolean => stepDefinitions[type].kind === "wait";

/** "SMS after 1 hour": with the waits before it, except those on other arms. */
function nameWithWait(step: StoredStep, steps: readonly StoredStep[], index: number): string {
  const own = spanOf(step.controlValues);
  if (isWait(step) || stepDefinitions[step.type].kind === "gate")
    return own === "" ? nameOf(step) : `${nameOf(step)} (${step.type === "wait" ? "up to " : ""}${own})`;
  const around = new Set(armsAround(steps, index).map(({ branch, arm }) => `${branch}/${arm}`));
  const isOnWay = ({ arm }: StoredStep) => arm === undefined || around.has(arm);
  const waits = steps.slice(0, index).filter((one) => isWait(one) && isOnWay(one));
  const spans = waits
    .map(({ type, controlValues }) => ({ type, span: spanOf(controlValues) }))
    .flatMap(({ type, span }) => (span === "" ? [] : [type === "wait" ? `up to ${span}` : span]));
  return spans.length > 0 ? `${nameOf(step)} after ${spans.join(" and ")}` : nameOf(step);
}

function describeStep(change: StepChange, both: BothSteps): string[] {
  const { kind, fromIndex, toIndex, hasMoved, fields } = change;
  if (kind === "removed") return [`A step is removed: ${nameOf(change)}`];
  const steps = both.after;
  const step = steps[toIndex!]!;
  if (kind === "added") {
    const place = placeOf(step, steps);
    return [`A step is added: ${nameWithWait(step, steps, toIndex!)}${place === null ? "" : `, in ${place}`}`];
  }
  const moved = hasMoved ? [`${nameOf(change)} moves from place ${fromIndex! + 1} to place ${toIndex! + 1}`] : [];
  const { wait = [], other = [] } = Object.groupBy(fields, ({ field }) => (waitFields.has(field) ? "wait" : "other"));
  return [
    ...moved,
    ...describeWait(step, wait),
    ...other.flatMap(
      (field) =>
        flowChange(change.type, field, both)?.map((predicate) => `${nameOf(change)} ${predicate}`) ??
        describeField(nameOf(change), change, field),
    ),
  ];
}

const waitFields = new Set(["type", "amount", "unit", "cron", "dynamicKey"].map((name) => `controlValues.${name}`));

function describeWait(step: StoredStep, changed: ChangedField[]): string[] {
  if (changed.length === 0) return [];
  const old = Object.fromEntries(changed.map(({ field, before }) => [field.slice("controlValues.".length), before]));
  const [before, after] = [spanOf({ ...step.controlValues, ...old }), spanOf(step.controlValues)];
  return [`${nameOf(step)} changes from ${before || "no time"} to ${after || "no time"}`];
}

const fieldNames: Record<string, string> = {
  "controlValues.subject": "subject",
  "controlValues.body": "body",
  "controlValues.avatar": "avatar",
  "controlValues.redirect": "link",
  "controlValues.primaryAction": "first button",
  "controlValues.secondaryAction": "second button",
  "controlValues.data": "data",
  "controlValues.digestKey": "grouping",
  "controlValues.lookBackWindow": "look-back window",
  "controlValues.frequencies": "list of frequencies",
  "controlValues.threshold": "limit",
  "controlValues.throttleKey": "grouping",
  "controlValues.custom": "values",
  deadlineSeconds: "time limit in seconds",
  stepId: "identifier",
};

function describeField(name: string, { type }: Named, { field, before, after }: ChangedField): string[] {
  switch (field) {
    case "name":
      return [`${typeNameOf(type)} ${quote(before)} is called ${quote(after)} now`];
    case "active":
      return [`${name} is turned ${after ? "on" : "off"}`];
    case "shouldStopOnFail":
      return [after ? `When ${name} fails, later steps are canceled` : `When ${name} fails, later steps continue`];
    case "controlValues.skip":
    case "filters":
      if (isEmpty(before)) return [`${name} gets a condition`];
      return [isEmpty(after) ? `${name} loses its condition: it runs always` : `The condition of ${name} changes`];
    case "controlValues.allowFrequencyChoice":
      return [
        after === true ? `${name} lets subscribers choose how often` : `${name} no longer lets subscribers choose`,
      ];
    case "controlValues.layoutId":
      return [`${name} uses ${isEmpty(after) ? "the default layout" : `the layout ${quote(after)}`} now`];
    default:
      return describeChange(`${name} ${fieldNames[field] ?? field.replace("controlValues.", "")}`, before, after);
  }
}
