// The fields of a step's form that its values call for, and those that are set. Pure.
import type { StepType } from "@tidings/contract";
import type { FieldSpec, Values } from "../../../steps/kit.ts";
import { editorSteps } from "../../../steps/registry.gen.ts";
import { valueAt } from "../editor/model.ts";

export function fieldsFor(type: StepType, values: Values): FieldSpec[] {
  const { fields } = editorSteps[type];
  const kind = values.type ?? fields.find(({ path }) => path === "type")?.fallback;
  return fields.filter(
    ({ of, needs }) =>
      (of === undefined || of.includes(String(kind))) && (needs === undefined || valueAt(values, needs) === true),
  );
}

export const isSet = (field: FieldSpec, values: Values): boolean => {
  const value = valueAt(values, field.path);
  return value !== undefined && value !== "" && value !== false && value !== (field.usual ?? field.fallback);
};
