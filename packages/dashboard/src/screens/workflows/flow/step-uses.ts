// Where the steps of a workflow read the result of another one, as `steps.<stepId>`: in templates, conditions and keys.
// Pure.
import type { Draft, DraftStep, Values } from "../editor/model.ts";

/** A place, such as `subject` of the step Email. */
export type StepUse = { key: string; name: string; path: string };

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** `steps.mail`, `steps["mail"]` and `steps['mail']`, but not `steps.mail-2`. */
function usesOf(stepIds: readonly string[]): RegExp {
  // The longest first: an identifier may begin with another one and a dot.
  const names = stepIds
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join("|");
  return new RegExp(`\\bsteps(?:\\.(${names})(?![\\w-])|\\[(["'])(${names})\\2\\])`, "g");
}

/** The values with every text changed; the same object where none is. */
export function withTexts<T>(value: T, change: (text: string, path: string) => string, path = ""): T {
  if (typeof value === "string") return change(value, path) as T;
  if (typeof value !== "object" || value === null) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([name, member]) => {
    const next = withTexts(member, change, path ? `${path}.${name}` : name);
    isChanged ||= next !== member;
    return [name, next] as const;
  });
  if (!isChanged) return value;
  return (Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries)) as T;
}

/** Where other steps use this identifier. A condition is one place. */
export function findUses(steps: readonly DraftStep[], stepId: string): StepUse[] {
  if (stepId === "") return [];
  const pattern = usesOf([stepId]);
  return steps.flatMap(({ key, name, controlValues }) => {
    const paths = new Set<string>();
    withTexts(controlValues, (text, path) => {
      if (text.search(pattern) !== -1) paths.add(/^(?:skip|arms)\./.exec(path)?.[0].slice(0, -1) ?? path);
      return text;
    });
    return [...paths].map((path) => ({ key, name, path }));
  });
}

/** With all uses of identifiers changed to other ones. */
export function withRenamed(steps: readonly DraftStep[], names: ReadonlyMap<string, string>): DraftStep[] {
  if (names.size === 0) return [...steps];
  const pattern = usesOf([...names.keys()]);
  const change = (text: string) =>
    text.replace(pattern, (_use: string, plain?: string, quote = "", quoted = "") =>
      plain === undefined ? `steps[${quote}${names.get(quoted)}${quote}]` : `steps.${names.get(plain)}`,
    );
  return steps.map((step) => {
    const controlValues: Values = withTexts(step.controlValues, change);
    return controlValues === step.controlValues ? step : { ...step, controlValues };
  });
}

export const renameUses = (draft: Draft, from: string, to: string): Draft => ({
  ...draft,
  steps: withRenamed(draft.steps, new Map([[from, to]])),
});
