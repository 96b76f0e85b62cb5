// What each step type takes, as fields of a form. A test compares the paths with the schemas of the contract
// (packages/contract/src/resources/workflows/step-controls.ts), which the browser does not load.
import type { StepType } from "@tidings/contract";
import { type Values, valueAt } from "../editor/model.ts";
import { words } from "./words.ts";

type FieldKind = "line" | "text" | "html" | "plain" | "flag" | "amount" | "choice" | "layout" | "json";

export type FieldSpec = {
  path: string;
  label: string;
  kind: FieldKind;
  hint?: string;
  choices?: Readonly<Record<string, string>>;
  /** Meant where the value is absent. */
  fallback?: string;
  /** What a new step has: it does not count as set. */
  usual?: string;
  /** Only for these kinds of the step (`type` among its values). */
  of?: readonly string[];
  /** Below "More settings". */
  isMore?: boolean;
  /** Stands beside the field before it. */
  isBeside?: boolean;
};

const { fields: say, choices } = words;
const { units } = choices;
const throttleUnits = { minutes: units.minutes, hours: units.hours, days: units.days };
const body = (label: string): FieldSpec => ({ path: "body", label, kind: "text" });
const rawHtml: FieldSpec = {
  path: "disableOutputSanitization",
  label: say.rawHtml,
  hint: say.rawHtmlHint,
  kind: "flag",
  isMore: true,
};
const link = (path: string, label: string): FieldSpec[] => [
  { path: `${path}.url`, label, kind: "line", isMore: true },
  {
    path: `${path}.target`,
    label: say.target,
    kind: "choice",
    choices: choices.targets,
    fallback: "_self",
    isMore: true,
    isBeside: true,
  },
];
const button = (path: string, label: string): FieldSpec[] => [
  { path: `${path}.label`, label: `${label}: ${say.label.toLowerCase()}`, kind: "line", isMore: true },
  ...link(`${path}.redirect`, `${label}: ${say.address.toLowerCase()}`),
];
const kindOf = (label: string, kinds: Readonly<Record<string, string>>): FieldSpec => ({
  path: "type",
  label,
  kind: "choice",
  choices: kinds,
  fallback: Object.keys(kinds)[0],
});
const span = (path: string, choicesOfUnit: Readonly<Record<string, string>>, of: string[]): FieldSpec[] => [
  { path: `${path}amount`, label: say.amount, kind: "amount", of },
  { path: `${path}unit`, label: say.unit, kind: "choice", choices: choicesOfUnit, of, isBeside: true },
];
const cron: FieldSpec = { path: "cron", label: say.cron, hint: say.cronHint, kind: "plain", of: ["timed"] };
const timeKey: FieldSpec = {
  path: "dynamicKey",
  label: say.timeKey,
  hint: say.timeKeyHint,
  kind: "plain",
  of: ["dynamic"],
};
const extend: FieldSpec = { path: "extendToSchedule", label: say.extend, kind: "flag" };
const withHint = (field: FieldSpec, label: string, hint: string): FieldSpec => ({ ...field, label, hint });
const lookBack = span("lookBackWindow.", units, ["regular"]).map((field) => ({ ...field, isMore: true }));

export const stepFields: Readonly<Record<StepType, readonly FieldSpec[]>> = {
  in_app: [
    { path: "subject", label: say.title, kind: "line" },
    body(say.body),
    { path: "avatar", label: say.avatar, kind: "line", isMore: true },
    ...link("redirect", say.link),
    ...button("primaryAction", say.primary),
    ...button("secondaryAction", say.secondary),
    { path: "data", label: say.data, kind: "json", isMore: true },
    rawHtml,
  ],
  email: [
    { path: "subject", label: say.subject, kind: "line" },
    { path: "body", label: say.body, kind: "html" },
    { path: "layoutId", label: say.layout, kind: "layout" },
    {
      path: "editorType",
      label: say.editor,
      kind: "choice",
      choices: choices.editor,
      fallback: "block",
      usual: "html",
      isMore: true,
    },
    {
      path: "rendererType",
      label: say.renderer,
      kind: "choice",
      choices: choices.renderer,
      fallback: "html",
      isMore: true,
      isBeside: true,
    },
    rawHtml,
  ],
  sms: [body(say.text)],
  chat: [body(say.text)],
  push: [{ path: "subject", label: say.title, kind: "line" }, body(say.text)],
  delay: [kindOf(say.wait, choices.delay), ...span("", units, ["regular"]), cron, timeKey, extend],
  digest: [
    kindOf(say.collects, choices.digest),
    ...span("", units, ["regular"]),
    cron,
    { path: "digestKey", label: say.digestKey, hint: say.digestKeyHint, kind: "plain" },
    withHint(lookBack[0]!, say.lookBack, say.lookBackHint),
    lookBack[1]!,
    extend,
  ],
  throttle: [
    kindOf(say.windowKind, choices.throttle),
    ...span("", throttleUnits, ["fixed"]),
    timeKey,
    { path: "threshold", label: say.threshold, hint: say.thresholdHint, kind: "amount" },
    { path: "throttleKey", label: say.throttleKey, hint: say.throttleKeyHint, kind: "plain" },
  ],
  custom: [{ path: "custom", label: say.custom, kind: "json" }],
};

/** The fields that these values call for. */
export function fieldsFor(type: StepType, values: Values): FieldSpec[] {
  const kind = values.type ?? stepFields[type].find(({ path }) => path === "type")?.fallback;
  return stepFields[type].filter(({ of }) => of === undefined || of.includes(String(kind)));
}

export const isSet = (field: FieldSpec, values: Values): boolean => {
  const value = valueAt(values, field.path);
  return value !== undefined && value !== "" && value !== false && value !== (field.usual ?? field.fallback);
};
