// Which layout an email gets. The first level that says something decides: the event's override for the step, for the
// channel, the old name of it, the step's own control, and at last the environment's default. `null` means none.
import { idFromSlug } from "../../lib/ids.ts";
import { isObject, valueAt } from "../../lib/json.ts";

export type Candidate = { id: string; layout_id: string; is_default: boolean };

export type LayoutChoice<L> = { layout: L | null } | { unknown: string };

export function chooseLayout<L extends Candidate>(
  layouts: readonly L[],
  step: { stepId: string; controlValues: Record<string, unknown> },
  overrides: Record<string, unknown> | null,
): LayoutChoice<L> {
  const ofSteps = overrides?.steps;
  const levels = [
    isObject(ofSteps) && Object.hasOwn(ofSteps, step.stepId) ? valueAt(ofSteps[step.stepId], "layoutId") : undefined,
    valueAt(overrides, "channels.email.layoutId"),
    overrides?.layoutIdentifier,
    step.controlValues.layoutId,
  ];
  const named = levels.find((level) => level !== undefined);
  if (named === null) return { layout: null };
  if (named === undefined) return { layout: layouts.find((layout) => layout.is_default) ?? null };
  const key = String(named);
  const id = idFromSlug(key, "lt");
  const layout =
    layouts.find((one) => one.id === key) ??
    layouts.find((one) => one.id === id) ??
    layouts.find((one) => one.layout_id === key);
  return layout ? { layout } : { unknown: key };
}
