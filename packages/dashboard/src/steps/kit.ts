// What the files of step types share: the shape of a type in the editor, and the fields and words that several of them
// use.
import { cronText } from "../fields/cron.ts";
import type { ValueSpec } from "../fields/value-spec.ts";

export type Values = Record<string, unknown>;

export type FieldSpec = ValueSpec & {
  path: string;
  /** What a new step has: it does not count as set. */
  usual?: string;
  /** Only for these kinds of the step (`type` among its values). */
  of?: readonly string[];
  /** Only where this flag is set. */
  needs?: string;
  /** Below "More settings". */
  isMore?: boolean;
  /** Next to the field before it. */
  isBeside?: boolean;
};

export type EditorStep = {
  /** A name of icons.tsx, which only the browser's build can load: where it is drawn, it is checked. */
  icon: string;
  /** The form. A test compares the paths with the controls of the contract, which the browser does not load. */
  fields: readonly FieldSpec[];
  /** More than a list of fields: drawn by screens/workflows/forms. */
  hasOwnForm?: true;
  /** The values of a new step. */
  startValues?: Values;
  /** One line for the outline and the canvas. */
  summary: (values: Values) => string;
  /** For a wait: its end, on a timeline. */
  ends?: string;
  /** A result for the previews of later steps, where templates need one to show anything. */
  sampleResult?: (payload: object, eventCount: number, values: Values) => Values;
};

export const defineStep = (step: EditorStep): EditorStep => step;

export const units = {
  seconds: "seconds",
  minutes: "minutes",
  hours: "hours",
  days: "days",
  weeks: "weeks",
  months: "months",
};

export const title: FieldSpec = { path: "subject", label: "Title", kind: "line" };
export const text: FieldSpec = { path: "body", label: "Text", kind: "text" };
export const rawHtml: FieldSpec = {
  path: "disableOutputSanitization",
  label: "Skip HTML sanitising",
  hint: "Scripts and unknown tags are not removed. Use this only for content that no recipient or caller can influence.",
  kind: "flag",
  isMore: true,
};

/** Which kind of the step it is (`type` among its values); the first one is meant where it is absent. */
export const kindOf = (label: string, kinds: Readonly<Record<string, string>>): FieldSpec => ({
  path: "type",
  label,
  kind: "choice",
  choices: kinds,
  fallback: Object.keys(kinds)[0],
});

/** An amount and its unit, at `amount` and `unit` below `path`. */
export const span = (path: string, of: string[], choices: Readonly<Record<string, string>> = units): FieldSpec[] => [
  { path: `${path}amount`, label: "Amount", kind: "amount", of },
  { path: `${path}unit`, label: "Unit", kind: "choice", choices, of, isBeside: true },
];

export const cron: FieldSpec = {
  path: "cron",
  label: "Time",
  hint: "In the recipient's time zone",
  kind: "cron",
  of: ["timed"],
};

export const timeKey: FieldSpec = {
  path: "dynamicKey",
  label: "Date field in the payload",
  hint: "The payload path of a date or a number of seconds, such as payload.startsAt",
  kind: "plain",
  isPath: true,
  of: ["dynamic"],
};

export const extend: FieldSpec = {
  path: "extendToSchedule",
  label: "Then wait for the recipient's schedule",
  kind: "flag",
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** "1 hour", or what the wait ends with; empty where nothing is chosen yet. */
export function timeOf({ type, cron: expression, dynamicKey, amount, unit }: Values): string {
  if (type === "timed") return cronText(textOf(expression)) ?? textOf(expression);
  if (type === "dynamic") return textOf(dynamicKey);
  if (amount === undefined) return "";
  return `${amount} ${amount === 1 ? String(unit ?? "").replace(/s$/, "") : (unit ?? "")}`;
}

export const summarizeWait = (values: Values): string => timeOf(values) || "no time yet";

/** The subject, or the text without its tags. */
export function summarizeContent({ subject, body }: Values): string {
  const line =
    textOf(subject) ||
    textOf(body)
      .replace(/<[^<>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim();
  return line === "" ? "no content yet" : line.slice(0, 120);
}
