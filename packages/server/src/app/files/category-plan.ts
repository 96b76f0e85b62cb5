// Categories of files compared with those that the environment has: new, changed, deleted, and their order. Pure.
import { type CategoryFile, maxCategories, unlistedReason } from "@tidings/contract";
import { failure } from "../../failure.ts";
import { canonicalJson } from "../../lib/json.ts";
import { changedMembers, describeCategory, describeLostChoices } from "../brand/brand-sentences.ts";
import { categorySettings } from "../environments/environment-diff.ts";
import type { FileState } from "./file-state.ts";
import { bareChange, type Plan, type PlannedChange } from "./plan.ts";
import type { ReadFiles } from "./read-files.ts";

type Facts = { prune: boolean; choices: ReadonlyMap<string, number> };

/** After the workflows: those that stay keep their category from being deleted. */
export function planCategories(plan: Plan, state: FileState, files: ReadFiles, facts: Facts): void {
  const given = files.categories!;
  const stored = new Map(state.categories.map((one) => [one.row.category_id, one]));
  for (const file of given) {
    const before = stored.get(file.categoryId);
    const about = { type: "category" as const, id: file.categoryId, name: file.name };
    if (!before) {
      plan.categories.push({ file, row: undefined });
      plan.changes.push({ ...bareChange, ...about, action: "created", sentences: ["New category"] });
    } else if (canonicalJson(before.file) === canonicalJson(file)) {
      plan.unchanged++;
    } else {
      plan.categories.push({ file, row: before.row });
      const both = { before: categorySettings(before.row), after: fileSettings(file) };
      const settings = changedMembers(both.before, both.after);
      plan.changes.push({ ...bareChange, ...about, action: "changed", settings, sentences: describeCategory(both) });
    }
  }
  planDeletions(plan, state, files, facts);
  planOrder(plan, state, given);
}

const fileSettings = ({ name, description = "", required = false, channels = {} }: CategoryFile) => ({
  name,
  description,
  required,
  channels,
});

function planDeletions(plan: Plan, state: FileState, files: ReadFiles, { prune, choices }: Facts): void {
  const wanted = new Set(files.categories!.map(({ categoryId }) => categoryId));
  const deleted = new Set(plan.deletedWorkflows.map(({ workflow_id }) => workflow_id));
  const existing = [...state.workflows.map(({ row }) => row), ...state.bridgedMembers];
  const after = new Map(existing.map((row) => [row.workflow_id, row.category_id]));
  for (const { content } of files.workflows ?? []) after.set(content.workflow_id, content.category_id);
  for (const { row } of state.categories) {
    if (wanted.has(row.category_id)) continue;
    const [user] = [...after].find(([id, category]) => category === row.category_id && !deleted.has(id)) ?? [];
    const reason = !prune ? unlistedReason : user !== undefined ? `workflow ${user} is in it` : null;
    if (reason !== null) {
      plan.kept.push({ type: "category", id: row.category_id, reason });
      continue;
    }
    plan.deletedCategories.push(row);
    plan.changes.push({
      ...bareChange,
      type: "category",
      id: row.category_id,
      name: row.name,
      action: "deleted",
      sentences: [describeLostChoices("It", choices.get(row.id) ?? 0)],
    });
  }
}

/** Subscribers see them in the order of the files; those that only the environment has come behind. */
function planOrder(plan: Plan, { categories }: FileState, given: CategoryFile[]): void {
  const deleted = new Set(plan.deletedCategories);
  const before = categories.map(({ row }) => row).filter((row) => !deleted.has(row));
  const listed = new Set(given.map(({ categoryId }) => categoryId));
  const kept = before.map((row) => row.category_id).filter((id) => !listed.has(id));
  const order = [...listed, ...kept];
  if (order.length > maxCategories) throw failure("CATEGORY_LIMIT", { limit: String(maxCategories) });
  const known = new Set(before.map((row) => row.category_id));
  const created = order.filter((id) => !known.has(id));
  const orderBefore = [...known, ...created];
  const first = order.find((id, index) => id !== orderBefore[index]);
  if (first === undefined) return;
  plan.categoryOrder = order;
  const sentence = `Subscribers see the categories in this order: ${order.join(", ")}`;
  const own = plan.changes.find(({ type, id }) => type === "category" && id === first);
  if (own) own.sentences = [...own.sentences, sentence];
  else plan.changes.push(orderChange(first, given, sentence));
  if (!own && listed.has(first)) plan.unchanged--;
}

const orderChange = (id: string, given: CategoryFile[], sentence: string): PlannedChange => ({
  ...bareChange,
  type: "category",
  id,
  name: given.find(({ categoryId }) => categoryId === id)?.name ?? id,
  action: "changed",
  sentences: [sentence],
});
