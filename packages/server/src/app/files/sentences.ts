// A change in the words of those who will notice it: subscribers get other messages, events are refused, a wait is
// longer. Pure.
import type { ChangedField, Objectives, StepChange, StepFile, WorkflowFile } from "@tidings/contract";
import { canonicalJson, isObject, type JsonObject } from "../../lib/json.ts";
import { classSentence, prioritySentence } from "../../pipeline/attention/message-class.ts";
import { objectiveTexts } from "../../pipeline/rules/objectives.ts";
import { type BothSteps, flowChange, placeOf } from "../workflows/changes/flow-changes.ts";
import type { Texts } from "./file-forms.ts";

const typeWords: Record<string, string> = {
  in_app: "in-app",
  sms: "SMS",
  http_request: "HTTP request",
  start_workflow: "start-workflow",
  update_subscriber: "update-subscriber",
};
const typeWord = (type: string): string => typeWords[type] ?? type;

const maxValueLength = 60;

/** A value as part of a sentence; null when it is too long or has structure. */
function shortValue(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return "nothing";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return value.length <= maxValueLength && !value.includes("\n") ? `“${value}”` : null;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    const text = value.join(", ");
    return text.length <= maxValueLength ? text : null;
  }
  return null;
}

function changeOf(what: string, { before, after }: ChangedField): string {
  const [from, to] = [shortValue(before), shortValue(after)];
  if (to === null) return `${what} changes`;
  return from === null || from === "nothing" ? `${what} becomes ${to}` : `${what} becomes ${to}, was ${from}`;
}

const isCritical = (value: unknown): boolean => isObject(value) && isObject(value.all) && value.all.readOnly === true;

const settingWords: Record<string, (field: ChangedField) => string> = {
  name: (field) => changeOf("The name", field),
  description: (field) => changeOf("The description", field),
  tags: ({ after }) =>
    (after as string[] | null)?.length ? `The tags become ${(after as string[]).join(", ")}` : "The tags are removed",
  active: ({ after }) =>
    after === true
      ? "It becomes active: events are processed"
      : "It becomes inactive: events for it notify no subscriber",
  severity: (field) => changeOf("The severity", field),
  validatePayload: ({ after }) =>
    after === true
      ? "Events whose payload does not fit the schema are refused"
      : "Payloads are no longer checked against the schema",
  payloadSchema: ({ before, after }) =>
    after === null
      ? "The payload schema is removed"
      : before === null
        ? "It gets a payload schema"
        : "The payload schema changes",
  outsideSchedule: ({ after }) =>
    after === "skip"
      ? "Outside a subscriber's schedule, messages are skipped"
      : "Outside a subscriber's schedule, messages wait for it",
  onUnknownOutcome: ({ after }) =>
    after === "may_delay"
      ? "When it is unknown whether a provider sent a message, the message may come late, and not twice"
      : "When it is unknown whether a provider sent a message, the message may come twice",
  searchKeys: ({ after }) =>
    (after as string[] | null)?.length
      ? `Events can be searched by ${(after as string[]).join(", ")}`
      : "The search keys are removed",
  objectives: ({ after }) => {
    const texts = objectiveTexts(after as Objectives | null);
    return texts.length > 0 ? `Its objective becomes: ${texts.join(", ")}` : "Its objectives are removed";
  },
  categoryId: ({ after }) =>
    typeof after === "string"
      ? `It joins the category ${after}: choices and defaults of the category apply`
      : "It leaves its category: choices of subscribers for the category no longer apply",
  isCommercial: ({ after }) =>
    after === true
      ? "It becomes commercial: its mails always have the headers to unsubscribe"
      : "It is no longer commercial",
  messageClass: ({ after }) => classSentence(after),
  priority: ({ after }) => prioritySentence(after),
  isTranslationEnabled: ({ after }) =>
    after === true ? "Texts are taken from its translations" : "Its translations are no longer used",
  "preferences.default": preferenceSentence,
  "preferences.user": preferenceSentence,
};

function preferenceSentence({ before, after }: ChangedField): string {
  if (isCritical(after) !== isCritical(before))
    return isCritical(after) ? "Subscribers can no longer switch it off" : "Subscribers can switch it off";
  return "The channels that are on without a choice of the subscriber change";
}

export const settingSentences = (fields: ChangedField[]): string[] =>
  fields.map((field) => settingWords[field.field]?.(field) ?? changeOf(field.field, field));

const fieldNames: Record<string, string> = {
  subject: "the subject",
  body: "the text",
  layoutId: "the layout",
  skip: "the condition to skip it",
  filters: "its conditions",
  primaryAction: "the first button",
  secondaryAction: "the second button",
  redirect: "the link",
  avatar: "the picture",
};

function stepFieldSentence(field: ChangedField): string {
  const name = field.field.replace(/^controlValues\./, "");
  if (name === "active") return field.after === true ? "is switched on" : "is switched off";
  if (name === "shouldStopOnFail")
    return field.after === true
      ? "a failure cancels the steps behind it"
      : "a failure no longer stops the steps behind it";
  // Texts are long, and both are in the response: a sentence with half of one says little.
  if (name === "body") return "the text changes";
  return changeOf(fieldNames[name] ?? name, field);
}

/** `1 day`, `2 days`. */
const lengthText = (amount: unknown = "?", unit: unknown = ""): string =>
  `${amount} ${amount === 1 ? String(unit).replace(/s$/, "") : unit}`.trim();

const lengthFields = ["controlValues.amount", "controlValues.unit"];

/** `steps`: the steps after the change, and before it. */
export function stepSentences(changes: StepChange[], both: BothSteps): string[] {
  const { before, after } = both;
  const find = (steps: BothSteps["after"], id: string): JsonObject => steps.find(({ stepId }) => stepId === id) ?? {};
  return changes.map(({ kind, stepId, type, toIndex = 0, hasMoved, fields }) => {
    const step = `${typeWord(type)} step ${stepId}`;
    const previous = after[toIndex - 1]?.stepId;
    const place = previous === undefined ? "as the first step" : `after ${String(previous)}`;
    if (kind === "added") {
      const arm = placeOf(after[toIndex]!, after);
      return `New ${step}, ${place}${arm === null ? "" : `, in ${arm}`}`;
    }
    if (kind === "removed") return `The ${step} is removed`;
    if (kind === "moved") return `The ${step} moves: it comes ${place}`;
    const lengths = fields.filter(({ field }) => lengthFields.includes(field));
    const parts = fields
      .filter((field) => !lengths.includes(field))
      .flatMap((field) => flowChange(type, field, both) ?? [stepFieldSentence(field)]);
    if (lengths.length > 0) {
      const lengthOf = ({ controlValues }: JsonObject) =>
        isObject(controlValues) ? lengthText(controlValues.amount, controlValues.unit) : "?";
      parts.unshift(`it lasts ${lengthOf(find(after, stepId))}, was ${lengthOf(find(before, stepId))}`);
    }
    if (hasMoved) parts.push(`it comes ${place}`);
    return `The ${step}: ${parts.join("; ")}`;
  });
}

export function textSentences(before: Texts, after: Texts): string[] {
  const locales = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return locales.flatMap((locale) => {
    if (!Object.hasOwn(after, locale)) return [`The texts in ${locale} are removed`];
    if (!Object.hasOwn(before, locale)) return [`New texts in ${locale}`];
    return canonicalJson(before[locale]) === canonicalJson(after[locale]) ? [] : [`The texts in ${locale} change`];
  });
}

/** "in-app → branch (pro: email | else: SMS) → chat". */
function wayText(steps: readonly StepFile[], arm?: string): string {
  const own = steps.filter((step) => step.arm === arm);
  return own
    .map(({ stepId, type }) => {
      if (type !== "branch") return typeWord(type);
      const inside = steps.flatMap((step) => (step.arm?.startsWith(`${stepId}/`) ? [step.arm] : []));
      const arms = [...new Set(inside)].map((name) => `${name.slice(stepId.length + 1)}: ${wayText(steps, name)}`);
      return arms.length > 0 ? `branch (${arms.join(" | ")})` : "branch";
    })
    .join(" → ");
}

export function newWorkflowSentences({ steps, active, translations = {} }: WorkflowFile): string[] {
  const way = wayText(steps) || "no steps";
  const locales = Object.keys(translations);
  return [
    `New workflow: ${way}`,
    ...(locales.length > 0 ? [`With texts in ${locales.join(", ")}`] : []),
    ...(active === false ? ["It is not active: events for it notify no subscriber"] : []),
  ];
}
