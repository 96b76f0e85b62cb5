// Compares two versions of one workflow by meaning. Pure: the diff that is shown and the summary that is stored with
// each save come from the same comparison.
import type { ChangedField, StepChange, VersionDiff } from "@tidings/contract";
import { canonicalJson, isObject, type JsonObject } from "../../lib/json.ts";
import type { StoredStep, VersionSettings, WorkflowDefinition } from "../../store/tables.ts";
import { completePreference } from "./workflow-view.ts";

/** The content of a version; `settings` is null in versions that were saved before it was kept. */
export type VersionContent = { definition: WorkflowDefinition; settings: VersionSettings | null };
type ContentDiff = Pick<VersionDiff, "settings" | "steps">;

export function diffContents(from: VersionContent, to: VersionContent): ContentDiff {
  return {
    settings: changedFields(settingsOf(from, to), settingsOf(to, from)),
    steps: stepChanges(from.definition.steps, to.definition.steps),
  };
}

/** Settings that one of the two versions did not keep are not compared. */
function settingsOf({ definition, settings }: VersionContent, other: VersionContent): JsonObject {
  const {
    steps,
    preferences,
    outsideSchedule,
    onUnknownOutcome,
    isTranslationEnabled,
    searchKeys,
    objectives,
    ...rest
  } = definition;
  return {
    ...rest,
    // As they are shown: a form sends back every channel, including those that were left out before.
    "preferences.user": preferences.user && completePreference(preferences.user),
    "preferences.default": completePreference(preferences.default),
    outsideSchedule: outsideSchedule ?? "hold",
    onUnknownOutcome: onUnknownOutcome ?? "may_duplicate",
    isTranslationEnabled: isTranslationEnabled ?? false,
    searchKeys: searchKeys ?? [],
    objectives: objectives ?? {},
    ...(settings && other.settings ? settings : {}),
  };
}

/** An empty text is not a text: a form sends one for the other, and nobody changed anything. */
const formOf = (value: unknown): string => canonicalJson(value === "" ? null : value);

function changedFields(before: JsonObject, after: JsonObject): ChangedField[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((change) => formOf(change.before) !== formOf(change.after));
}

/** The members of a step by name, those of its control values one by one. */
function fieldsOf({ id, controlValues, ...rest }: StoredStep): JsonObject {
  const controls = isObject(controlValues) ? Object.entries(controlValues) : [];
  return { ...rest, ...Object.fromEntries(controls.map(([name, value]) => [`controlValues.${name}`, value])) };
}

function stepChanges(from: StoredStep[], to: StoredStep[]): StepChange[] {
  const placeOf = new Map(from.map((step, index) => [step.id, index]));
  const staying = maxRise(to.flatMap((step) => placeOf.get(step.id) ?? []));
  const changes = to.flatMap((step, toIndex): StepChange[] => {
    const fromIndex = placeOf.get(step.id);
    const about = { stepId: step.stepId, name: step.name, type: step.type, toIndex };
    if (fromIndex === undefined) {
      return [{ kind: "added", ...about, hasMoved: false, fields: changedFields({}, fieldsOf(step)) }];
    }
    const fields = changedFields(fieldsOf(from[fromIndex]!), fieldsOf(step));
    const hasMoved = !staying.has(fromIndex);
    if (fields.length === 0 && !hasMoved) return [];
    return [{ kind: fields.length > 0 ? "changed" : "moved", ...about, fromIndex, hasMoved, fields }];
  });
  const kept = new Set(to.map((step) => step.id));
  const removed = from.flatMap((step, fromIndex): StepChange[] => {
    if (kept.has(step.id)) return [];
    const about = { stepId: step.stepId, name: step.name, type: step.type, fromIndex };
    return [{ kind: "removed", ...about, hasMoved: false, fields: changedFields(fieldsOf(step), {}) }];
  });
  return [...changes, ...removed];
}

/**
 * The longest part of the places that is in rising order: those steps stay, the others have moved. So a step that is
 * dragged from the first place to the last is the only one that moved. A workflow has at most 20 steps.
 */
function maxRise(places: number[]): ReadonlySet<number> {
  const best: number[][] = [];
  for (const place of places) {
    const before = best.filter((rise) => rise.at(-1)! < place).sort((a, b) => b.length - a.length)[0] ?? [];
    best.push([...before, place]);
  }
  return new Set(best.sort((a, b) => b.length - a.length)[0]);
}

const maxSummaryLength = 300;

const nameOf = (field: string): string => field.replace(/^controlValues\./, "");

/** Settings in words; `preferences.user` is an override of the team, which few know by its path. */
const settingWords: Record<string, string> = {
  workflowId: "identifier",
  validatePayload: "payload validation",
  payloadSchema: "payload schema",
  isTranslationEnabled: "translation",
  outsideSchedule: "quiet hours",
  onUnknownOutcome: "retry after a timeout",
  categoryId: "category",
  isCommercial: "commercial flag",
  messageClass: "message class",
  priority: "priority",
  "preferences.user": "preferences",
  "preferences.default": "default preferences",
};

/** The changes in a sentence, such as "Changed email: subject, body; added sms; changed name, default preferences". */
export function summarizeDiff({ settings, steps }: ContentDiff): string {
  const parts = steps.map(({ kind, stepId, fields }) =>
    kind === "changed"
      ? `changed ${stepId}: ${fields.map(({ field }) => nameOf(field)).join(", ")}`
      : `${kind} ${stepId}`,
  );
  const names = settings.map(({ field }) => (field === "active" ? undefined : (settingWords[field] ?? field)));
  const active = settings.find(({ field }) => field === "active");
  if (names.some(Boolean)) parts.push(`changed ${names.filter(Boolean).join(", ")}`);
  if (active) parts.push(active.after ? "turned on" : "turned off");
  const text = parts.join("; ") || "saved without changes";
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.length > maxSummaryLength ? `${whole.slice(0, maxSummaryLength - 1)}…` : whole;
}
