// Layouts of emails. As with workflows, an error in the structure is refused, and an error in the content is stored and
// reported as an issue.
import {
  type Input,
  type Layout,
  type LayoutControlValues,
  layoutControlSchema,
  layoutUiSchema,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { resolveBrand } from "../../lib/brand/brand.ts";
import { freeIdentifier, identifierFrom } from "../../lib/identifiers.ts";
import { idFromSlug, slug } from "../../lib/ids.ts";
import { peekClock } from "../../pipeline/clock/clock.ts";
import { plainLayoutBody } from "../../pipeline/render/layout.ts";
import { RenderError } from "../../pipeline/render/liquid.ts";
import { renderMail } from "../../pipeline/render/mail-body.ts";
import { clockScope, previewLinks, textsFor } from "../../pipeline/rules/scope.ts";
import { toVariables } from "../../pipeline/run/variables.ts";
import { findRenderSettings } from "../../store/environments/brand.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { findVariables, listVariableNames, type VariableNames } from "../../store/environments/variables.ts";
import {
  deleteLayout,
  findLayout,
  findLayoutIdsLike,
  findLayoutUsers,
  hasLayouts,
  insertLayout,
  type LayoutRow,
  listLayouts,
  updateLayout,
} from "../../store/workflows/layouts.ts";
import { copyTranslations, deleteTranslations, listTranslations } from "../../store/workflows/translations.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { layoutIssues } from "./issues/layout-issues.ts";
import { layoutVariables } from "./variables.ts";

const toLayout = async (row: LayoutRow, env: VariableNames): Promise<Layout> => ({
  _id: row.id,
  layoutId: row.layout_id,
  slug: slug(row.name, "lt", row.id),
  name: row.name,
  isDefault: row.is_default,
  isTranslationEnabled: row.is_translation_enabled,
  updatedAt: row.updated_at.toISOString(),
  updatedBy: row.updated_by ? { _id: row.updated_by } : undefined,
  createdAt: row.created_at.toISOString(),
  origin: row.origin,
  type: "REGULAR",
  variables: layoutVariables(row, env),
  controls: { dataSchema: layoutControlSchema, uiSchema: layoutUiSchema, values: row.control_values },
  issues: await layoutIssues(row, env),
});

export async function requireLayout(
  ctx: Ctx,
  environmentId: string,
  layoutId: string,
  options: { lock?: boolean } = {},
): Promise<LayoutRow> {
  const fromSlug = idFromSlug(layoutId, "lt");
  const bySlug = fromSlug ? await findLayout(ctx.db, environmentId, fromSlug, options) : undefined;
  // An identifier may have the form of a slug.
  const row = bySlug ?? (await findLayout(ctx.db, environmentId, layoutId, options));
  if (!row) throw failure("LAYOUT_NOT_FOUND", { layoutId });
  return row;
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"layouts.list">,
): Promise<Output<"layouts.list">> {
  const order = { by: query.orderBy ?? "createdAt", direction: query.orderDirection ?? "DESC" };
  const page = { limit: query.limit ?? 10, offset: query.offset ?? 0 };
  const { rows, totalCount } = await listLayouts(ctx.db, caller.environmentId, {
    filters: { query: query.query },
    order,
    page,
  });
  const layouts: Layout[] = [];
  const env = await listVariableNames(ctx.db, caller.environmentId);
  for (const row of rows) layouts.push(await toLayout(row, env));
  return { layouts, totalCount };
}

type NewLayout = Pick<LayoutRow, "layout_id" | "name" | "is_translation_enabled" | "control_values">;

export async function insertNew(ctx: Ctx, caller: Caller, layout: NewLayout): Promise<LayoutRow> {
  // The lock makes requests take turns: only the first layout of an environment becomes the default.
  await lockEnvironment(ctx.db, caller.environmentId);
  const now = ctx.now();
  const row: LayoutRow = {
    ...layout,
    id: ctx.newId(),
    environment_id: caller.environmentId,
    is_default: !(await hasLayouts(ctx.db, caller.environmentId)),
    origin: "svc-cloud",
    created_at: now,
    updated_at: now,
    updated_by: caller.userId,
  };
  const taken = failure("LAYOUT_ID_TAKEN", { layoutId: row.layout_id });
  return refuseDuplicate(() => insertLayout(ctx.db, row), taken);
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"layouts.create">,
): Promise<Output<"layouts.create">> {
  const row = await insertNew(ctx, caller, {
    layout_id: body.layoutId,
    name: body.name,
    is_translation_enabled: body.isTranslationEnabled ?? false,
    control_values: { email: { body: plainLayoutBody, editorType: "html" } },
  });
  return show(ctx, row);
}

/** As the API shows it. */
export const show = async (ctx: Ctx, row: LayoutRow): Promise<Layout> =>
  toLayout(row, await listVariableNames(ctx.db, row.environment_id));

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"layouts.retrieve">,
): Promise<Output<"layouts.retrieve">> {
  return show(ctx, await requireLayout(ctx, caller.environmentId, params.layoutId));
}

/** Only members of the schema are stored. */
const readValues = ({ email }: LayoutControlValues): LayoutControlValues =>
  email ? { email: { body: email.body, editorType: email.editorType } } : {};

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"layouts.update">,
): Promise<Output<"layouts.update">> {
  const values = body.controlValues && readValues(body.controlValues);
  const row = await requireLayout(ctx, caller.environmentId, params.layoutId, { lock: true });
  refuseOldChange(row, body.expectedUpdatedAt);
  const next: LayoutRow = {
    ...row,
    name: body.name,
    is_translation_enabled: body.isTranslationEnabled ?? row.is_translation_enabled,
    control_values: values === undefined ? row.control_values : (values ?? {}),
    updated_at: ctx.now(),
    updated_by: caller.userId,
  };
  return show(ctx, await updateLayout(ctx.db, next));
}

function refuseOldChange({ layout_id, updated_at }: LayoutRow, expectedUpdatedAt: string | undefined): void {
  if (expectedUpdatedAt === undefined || new Date(expectedUpdatedAt).getTime() === updated_at.getTime()) return;
  throw failure("LAYOUT_CHANGED", { layoutId: layout_id, expectedUpdatedAt, updatedAt: updated_at.toISOString() });
}

export async function remove(ctx: Ctx, caller: Caller, { params }: Input<"layouts.delete">): Promise<undefined> {
  const { environmentId } = caller;
  const row = await requireLayout(ctx, environmentId, params.layoutId, { lock: true });
  const { layout_id: layoutId } = row;
  if (row.is_default) throw failure("LAYOUT_IS_DEFAULT", { layoutId });
  const users = await findLayoutUsers(ctx.db, environmentId, row, { implied: false });
  if (users.length > 0) {
    throw failure("LAYOUT_IN_USE", { layoutId, workflowIds: users.map((user) => user.workflow_id).join(", ") });
  }
  await deleteTranslations(ctx.db, environmentId, { type: "layout", id: row.id });
  await deleteLayout(ctx.db, environmentId, row.id);
}

export async function duplicate(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"layouts.duplicate">,
): Promise<Output<"layouts.duplicate">> {
  const { environmentId } = caller;
  const original = await requireLayout(ctx, environmentId, params.layoutId);
  await lockEnvironment(ctx.db, environmentId);
  const base = identifierFrom(body.name, "layout");
  const copy = await insertNew(ctx, caller, {
    layout_id: freeIdentifier(base, await findLayoutIdsLike(ctx.db, environmentId, base)),
    name: body.name,
    is_translation_enabled: body.isTranslationEnabled ?? false,
    control_values: original.control_values,
  });
  const resource = (id: string) => ({ type: "layout" as const, id });
  await copyTranslations(ctx.db, environmentId, { from: resource(original.id), to: resource(copy.id), now: ctx.now() });
  return show(ctx, copy);
}

const sampleContent = "<p>Your email content goes here.</p>";
/** The reader of previews that name no subscriber. */
export const sampleSubscriber = {
  subscriberId: "ada",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  locale: "en_US",
  timezone: undefined as string | undefined,
  data: {},
};

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"layouts.preview">,
): Promise<Output<"layouts.preview">> {
  const values = body.controlValues && readValues(body.controlValues);
  const row = await requireLayout(ctx, caller.environmentId, params.layoutId);
  const subscriber = { ...sampleSubscriber, ...body.previewPayload?.subscriber };
  const clock = await peekClock(ctx, caller.environmentId);
  const time = clockScope(subscriber.timezone, ctx.config.defaultTimezone, clock.now(caller.environmentId));
  const { linkSchemes, brand, pagesUrl } = await findRenderSettings(ctx.db, caller.environmentId);
  const rows = await findVariables(ctx.db, caller.environmentId);
  const { plain } = toVariables(rows);
  const roots = {
    subscriber,
    payload: {},
    steps: {},
    workflow: {},
    context: {},
    brand: resolveBrand(brand),
    env: plain,
  };
  const scope = { ...time, ...previewLinks(pagesUrl ?? ctx.config.publicUrl, subscriber.locale), ...roots };
  const layout = { values: values ?? row.control_values, scope: { ...scope, t: await previewTexts(ctx, row, scope) } };
  try {
    const { html } = renderMail({ controls: { body: sampleContent }, layout, scope, linkSchemes });
    return {
      previewPayloadExample: { subscriber },
      schema: layoutVariables(row, rows),
      result: { type: "email", preview: { body: html } },
    };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const reason = [error.message, error.position].filter(Boolean).join(", ");
    const field = "controlValues.email.body";
    throw invalid({ [field]: { messages: [`${field} could not be rendered: ${reason}`] } });
  }
}

async function previewTexts(ctx: Ctx, row: LayoutRow, scope: { subscriber: { locale?: string | null } }) {
  if (!row.is_translation_enabled) return undefined;
  const rows = await listTranslations(ctx.db, row.environment_id, { type: "layout", id: row.id });
  return textsFor(rows, scope.subscriber.locale, scope);
}

export async function usage(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"layouts.usage">,
): Promise<Output<"layouts.usage">> {
  const row = await requireLayout(ctx, caller.environmentId, params.layoutId);
  const users = await findLayoutUsers(ctx.db, caller.environmentId, row, { implied: row.is_default });
  return { workflows: users.map((user) => ({ name: user.name, workflowId: user.workflow_id })) };
}
