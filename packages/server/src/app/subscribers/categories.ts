// Categories of workflows. Which of them decides about a message is pipeline/rules/preferences.ts.
import { type Category, type Input, maxCategories, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import {
  type CategoryRow,
  type CategoryWorkflow,
  countCategoryChoices,
  deleteCategories,
  findCategory,
  insertCategory,
  listCategories,
  listCategoryWorkflows,
  orderCategories,
  updateCategory,
} from "../../store/subscribers/categories.ts";
import { refuseDuplicate } from "../identifiers.ts";

export async function requireCategory(
  ctx: Ctx,
  environmentId: string,
  categoryId: string,
  options: { lock?: boolean } = {},
): Promise<CategoryRow> {
  const row = await findCategory(ctx.db, environmentId, categoryId, options);
  if (!row) throw failure("CATEGORY_NOT_FOUND", { categoryId });
  return row;
}

/** A workflow can only join a category that exists. The lock keeps it from being deleted meanwhile. */
export async function refuseUnknownCategory(
  ctx: Ctx,
  environmentId: string,
  categoryId: string | null | undefined,
): Promise<void> {
  if (categoryId === null || categoryId === undefined) return;
  if (await findCategory(ctx.db, environmentId, categoryId, { lock: true })) return;
  const messages = ["categoryId must be the identifier of an existing category: create it first"];
  throw invalid({ categoryId: { messages, value: categoryId } });
}

const toCategory = (row: CategoryRow, workflows: CategoryWorkflow[]): Category => ({
  _id: row.id,
  categoryId: row.category_id,
  name: row.name,
  description: row.description,
  required: row.is_required,
  channels: row.channels,
  workflows: workflows
    .filter(({ category_id }) => category_id === row.category_id)
    .map(({ workflow_id, name }) => ({ workflowId: workflow_id, name })),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

const view = async (ctx: Ctx, row: CategoryRow): Promise<Category> =>
  toCategory(row, await listCategoryWorkflows(ctx.db, row.environment_id));

async function viewAll(ctx: Ctx, environmentId: string): Promise<{ categories: Category[] }> {
  const rows = await listCategories(ctx.db, environmentId);
  const workflows = await listCategoryWorkflows(ctx.db, environmentId);
  return { categories: rows.map((row) => toCategory(row, workflows)) };
}

export const list = (ctx: Ctx, { environmentId }: Caller): Promise<Output<"categories.list">> =>
  viewAll(ctx, environmentId);

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"categories.retrieve">,
): Promise<Output<"categories.retrieve">> {
  return view(ctx, await requireCategory(ctx, caller.environmentId, params.categoryId));
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"categories.create">,
): Promise<Output<"categories.create">> {
  const { environmentId } = caller;
  // The lock makes requests take turns: each category gets its own place, and the limit holds.
  await lockEnvironment(ctx.db, environmentId);
  const existing = await listCategories(ctx.db, environmentId);
  if (existing.length >= maxCategories) throw failure("CATEGORY_LIMIT", { limit: String(maxCategories) });
  const now = ctx.now();
  const row: CategoryRow = {
    id: ctx.newId(),
    environment_id: environmentId,
    category_id: body.categoryId,
    name: body.name.trim(),
    description: body.description?.trim() ?? "",
    is_required: body.required ?? false,
    channels: body.channels ?? {},
    position: (existing.at(-1)?.position ?? 0) + 1,
    created_at: now,
    updated_at: now,
  };
  const taken = failure("CATEGORY_ID_TAKEN", { categoryId: row.category_id });
  return view(ctx, await refuseDuplicate(() => insertCategory(ctx.db, row), taken));
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"categories.update">,
): Promise<Output<"categories.update">> {
  const row = await requireCategory(ctx, caller.environmentId, params.categoryId, { lock: true });
  const next: CategoryRow = {
    ...row,
    name: body.name?.trim() ?? row.name,
    description: body.description?.trim() ?? row.description,
    is_required: body.required ?? row.is_required,
    channels: body.channels ?? row.channels,
    updated_at: ctx.now(),
  };
  return view(ctx, await updateCategory(ctx.db, next));
}

export async function updateOrder(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"categories.updateOrder">,
): Promise<Output<"categories.updateOrder">> {
  const { environmentId } = caller;
  await lockEnvironment(ctx.db, environmentId);
  const existing = (await listCategories(ctx.db, environmentId)).map((row) => row.category_id);
  const given = body.categoryIds;
  const isComplete = given.length === existing.length && existing.every((id) => given.includes(id));
  if (!isComplete) {
    const messages = [`categoryIds must name every category once: ${existing.join(", ")}`];
    throw invalid({ categoryIds: { messages, value: given } });
  }
  await orderCategories(ctx.db, environmentId, given);
  return viewAll(ctx, environmentId);
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"categories.delete">,
): Promise<undefined> {
  const { environmentId } = caller;
  const row = await requireCategory(ctx, environmentId, params.categoryId, { lock: true });
  const { category_id: categoryId } = row;
  const { workflows } = await view(ctx, row);
  if (workflows.length > 0) {
    const workflowIds = workflows.map(({ workflowId }) => workflowId).join(", ");
    throw failure("CATEGORY_IN_USE", { categoryId, workflowIds });
  }
  const count = (await countCategoryChoices(ctx.db, environmentId, [row.id])).get(row.id) ?? 0;
  if (count > 0 && !query.force) throw failure("CATEGORY_HAS_CHOICES", { categoryId, count: String(count) });
  await deleteCategories(ctx.db, environmentId, [row.id]);
}
