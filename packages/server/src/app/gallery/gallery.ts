// The gallery of workflows: a list, a look at one of them in the brand of the environment, and a workflow from it.
import {
  type Channel,
  type GalleryEntry,
  type GalleryPreview,
  type Input,
  isChannel,
  type Output,
} from "@tidings/contract";
import { brandLayout, type GalleryTemplate, gallery } from "@tidings/contract/gallery";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { resolveBrand } from "../../lib/brand/brand.ts";
import { freeIdentifier } from "../../lib/identifiers.ts";
import { render } from "../../pipeline/render/liquid.ts";
import { type MailControls, renderMail } from "../../pipeline/render/mail-body.ts";
import { clockScope } from "../../pipeline/rules/scope.ts";
import { findBrand } from "../../store/environments/brand.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { hasLayouts } from "../../store/workflows/layouts.ts";
import { findWorkflowIdsLike } from "../../store/workflows/workflows.ts";
import { createLayout } from "../brand/brand-layout.ts";
import { sampleSubscriber } from "../workflows/layouts.ts";
import * as workflows from "../workflows/workflows.ts";

const toEntry = ({ name, category, about, workflow }: GalleryTemplate): GalleryEntry => ({
  name,
  title: workflow.name,
  category,
  about,
  channels: [...new Set(workflow.steps.map(({ type }) => type).filter(isChannel))],
  isCritical: workflow.preferences?.workflow?.all?.readOnly ?? false,
});

export const list = async (): Promise<Output<"gallery.list">> => ({ templates: gallery.map(toEntry) });

function requireTemplate(name: string): GalleryTemplate {
  const found = gallery.find((template) => template.name === name);
  if (found) return found;
  const names = gallery.map((template) => template.name).join(", ");
  throw failure("GALLERY_TEMPLATE_NOT_FOUND", { name: name.slice(0, 100), names });
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"gallery.retrieve">,
): Promise<Output<"gallery.retrieve">> {
  const template = requireTemplate(params.name);
  const { toYaml } = await import("../events/scenario-yaml.ts");
  const { workflow, payload, scenario } = template;
  const taken = await findWorkflowIdsLike(ctx.db, caller.environmentId, template.name);
  return {
    ...toEntry(template),
    workflowId: freeIdentifier(template.name, taken),
    payload,
    payloadSchema: workflow.payloadSchema ?? {},
    scenario: toYaml(scenario),
    previews: await previewsOf(ctx, caller, template),
  };
}

/** The messages for the sample payload; a digest has the events of the scenario. */
async function previewsOf(
  ctx: Ctx,
  { environmentId }: Caller,
  { workflow, payload, scenario }: GalleryTemplate,
): Promise<GalleryPreview[]> {
  const now = ctx.now();
  const events = scenario.when.flatMap((action) => (action.trigger ? [{ payload: action.payload ?? {} }] : []));
  const digests = workflow.steps.filter(({ type }) => type === "digest");
  const scope = {
    ...clockScope(undefined, ctx.config.defaultTimezone, now),
    subscriber: sampleSubscriber,
    payload,
    brand: resolveBrand(await findBrand(ctx.db, environmentId)),
    workflow: { workflowId: workflow.workflowId, name: workflow.name },
    steps: Object.fromEntries(digests.map(({ stepId }) => [stepId, { events, eventCount: events.length }])),
  };
  const layout = { values: { email: { body: brandLayout.body, editorType: brandLayout.editorType } }, scope };
  return workflow.steps.flatMap(({ type, controlValues: values = {} }): GalleryPreview[] => {
    if (!isChannel(type)) return [];
    if (type === "email") {
      const { subject, html } = renderMail({ controls: values as MailControls, layout, scope });
      return [{ channel: type, subject, body: html }];
    }
    const textOf = (field: string) => render(String(values[field]), scope, "text");
    return [{ channel: type, subject: values.subject === undefined ? null : textOf("subject"), body: textOf("body") }];
  });
}

export async function use(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"gallery.use">,
): Promise<Output<"gallery.use">> {
  const { environmentId } = caller;
  const { name, workflow } = requireTemplate(params.name);
  // Two requests at once take two identifiers.
  await lockEnvironment(ctx.db, environmentId);
  const wanted = body.workflowId ?? name;
  const taken = await findWorkflowIdsLike(ctx.db, environmentId, wanted);
  const workflowId = freeIdentifier(wanted, taken);
  if (body.workflowId !== undefined && workflowId !== wanted) {
    const message = `Workflow ${wanted} already exists. The identifier ${workflowId} is free`;
    throw failure("WORKFLOW_ID_TAKEN", { workflowId: wanted }, { message, body: { suggestedWorkflowId: workflowId } });
  }
  if (sends(workflow.steps, "email") && !(await hasLayouts(ctx.db, environmentId))) {
    await createLayout(ctx, caller, { params: {}, query: {}, body: {} });
  }
  const { translations: _, steps, ...settings } = workflow;
  return workflows.create(ctx, caller, {
    params: {},
    query: {},
    body: {
      active: true,
      ...settings,
      workflowId,
      name: body.name ?? workflow.name,
      steps: steps.map((step) => ({ ...step, name: step.name ?? step.stepId })),
    },
  });
}

const sends = (steps: GalleryTemplate["workflow"]["steps"], channel: Channel): boolean =>
  steps.some(({ type }) => type === channel);
