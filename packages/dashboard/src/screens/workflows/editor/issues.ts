// Everything that is wrong with a draft, by step and field: issues of the saved steps, what the service refused at the
// last save, and errors of templates from the preview. Each holds as long as its field keeps the value that it was
// found with. Pure.
import type { PreviewFault, Workflow } from "@tidings/contract";
import { isSame } from "../../../kit/is-same.ts";
import { maxSteps } from "../../../steps/facts.gen.ts";
import { type Draft, valueAt } from "./model.ts";
import { words } from "./words.ts";

export type Refusal = { key: string; path: string; message: string; value: unknown };
export type Faults = { key: string; faults: readonly PreviewFault[] } | null;

export type Issues = {
  /** `path`: such as `name` or `controlValues.subject`. */
  of: (key: string, path: string) => string | undefined;
  /** Errors with a place in the text of a field. */
  faultsOf: (key: string, path: string) => readonly PreviewFault[] | undefined;
  /** What belongs to no field of the step: a missing integration. */
  notesOf: (key: string) => string[];
  countOf: (key: string) => number;
};

type Found = { key: string; path: string; message: string };

export function collectIssues(
  workflow: Workflow,
  base: Draft,
  draft: Draft,
  refusals: readonly Refusal[],
  preview: Faults,
): Issues {
  const stepOf = (from: Draft, key: string) => from.steps.find((step) => step.key === key);
  const saved = workflow.steps.flatMap(({ _id, issues }): Found[] =>
    Object.entries(issues?.controls ?? {}).flatMap(([name, list]) => {
      const path = `controlValues.${name}`;
      const isUnchanged = isSame(valueAt(stepOf(base, _id), path), valueAt(stepOf(draft, _id), path));
      const message = list.map((issue) => issue.message).join(". ");
      return isUnchanged && message !== "" ? [{ key: _id, path, message }] : [];
    }),
  );
  const refused = refusals.filter(({ key, path, value }) => isSame(valueAt(stepOf(draft, key) ?? draft, path), value));
  const faults = (preview?.faults ?? []).map(
    ({ field, message, line, column }): Found => ({
      key: preview!.key,
      path: `controlValues.${field}`,
      message:
        line === undefined ? message : `${message} (line ${line}${column === undefined ? "" : `, column ${column}`})`,
    }),
  );
  const found: Found[] = [...refused, ...faults, ...saved];
  const missingOf = (key: string) =>
    Object.values(workflow.steps.find(({ _id }) => _id === key)?.issues?.integration ?? {}).flat();
  return {
    of: (key, path) => found.find((one) => one.key === key && one.path === path)?.message,
    faultsOf: (key, path) => (preview?.key === key ? preview.faults.filter(({ field }) => field === path) : undefined),
    notesOf: (key) => missingOf(key).map(({ message }) => message),
    countOf: (key) =>
      new Set(found.filter((one) => one.key === key).map(({ path }) => path)).size +
      missingOf(key).filter(({ severity }) => severity === "error").length,
  };
}

export type Problem = { stepId: string; path: string; text: string };

/** Errors of a saved workflow, each as a line that names its step; a warning is none. */
export function problemsOf(workflow: Workflow): Problem[] {
  return workflow.steps.flatMap(({ stepId, name, issues }) => {
    const entries = [...Object.entries(issues?.controls ?? {}), ...Object.entries(issues?.integration ?? {})];
    return entries.flatMap(([path, list]) =>
      list
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => ({ stepId, path, text: `${name}: ${message}` })),
    );
  });
}

/** The validator counts elements; people count steps. */
const readable = (field: string, message: string, { steps }: Draft): string =>
  field === "steps" && steps.length > maxSteps ? words.tooManySteps(maxSteps, steps.length) : message;

/**
 * The fields of a 422, such as `steps.0.controlValues.amount`, as refusals; `rest` belongs to no field of the editor.
 */
export function readRefusals(fields: Readonly<Record<string, string>>, sent: Draft): Refusal[] {
  return Object.entries(fields).map(([field, message]) => {
    const [, index, path = ""] = /^steps\.(\d+)(?:\.(.*))?$/.exec(field) ?? [];
    const step = index === undefined ? undefined : sent.steps[Number(index)];
    if (!step) return { key: "", path: field, message: readable(field, message, sent), value: valueAt(sent, field) };
    return { key: step.key, path: path || "name", message, value: valueAt(step, path || "name") };
  });
}
