// What the outline and the canvas show of a step. Pure.
import { editorSteps } from "../../../steps/registry.gen.ts";
import type { DraftStep } from "../editor/model.ts";

export const summarizeStep = ({ type, controlValues }: DraftStep): string => editorSteps[type].summary(controlValues);

export const isConditional = ({ controlValues: { skip }, filters }: DraftStep): boolean =>
  filters !== undefined || (typeof skip === "object" && skip !== null && Object.keys(skip).length > 0);
