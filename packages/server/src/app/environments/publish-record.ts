// The record of a publish or a restore: every resource, before and after.
import type { AttentionBudget, BrandIn } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { AudienceContent } from "../../store/audiences/audience-files.ts";
import type { EnvironmentRow } from "../../store/environments/environments.ts";
import { insertPublish } from "../../store/environments/publishes.ts";
import type { Publishable } from "../../store/environments/publishing.ts";
import type { CategoryContent } from "../../store/subscribers/categories.ts";
import type { PublishedChange, StoredLayout } from "../../store/tables.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { keyNameOf } from "../members/actor.ts";
import {
  attentionIdentifier,
  attentionName,
  audienceSettings,
  brandIdentifier,
  categorySettings,
  type Item,
} from "./environment-diff.ts";

/** By locale. */
type Texts = Record<string, JsonObject>;

/** Rows that are written into the target, with all their translations, and what is deleted there. */
export type TargetChanges = {
  layouts: { row: LayoutRow; texts: Texts }[];
  workflows: { row: WorkflowRow; texts: Texts }[];
  categories: CategoryContent[];
  audiences: AudienceContent[];
  /** Absent: it does not change, unless it is deleted. */
  brand?: BrandIn;
  /** Absent: they do not change, unless they are deleted. */
  attention?: AttentionBudget[];
  deleted: Item[];
};

type Done = {
  before: Publishable;
  changes: TargetChanges;
  now: Date;
} & ({ kind: "publish"; source: EnvironmentRow } | { kind: "restore"; restores: string; sourceName: string });

/** Returns its id; undefined when nothing was changed. */
export async function recordPublish(ctx: Ctx, caller: Caller, done: Done): Promise<string | undefined> {
  const resources = toChanges(caller.environmentId, done.before, done.changes);
  if (resources.length === 0) return undefined;
  const id = ctx.newId();
  await insertPublish(ctx.db, {
    id,
    environment_id: caller.environmentId,
    kind: done.kind,
    source_id: done.kind === "publish" ? done.source.id : null,
    source_name: done.kind === "publish" ? done.source.name : done.sourceName,
    created_at: done.now,
    created_by: caller.userId,
    created_by_name: caller.member?.name ?? keyNameOf(caller),
    resources,
    restores: done.kind === "restore" ? done.restores : null,
    restored_at: null,
  });
  return id;
}

export const storedLayout = (row: LayoutRow): StoredLayout => ({
  name: row.name,
  is_default: row.is_default,
  is_translation_enabled: row.is_translation_enabled,
  origin: row.origin,
  control_values: row.control_values,
});

/** The translations of an environment, by the id of their workflow or layout. */
function textsByOwner({ translations }: Publishable): ReadonlyMap<string, Texts> {
  const byOwner = Map.groupBy(translations, ({ resource_id }) => resource_id);
  return new Map(
    [...byOwner].map(([id, rows]) => [id, Object.fromEntries(rows.map(({ locale, content }) => [locale, content]))]),
  );
}

function toChanges(environmentId: string, before: Publishable, changes: TargetChanges): PublishedChange[] {
  const { layouts, workflows, categories, audiences, brand, attention, deleted } = changes;
  const oldTexts = textsByOwner(before);
  const oldWorkflows = new Map(before.workflows.map((row) => [row.id, row]));
  const oldLayouts = new Map(before.layouts.map((row) => [row.id, row]));
  const none = { versionBefore: null, versionAfter: null, layoutBefore: null, layoutAfter: null };
  const written = (id: string, texts: Texts, isOld: boolean) => ({
    ...none,
    id,
    action: isOld ? ("updated" as const) : ("created" as const),
    textsBefore: oldTexts.get(id) ?? {},
    textsAfter: texts,
  });
  const oldCategories = new Map(before.categories.map((row) => [row.id, row]));
  const oldAudiences = new Map(before.audiences.map((row) => [row.id, row]));
  return [
    ...(brand
      ? [
          {
            ...written(environmentId, {}, before.brand !== null),
            type: "brand" as const,
            identifier: brandIdentifier,
            name: brand.name || "Brand",
            settingsBefore: before.brand,
            settingsAfter: brand,
          },
        ]
      : []),
    ...(attention
      ? [
          {
            ...written(environmentId, {}, before.attention.length > 0),
            type: "attention" as const,
            identifier: attentionIdentifier,
            name: attentionName,
            settingsBefore: before.attention.length > 0 ? { budgets: before.attention } : null,
            settingsAfter: { budgets: attention },
          },
        ]
      : []),
    ...categories.map((row): PublishedChange => {
      const old = oldCategories.get(row.id);
      return {
        ...written(row.id, {}, old !== undefined),
        type: "category",
        identifier: row.category_id,
        name: row.name,
        settingsBefore: old ? categorySettings(old) : null,
        settingsAfter: categorySettings(row),
      };
    }),
    ...audiences.map((row): PublishedChange => {
      const old = oldAudiences.get(row.id);
      return {
        ...written(row.id, {}, old !== undefined),
        type: "audience",
        identifier: row.audience_id,
        name: row.name,
        settingsBefore: old ? audienceSettings(old) : null,
        settingsAfter: audienceSettings(row),
      };
    }),
    ...layouts.map(({ row, texts }): PublishedChange => {
      const old = oldLayouts.get(row.id);
      return {
        ...written(row.id, texts, old !== undefined),
        type: "layout",
        identifier: row.layout_id,
        name: row.name,
        layoutBefore: old ? storedLayout(old) : null,
        layoutAfter: storedLayout(row),
      };
    }),
    ...workflows.map(({ row, texts }): PublishedChange => {
      const old = oldWorkflows.get(row.id);
      return {
        ...written(row.id, texts, old !== undefined),
        type: "workflow",
        identifier: row.workflow_id,
        name: row.name,
        versionBefore: old?.version_id ?? null,
        versionAfter: row.version_id,
      };
    }),
    ...deleted.map(
      (item): PublishedChange => ({
        ...none,
        type: item.type,
        identifier: item.identifier,
        name: item.name,
        action: "deleted",
        id: item.type === "brand" || item.type === "attention" ? environmentId : item.row.id,
        ...(item.type !== "workflow" && item.type !== "layout" && { settingsBefore: item.settings }),
        versionBefore: item.type === "workflow" ? item.row.version_id : null,
        layoutBefore: item.type === "layout" ? storedLayout(item.row) : null,
        textsBefore: item.texts,
        textsAfter: {},
      }),
    ),
  ];
}
