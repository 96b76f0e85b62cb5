// Previews: the content of a step that is not saved, rendered by the functions that the steps themselves use. Each
// field is rendered on its own, with the budget of work of a whole step, so that an error is reported with its field
// and the fields without an error are shown.
import type { Brand, Input, Output, PreviewFault, PreviewResult } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { resolveBrand } from "../../lib/brand/brand.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { pauseIfDue } from "../../lib/load/pauses.ts";
import { blockTemplate, isBlockBody } from "../../pipeline/render/blocks.ts";
import { chooseLayout } from "../../pipeline/render/layout.ts";
import { checkTemplate, literalScope, RenderError } from "../../pipeline/render/liquid.ts";
import { toVariables } from "../../pipeline/run/variables.ts";
import { contentOf } from "../../pipeline/steps/bridge.ts";
import { findRenderSettings } from "../../store/environments/brand.ts";
import { findVariables, type VariableNames, type VariableRow } from "../../store/environments/variables.ts";
import { type LayoutRow, listAllLayouts } from "../../store/workflows/layouts.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { askStep } from "./bridge-preview.ts";
import { templatesIn } from "./issues/step-issues.ts";
import { findPreviewContexts } from "./preview/contexts.ts";
import { checkPreview } from "./preview/mail-checks.ts";
import { attempt, mailParts, type PreviewedContent, plainParts } from "./preview/parts.ts";
import { loadScope, loadSubscriber } from "./preview/scope.ts";
import { readControlValues } from "./step-controls.ts";
import { stepVariables } from "./variables.ts";
import { requireStep, requireWorkflow } from "./workflows.ts";

type PreviewBody = Input<"workflows.preview">["body"];
type PreviewedDraft = NonNullable<PreviewBody["draft"]>;

/** For a step of a workflow that is defined in code: what its bridge returns for `preview`. */
export async function askBridge(
  ctx: NetworkCtx,
  caller: Caller,
  { body }: Input<"workflows.preview">,
): Promise<BridgePreview | null> {
  if (body.workflowId === undefined) return null;
  const workflow = await requireWorkflow({ ...ctx, db: ctx.reads.db }, caller.environmentId, body.workflowId);
  if (workflow.bridge_url === null) return null;
  const { stepId = "", controlValues } = body.step;
  const { step } = requireStep(workflow, stepId, workflow.workflow_id);
  const subscriber = await loadSubscriber({ ...ctx, db: ctx.reads.db }, caller, body);
  const state = Object.entries(body.steps ?? {}).map(([id, outputs]) => ({
    stepId: id,
    outputs: isObject(outputs) ? outputs : {},
    state: { status: "completed" },
  }));
  const answer = await askStep(ctx, caller, {
    action: "preview",
    url: workflow.bridge_url,
    workflowId: workflow.workflow_id,
    stepId: step.stepId,
    request: {
      payload: body.payload ?? {},
      controls: controlValues ?? step.controlValues,
      state,
      subscriber,
      context: {},
      env: toVariables(await findVariables(ctx.reads.db, caller.environmentId)).plain,
    },
  });
  return "fault" in answer ? answer : { values: contentOf(step.type, answer.outputs, step.controlValues) };
}

type BridgePreview = { fault: string } | { values: JsonObject };

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"workflows.preview">,
  bridged: BridgePreview | null,
): Promise<Output<"workflows.preview">> {
  const env = await findVariables(ctx.db, caller.environmentId);
  const { data } = await previewContent(ctx, caller, { ...body, env }, bridged);
  return {
    data: {
      ...data,
      ...(body.withTemplate && templateOf(body.step)),
      ...(body.draft && { variables: draftVariables(body.draft, body.step.type, env) }),
    },
  };
}

/** What an author who leaves the block editor continues with. A document with an error has no template. */
function templateOf({ type, controlValues: { body, editorType } = {} }: PreviewBody["step"]): { template?: string } {
  if (type !== "email" || typeof body !== "string" || !isBlockBody(editorType, body)) return {};
  const template = attempt(() => blockTemplate(body));
  return template instanceof RenderError ? {} : { template };
}

const draftVariables = (
  { steps, payloadSchema = null, isTranslationEnabled = false }: PreviewedDraft,
  type: PreviewBody["step"]["type"],
  env: VariableNames,
): JsonObject =>
  stepVariables(
    {
      steps: steps.map(({ stepId, type, controlValues = {} }) => ({ stepId, type, controlValues })),
      payload_schema: payloadSchema,
      is_translation_enabled: isTranslationEnabled,
    },
    steps.length,
    env,
    type,
  );

/** `env`: the variables of the environment. */
type PreviewedBody = PreviewBody & { env: VariableRow[] };

async function previewContent(
  ctx: Ctx,
  caller: Caller,
  body: PreviewedBody,
  bridged: BridgePreview | null,
): Promise<Output<"workflows.preview">> {
  const { step } = body;
  if (bridged && "fault" in bridged)
    return { data: { result: {}, faults: [{ field: "bridge", message: bridged.fault }] } };
  const { linkSchemes, brand, pagesUrl } = await findRenderSettings(ctx.db, caller.environmentId);
  const contexts = await findPreviewContexts(ctx, caller.environmentId, body.context);
  if (bridged) {
    const content = { values: bridged.values, scope: literalScope, layout: null, workflow: null, linkSchemes };
    return renderChecked(ctx, caller, body, { content, faults: [] });
  }
  const { values, faults: refused } = readControlValues({ ...step, name: step.type }, "step.controlValues");
  if (Object.keys(refused).length > 0) throw invalid(refused);
  const settings = { brand: resolveBrand(brand, contexts.override), pagesUrl: pagesUrl ?? ctx.config.publicUrl };
  const content = await loadContent(ctx, caller, { ...body, ...contexts, ...settings }, values);
  const faults = await parseFaults(step.type, values);
  return renderChecked(ctx, caller, body, { content: { ...content, linkSchemes }, faults });
}

/** The content, and for an email what its author should look at. */
async function renderChecked(
  ctx: Ctx,
  { environmentId }: Caller,
  body: PreviewedBody,
  { content, faults }: { content: PreviewedContent; faults: PreviewFault[] },
): Promise<Output<"workflows.preview">> {
  const { data } = await renderContent(body.step.type, content, faults);
  if (body.step.type !== "email") return { data };
  const { values, workflow } = content;
  // A second time, with watched outputs: the places of errors are those of the templates as they were written.
  const renderAll = () => mailParts(content).forEach(({ render }) => void attempt(render));
  const variables = body.draft
    ? draftVariables(body.draft, body.step.type, body.env)
    : workflow && savedVariables(workflow, body.step.stepId, body.env);
  const mail = { values, result: data.result, renderAll, variables, workflow };
  const checks = await checkPreview(ctx, environmentId, mail);
  return { data: { ...data, checks } };
}

/** Null for a step that is not saved: its place among the others is not known. */
function savedVariables(workflow: WorkflowRow, stepId: string | undefined, env: VariableNames): JsonObject | null {
  const index = workflow.steps.findIndex((step) => step.stepId === stepId);
  return index < 0 ? null : stepVariables(workflow, index, env);
}

async function renderContent(
  type: PreviewBody["step"]["type"],
  content: PreviewedContent,
  faults: PreviewFault[],
): Promise<Output<"workflows.preview">> {
  const { values } = content;
  const result: PreviewResult = {};
  const parts = type === "email" ? mailParts(content) : plainParts(type, content);
  for (const { field, render } of parts) {
    if (faults.some((fault) => fault.field === field || fault.field.startsWith(`${field}.`))) continue;
    await pauseIfDue();
    const rendered = attempt(render);
    if (!(rendered instanceof RenderError)) Object.assign(result, rendered);
    else faults.push(toFault(faultyField(field, content), rendered, hasPlaces(type, field, values)));
  }
  return { data: { result, faults } };
}

async function loadContent(
  ctx: Ctx,
  caller: Caller,
  body: PreviewedBody & { brand: Brand; contextData: JsonObject; pagesUrl: string },
  values: JsonObject,
): Promise<Omit<PreviewedContent, "linkSchemes">> {
  const { environmentId } = caller;
  const workflow = body.workflowId === undefined ? null : await requireWorkflow(ctx, environmentId, body.workflowId);
  const { scope, textsOf } = await loadScope(ctx, caller, body, workflow);
  const row = body.step.type === "email" ? await findLayout(ctx, environmentId, body, values) : null;
  const layoutTexts = row?.is_translation_enabled ? await textsOf({ type: "layout", id: row.id }) : undefined;
  return { values, scope, workflow, layout: row && { row, scope: { ...scope, t: layoutTexts } } };
}

async function findLayout(
  ctx: Ctx,
  environmentId: string,
  { layoutId }: PreviewBody,
  values: JsonObject,
): Promise<LayoutRow | null> {
  const layouts = await listAllLayouts(ctx.db, environmentId);
  const controlValues = layoutId === undefined ? values : { ...values, layoutId };
  const choice = chooseLayout(layouts, { stepId: "", controlValues }, null);
  if ("unknown" in choice) throw failure("LAYOUT_NOT_FOUND", { layoutId: choice.unknown.slice(0, 255) });
  return choice.layout;
}

const toFault = (field: string, { message, place }: RenderError, hasPlace: boolean): PreviewFault => ({
  field,
  message,
  ...(hasPlace ? place : {}),
});

/** A block document becomes its own template, whose lines are not those of the document. */
const hasPlaces = (type: string, field: string, { body, editorType }: JsonObject): boolean =>
  !(type === "email" && field === "body" && typeof body === "string" && isBlockBody(editorType, body));

/** The errors that parsing finds, of every text in the values; block documents are compiled when they are rendered. */
async function parseFaults(type: PreviewBody["step"]["type"], values: JsonObject): Promise<PreviewFault[]> {
  const faults: PreviewFault[] = [];
  for (const [field, template] of templatesIn(values)) {
    if (!hasPlaces(type, field, values)) continue;
    await pauseIfDue();
    const isHtml = field === "body" && (type === "email" || type === "in_app");
    const fault = attempt(() => checkTemplate(template, isHtml ? "html" : "text"));
    if (fault) faults.push(toFault(field, fault, true));
  }
  return faults;
}

/** A body that fails with its layout and not without it: the error is in the layout. */
function faultyField(field: string, content: PreviewedContent): string {
  if (field !== "body" || !content.layout) return field;
  const body = mailParts({ ...content, layout: null }).find((part) => part.field === "body")!;
  return attempt(body.render) instanceof RenderError ? field : "layoutId";
}
