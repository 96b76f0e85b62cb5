// What differs between two environments, in the form that the list of changes of a workflow draws. Pure.
import type { ChangedField, PublishCheck, ResourceDiff, StepChange, StepType } from "@tidings/contract";
import type { Differences } from "../../drafts/differences.ts";

type Change = ResourceDiff["changes"][number];
type Fields = Record<string, unknown>;

const kinds = { added: "added", deleted: "removed", modified: "changed", moved: "moved" } as const;

/** Control values one by one, so that a changed subject does not hide in a changed step. */
function flatten({ controlValues, ...rest }: Fields): Fields {
  const values = Object.entries((controlValues ?? {}) as Fields).map(([name, value]) => [
    `controlValues.${name}`,
    value,
  ]);
  return { ...rest, ...Object.fromEntries(values) };
}

function changedFields({ diffs }: Change): ChangedField[] {
  const [before, after] = [flatten(diffs?.previous ?? {}), flatten(diffs?.new ?? {})];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter(({ before: old, after: next }) => JSON.stringify(old) !== JSON.stringify(next));
}

export function differencesOf({ changes }: ResourceDiff): Differences {
  const steps = changes.flatMap((change): StepChange[] => {
    const { resourceType, action, sourceResource, targetResource, previousIndex, newIndex, stepType } = change;
    if (resourceType !== "step" || action === "unchanged") return [];
    const step = sourceResource ?? targetResource;
    const hasMoved =
      action === "moved" || (previousIndex !== undefined && newIndex !== undefined && previousIndex !== newIndex);
    return [
      {
        kind: kinds[action],
        stepId: step?.id ?? "",
        name: step?.name ?? "",
        type: stepType as StepType,
        fromIndex: previousIndex,
        toIndex: newIndex,
        hasMoved,
        fields: changedFields(change),
      },
    ];
  });
  const settings = changes.filter(({ resourceType }) => resourceType !== "step").flatMap(changedFields);
  return { settings, steps };
}

/** As in the navigation. */
export const resourceIcons = {
  workflow: "workflow",
  layout: "layout",
  category: "layers",
  audience: "users",
  brand: "palette",
  attention: "gauge",
} as const;

/** What happens to the resource in the target. */
export function actionOf({ sourceResource, targetResource }: ResourceDiff): "added" | "modified" | "deleted" {
  if (!targetResource) return "added";
  return sourceResource ? "modified" : "deleted";
}

export const hasFault = ({ checks = [] }: ResourceDiff): boolean => checks.some(({ isFault }) => isFault);

/** What to check before it is published, given what else is chosen. A deleted resource has nothing to check. */
export function checksOf(one: ResourceDiff, chosen: readonly ResourceDiff[]): readonly PublishCheck[] {
  const layouts = new Set(chosen.filter(({ resourceType }) => resourceType === "layout").map(idOf));
  return (one.checks ?? []).filter(({ layoutId }) => layoutId === undefined || !layouts.has(layoutId));
}

export const nameOf = ({ sourceResource, targetResource }: ResourceDiff): string =>
  (sourceResource ?? targetResource)?.name ?? "";
export const idOf = ({ sourceResource, targetResource }: ResourceDiff): string =>
  (sourceResource ?? targetResource)?.id ?? "";
export const keyOf = (resource: ResourceDiff): string => `${resource.resourceType} ${idOf(resource)}`;
