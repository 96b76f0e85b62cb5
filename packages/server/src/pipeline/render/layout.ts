// The layout of an email: which one it gets, and the email rendered inside it.
import { randomBytes } from "node:crypto";
import type { LayoutControlValues } from "@tidings/contract";
import { idFromSlug } from "../../lib/ids.ts";
import { isObject, type JsonObject, valueAt } from "../../lib/json.ts";
import { renderBody } from "./blocks.ts";
import { outputLimit } from "./bounded-liquid.ts";
import { RenderError } from "./liquid.ts";

export type Candidate = { id: string; layout_id: string; is_default: boolean };

export type LayoutChoice<L> = { layout: L | null } | { unknown: string };

/**
 * The first level that has a value decides: the event's override for the step, then for the channel, then the
 * deprecated `layoutIdentifier`, then the step's own control, and last the environment's default layout. `null` means
 * no layout.
 */
export function chooseLayout<L extends Candidate>(
  layouts: readonly L[],
  step: { stepId: string; controlValues: JsonObject },
  overrides: JsonObject | null,
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

/** The body of a layout that has none: the content alone. */
export const plainLayoutBody = "{{ content }}";

/**
 * The content is HTML that was rendered before, so it must not be escaped again: the layout is rendered around a random
 * placeholder, which the content then replaces.
 */
export function renderLayout(values: LayoutControlValues, scope: object, content: string): string {
  const placeholder = `content-${randomBytes(16).toString("hex")}`;
  const given = { ...scope, content: placeholder };
  const { body, editorType } = values.email ?? {};
  const parts = renderBody(body || plainLayoutBody, editorType, true, given).split(placeholder);
  // A layout that shows the content nowhere is stored with an issue. A mail is never sent without what it has to say:
  // it goes out without the layout.
  if (parts.length === 1 && content.trim() !== "") return content;
  const length = parts.reduce((sum, part) => sum + part.length, content.length * (parts.length - 1));
  if (length > outputLimit) throw new RenderError("output is larger than 5 MB");
  return parts.join(content);
}
