// Compares workflows, layouts, categories, audiences, brands and attention budgets of two environments by their
// identifiers. Pure: the diff that is shown and the plan of what is copied come from the same comparison.
import {
  type AttentionBudget,
  audienceTestsIn,
  type BrandIn,
  type PublishedResource,
  type ResourceChange,
  type ResourceDependency,
} from "@tidings/contract";
import { idFromSlug } from "../../lib/ids.ts";
import { canonicalJson, type JsonObject } from "../../lib/json.ts";
import type { AudienceRow } from "../../store/audiences/audiences.ts";
import type { Publishable } from "../../store/environments/publishing.ts";
import type { CategoryContent, CategoryRow } from "../../store/subscribers/categories.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { StoredStep, WorkflowRow } from "../../store/workflows/workflows.ts";
import { audiencesOfSteps } from "../audiences/audience-uses.ts";

/** A resource, with the members that are compared between environments. */
export type Item =
  | ItemOf<"workflow", WorkflowRow>
  | ItemOf<"layout", LayoutRow>
  | ItemOf<"category", CategoryRow>
  | ItemOf<"audience", AudienceRow>
  | ItemOf<"brand", BrandIn>
  | ItemOf<"attention", AttentionBudget[]>;

type ItemOf<Type extends PublishedResource, Row> = {
  type: Type;
  identifier: string;
  name: string;
  row: Row;
  settings: JsonObject;
  steps: PortableStep[];
  /** Texts by locale. */
  texts: Record<string, JsonObject>;
  /** When and by whom it was changed last, as far as that is known. */
  updated: { at: Date | null; by: string | null };
};

/** An environment has one brand. */
export const brandIdentifier = "brand";
/** And one attention budget. */
export const attentionIdentifier = "attention";

export type PortableStep = Omit<StoredStep, "id">;

type Pair = { source: Item; target: Item | null } | { source: null; target: Item };

/** The resource of one identifier, which one or both environments have. */
export type Compared = Pair & {
  type: PublishedResource;
  identifier: string;
  name: string;
  changes: Change[];
  dependencies: ResourceDependency[];
};

/** `step` is absent when the change concerns the resource itself. */
export type Change = Pick<
  ResourceChange,
  "resourceType" | "action" | "diffs" | "stepType" | "previousIndex" | "newIndex"
> & { step?: { source: PortableStep | null; target: PortableStep | null } };

/** The layout that a step names by id, slug or identifier. */
const layoutNamed = <L extends Pick<LayoutRow, "id" | "layout_id">>(
  layouts: readonly L[],
  name: unknown,
): L | undefined => {
  if (typeof name !== "string") return undefined;
  const id = idFromSlug(name, "lt");
  return layouts.find((row) => row.id === name || row.id === id) ?? layouts.find((row) => row.layout_id === name);
};

/** Without internal ids: these differ between environments, identifiers do not. */
export function toPortable(step: StoredStep, layouts: readonly Pick<LayoutRow, "id" | "layout_id">[]): PortableStep {
  const { id, ...rest } = step;
  const layout = layoutNamed(layouts, step.controlValues.layoutId);
  return layout ? { ...rest, controlValues: { ...step.controlValues, layoutId: layout.layout_id } } : rest;
}

export function itemsOf(publishable: Publishable): Item[] {
  const { workflows, layouts, translations, categories, audiences, brand, attention } = publishable;
  const byOwner = Map.groupBy(translations, (row) => `${row.resource_type} ${row.resource_id}`);
  const textsOf = (type: PublishedResource, id: string) =>
    Object.fromEntries((byOwner.get(`${type} ${id}`) ?? []).map((row) => [row.locale, row.content]));
  return [
    ...layouts.map(
      (row): Item => ({
        type: "layout",
        identifier: row.layout_id,
        name: row.name,
        row,
        settings: {
          name: row.name,
          isTranslationEnabled: row.is_translation_enabled,
          controlValues: row.control_values,
          translations: textsOf("layout", row.id),
        },
        steps: [],
        texts: textsOf("layout", row.id),
        updated: { at: row.updated_at, by: row.updated_by },
      }),
    ),
    ...workflows.map(
      (row): Item => ({
        type: "workflow",
        identifier: row.workflow_id,
        name: row.name,
        row,
        settings: {
          name: row.name,
          description: row.description,
          tags: row.tags,
          active: row.active,
          validatePayload: row.validate_payload,
          payloadSchema: row.payload_schema,
          isTranslationEnabled: row.is_translation_enabled,
          severity: row.severity,
          outsideSchedule: row.outside_schedule,
          onUnknownOutcome: row.on_unknown_outcome,
          searchKeys: row.search_keys,
          objectives: row.objectives,
          categoryId: row.category_id,
          isCommercial: row.is_commercial,
          messageClass: row.message_class,
          priority: row.priority,
          origin: row.origin,
          preferences: { user: row.preferences_user, default: row.preferences_default },
          translations: textsOf("workflow", row.id),
        },
        steps: row.steps.map((step) => toPortable(step, layouts)),
        texts: textsOf("workflow", row.id),
        updated: { at: row.updated_at, by: row.updated_by },
      }),
    ),
    ...categories.map(toCategoryItem),
    ...audiences.map(toAudienceItem),
    ...(brand ? [toBrandItem(brand)] : []),
    ...(attention.length > 0 ? [toAttentionItem(attention)] : []),
  ];
}

export const categorySettings = ({ name, description, is_required, channels }: CategoryContent) => ({
  name,
  description,
  required: is_required,
  channels,
});

/** The order is a setting of each environment: a new category comes last. */
function toCategoryItem(row: CategoryRow): Item {
  const { category_id: identifier, name, updated_at: at } = row;
  const settings = categorySettings(row);
  return { type: "category", identifier, name, row, settings, steps: [], texts: {}, updated: { at, by: null } };
}

export const audienceSettings = ({ name, description, rule }: Pick<AudienceRow, "name" | "description" | "rule">) => ({
  name,
  description: description || null,
  rule,
});

function toAudienceItem(row: AudienceRow): Item {
  const { audience_id: identifier, name, updated_at: at } = row;
  const settings = audienceSettings(row);
  return { type: "audience", identifier, name, row, settings, steps: [], texts: {}, updated: { at, by: null } };
}

function toBrandItem(brand: BrandIn): Item {
  const name = brand.name || "Brand";
  const updated = { at: null, by: null };
  return {
    type: "brand",
    identifier: brandIdentifier,
    name,
    row: brand,
    settings: brand,
    steps: [],
    texts: {},
    updated,
  };
}

export const attentionName = "Attention budget";

const toAttentionItem = (budgets: AttentionBudget[]): Item => ({
  type: "attention",
  identifier: attentionIdentifier,
  name: attentionName,
  row: budgets,
  settings: { budgets },
  steps: [],
  texts: {},
  updated: { at: null, by: null },
});

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** The members that differ; null when none do. */
function differences(previous: JsonObject, next: JsonObject): ResourceChange["diffs"] | null {
  const names = [...new Set([...Object.keys(previous), ...Object.keys(next)])];
  const differing = names.filter((name) => !isSame(previous[name] ?? null, next[name] ?? null));
  const pick = (from: JsonObject) => Object.fromEntries(differing.map((name) => [name, from[name] ?? null]));
  return differing.length > 0 ? { previous: pick(previous), new: pick(next) } : null;
}

function changesOf(type: PublishedResource, source: Item | null, target: Item | null): Change[] {
  if (!source || !target) {
    const whole = (item: Item): JsonObject =>
      type === "workflow" ? { ...item.settings, steps: item.steps } : item.settings;
    const diffs = { previous: target && whole(target), new: source && whole(source) };
    return [{ resourceType: type, action: source ? "added" : "deleted", diffs }];
  }
  const diffs = differences(target.settings, source.settings);
  const own: Change[] = diffs ? [{ resourceType: type, action: "modified", diffs }] : [];
  return [...own, ...stepChanges(source.steps, target.steps)];
}

/**
 * Steps are matched by identifier. An unchanged step has moved when its place among the steps of both sides differs.
 */
function stepChanges(source: PortableStep[], target: PortableStep[]): Change[] {
  const find = (steps: PortableStep[], stepId: string) => steps.findIndex((step) => step.stepId === stepId);
  const common = (steps: PortableStep[], others: PortableStep[]) =>
    steps.filter((step) => find(others, step.stepId) >= 0).map((step) => step.stepId);
  const [orderNow, orderBefore] = [common(source, target), common(target, source)];
  const changes = source.flatMap((step, newIndex): Change[] => {
    const previousIndex = find(target, step.stepId);
    const before = target[previousIndex];
    const base = { resourceType: "step" as const, stepType: step.type, newIndex };
    if (!before) {
      return [{ ...base, action: "added", diffs: { previous: null, new: step }, step: { source: step, target: null } }];
    }
    const diffs = differences(before, step);
    const hasMoved = orderNow.indexOf(step.stepId) !== orderBefore.indexOf(step.stepId);
    if (!diffs && !hasMoved) return [];
    const change = { ...base, previousIndex, step: { source: step, target: before } };
    return [diffs ? { ...change, action: "modified", diffs } : { ...change, action: "moved" }];
  });
  const deleted = target.flatMap((step, previousIndex): Change[] => {
    if (find(source, step.stepId) >= 0) return [];
    const diffs = { previous: step, new: null };
    const about = { stepType: step.type, previousIndex, step: { source: null, target: step } };
    return [{ resourceType: "step", action: "deleted", diffs, ...about }];
  });
  return [...changes, ...deleted];
}

/** The layouts that a workflow's emails name, and whether the target has them. */
function dependenciesOf(workflow: Item, source: Publishable, target: Publishable): ResourceDependency[] {
  const named = new Set(workflow.steps.map((step) => step.controlValues.layoutId));
  return source.layouts
    .filter((layout) => named.has(layout.layout_id))
    .map(({ layout_id, name }) => {
      const isInTarget = target.layouts.some((row) => row.layout_id === layout_id);
      const reason = isInTarget ? "LAYOUT_EXISTS_IN_TARGET" : "LAYOUT_REQUIRED_FOR_WORKFLOW";
      return { resourceType: "layout", resourceId: layout_id, resourceName: name, isBlocking: !isInTarget, reason };
    });
}

/** The audiences that conditions or a rule name, and whether the target has them. */
function audiencesNeeded(item: Item, source: Publishable, target: Publishable): ResourceDependency[] {
  const named =
    item.type === "audience"
      ? audienceTestsIn(item.row.rule).audienceIds
      : item.type === "workflow"
        ? audiencesOfSteps(item.steps)
        : [];
  const names = new Map(source.audiences.map((row) => [row.audience_id, row.name]));
  const present = new Set([...target.audiences.map((row) => row.audience_id), ...target.fixedAudiences]);
  return named.map((id) => {
    const isInTarget = present.has(id);
    const reason = isInTarget ? "AUDIENCE_EXISTS_IN_TARGET" : "AUDIENCE_REQUIRED";
    return {
      resourceType: "audience",
      resourceId: id,
      resourceName: names.get(id) ?? id,
      isBlocking: !isInTarget,
      reason,
    };
  });
}

/** Brand, categories and layouts come before the workflows, which use them. The attention budget is first. */
export function compare(source: Publishable, target: Publishable): Compared[] {
  const keyOf = ({ type, identifier }: Item) => `${type} ${identifier}`;
  const sourceItems = itemsOf(source);
  const targetItems = new Map(itemsOf(target).map((item) => [keyOf(item), item]));
  const inSource = new Set(sourceItems.map(keyOf));
  const onlyInTarget = [...targetItems.values()].filter((item) => !inSource.has(keyOf(item)));
  const pairs: Pair[] = [
    ...sourceItems.map((item) => ({ source: item, target: targetItems.get(keyOf(item)) ?? null })),
    ...onlyInTarget.map((item) => ({ source: null, target: item })),
  ];
  return pairs
    .map((pair): Compared => {
      const { type, identifier, name } = pair.source ?? pair.target;
      const changes = changesOf(type, pair.source, pair.target);
      const layouts = pair.source?.type === "workflow" ? dependenciesOf(pair.source, source, target) : [];
      const audiences = pair.source ? audiencesNeeded(pair.source, source, target) : [];
      const dependencies = [...layouts, ...audiences];
      return { type, identifier, name, ...pair, changes, dependencies };
    })
    .sort((a, b) => a.type.localeCompare(b.type) || (a.identifier < b.identifier ? -1 : 1));
}
