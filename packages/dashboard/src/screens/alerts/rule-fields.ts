// The form of a rule: its fields as text, and the body that they become. Numbers that cannot be read stay text, so that
// the service says what is wrong.
import type { AlertKindName, AlertRule, AlertTargetIn } from "@tidings/contract";
import { words } from "./words.ts";

const text = words.rules;

/** `isOptional`: an empty field leaves the parameter out. `isSwitch`: on or off. `isList`: words between commas. */
type ParameterSpec = { name: string; start: string; isOptional?: boolean; isSwitch?: boolean; isList?: boolean };

const whichWorkflows: ParameterSpec = { name: "workflowIds", start: "", isOptional: true, isList: true };

/** The parameters of each kind, with what a new rule starts with. */
export const parameterSpecs: Record<AlertKindName, readonly ParameterSpec[]> = {
  integration_failing: [{ name: "forSeconds", start: "60" }],
  dead_letters: [
    { name: "moreThan", start: "10" },
    { name: "withinMinutes", start: "60", isOptional: true },
  ],
  queue_age: [{ name: "seconds", start: "120" }],
  webhook_failing: [{ name: "forMinutes", start: "15" }],
  source_failing: [{ name: "forMinutes", start: "5" }],
  workflow_objective: [
    whichWorkflows,
    { name: "fastBurn", start: "14.4", isOptional: true },
    { name: "slowBurn", start: "6", isOptional: true },
    { name: "atLeast", start: "20", isOptional: true },
  ],
  workflow_runaway: [
    whichWorkflows,
    { name: "factor", start: "10", isOptional: true },
    { name: "withinMinutes", start: "30", isOptional: true },
    { name: "atLeast", start: "1000", isOptional: true },
    { name: "atLeastWhenNew", start: "10000", isOptional: true },
    { name: "pause", start: "false", isSwitch: true },
  ],
  storage: [{ name: "freeMegabytes", start: "1024" }],
};

/** In the order of the form. */
export const kindsInOrder = Object.keys(parameterSpecs) as AlertKindName[];

export type QuietFields = { isOn: boolean; timezone: string; from: string; to: string; days: number[] };

export type RuleFields = {
  name: string;
  kind: AlertKindName;
  parameters: Record<string, string>;
  targets: AlertTargetIn[];
  quiet: QuietFields;
  /** Minutes; empty: an open alert is sent once. */
  repeat: string;
};

export const startParameters = (kind: AlertKindName): Record<string, string> =>
  Object.fromEntries(parameterSpecs[kind].map(({ name, start }) => [name, start]));

const weekdays = [1, 2, 3, 4, 5, 6, 7];

export function fieldsOf(rule: AlertRule | null, timezone: string): RuleFields {
  const quiet = rule?.quiet;
  return {
    name: rule?.name ?? "",
    kind: rule?.kind ?? "integration_failing",
    parameters: rule
      ? Object.fromEntries(
          parameterSpecs[rule.kind].map(({ name }) => [
            name,
            textOf((rule.parameters as Record<string, unknown>)[name]),
          ]),
        )
      : startParameters("integration_failing"),
    targets: rule?.targets.map(({ host: _, ...target }) => target) ?? [],
    quiet: quiet ? { isOn: true, ...quiet } : { isOn: false, timezone, from: "22:00", to: "07:00", days: weekdays },
    repeat: rule ? textOf(rule.repeatAfterMinutes) : "1440",
  };
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** A number if it is one, else the text: JSON has no other way to carry it to the service. */
const numberOf = (value: string): number => (/^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : (value as never));

function readParameter(value: string, { isSwitch, isList }: ParameterSpec): boolean | string[] | number {
  if (isSwitch) return value === "true";
  return isList ? value.split(/[,\s]+/).filter((word) => word !== "") : numberOf(value);
}

export const toBody = ({ name, kind, parameters, targets, quiet, repeat }: RuleFields) => ({
  name: name.trim(),
  parameters: Object.fromEntries(
    parameterSpecs[kind]
      .filter((spec) => !(spec.isOptional && parameters[spec.name]?.trim() === ""))
      .map((spec) => [spec.name, readParameter(parameters[spec.name] ?? "", spec)]),
  ) as AlertRule["parameters"],
  targets: targets.map(cleanTarget),
  quiet: quiet.isOn ? { timezone: quiet.timezone, days: quiet.days, from: quiet.from, to: quiet.to } : null,
  repeatAfterMinutes: repeat.trim() === "" ? null : numberOf(repeat),
});

/** Only the fields of its type: a person may have changed the type after filling in another's. */
function cleanTarget({ type, to, integrationIdentifier, url, secret }: AlertTargetIn): AlertTargetIn {
  if (type === "email") return { type, to: to ?? [], ...(integrationIdentifier && { integrationIdentifier }) };
  if (type === "webhook") return { type, url: url?.trim() ?? "", ...(secret && { secret }) };
  return type === "slack" ? { type, url: url?.trim() ?? "" } : { type };
}

/** "60 s", "more than 10, within 60 min": what a rule of the list says about its parameters. */
export function describeParameters({ kind, parameters }: Pick<AlertRule, "kind" | "parameters">): string {
  const values = parameters as Record<string, unknown>;
  const shown = parameterSpecs[kind]
    .filter(({ name }) => values[name] !== undefined && values[name] !== false)
    .map(({ name }) => text.parameterNotes[name]?.(textOf(values[name])) ?? textOf(values[name]));
  return shown.join(", ");
}
