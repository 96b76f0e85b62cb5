// Steps that members saved to insert them into other workflows. Additions of Tidings.
import { identifiers, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, openObject, type Static, Type } from "../../schema.ts";
import { StepFilterIn } from "./filters.ts";
import { deadlineSeconds } from "./workflows.ts";

/** Templates of an environment. */
export const maxStepTemplates = 200;

const templateName = Type.String({ minLength: 1, maxLength: 128, pattern: "\\S" });
const path = Type.Object({ templateId: Type.String() });

export const TemplateStep = named("TemplateStep", {
  stepId: Type.Optional(Type.String({ ...identifiers.stepId, description: "Default: derived from the name" })),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  type: StepTypeWord,
  controlValues: Type.Optional(openObject({ description: "As in a workflow" })),
  filters: Type.Optional(Type.Array(StepFilterIn, { maxItems: 20 })),
  active: Type.Optional(Type.Boolean({ default: true })),
  shouldStopOnFail: Type.Optional(Type.Boolean({ default: false })),
  deadlineSeconds,
});
export type TemplateStep = Static<typeof TemplateStep>;

const head = {
  id: Type.String(),
  name: Type.String(),
  type: StepTypeWord,
  createdBy: Type.String({ description: "The name of the member, or of the key's environment" }),
  createdAt: isoTime("When it was saved"),
  updatedAt: isoTime("When it was saved or renamed"),
};
export const StepTemplateHead = named("StepTemplateHead", head);
export type StepTemplateHead = Static<typeof StepTemplateHead>;
export const StepTemplate = named("StepTemplate", { ...head, step: TemplateStep });
export type StepTemplate = Static<typeof StepTemplate>;

export const stepTemplateOperations = {
  "stepTemplates.list": operation({
    id: "stepTemplates.list",
    method: "GET",
    path: "/v2/step-templates",
    summary: "List step templates",
    description: `All of them by name, without their content. An environment has up to ${maxStepTemplates}.`,
    category: "configuration",
    success: { status: 200, schema: named("StepTemplateList", { data: Type.Array(StepTemplateHead) }) },
    errors: [],
  }),
  "stepTemplates.create": operation({
    id: "stepTemplates.create",
    method: "POST",
    path: "/v2/step-templates",
    summary: "Save a step as a template",
    description: "The content is that of the step now: it does not follow later changes of a workflow.",
    category: "configuration",
    audit: "everyone",
    body: named("StepTemplateIn", { name: templateName, step: TemplateStep }),
    success: { status: 201, schema: StepTemplate },
    errors: ["STEP_TEMPLATE_NAME_TAKEN", "STEP_TEMPLATE_LIMIT"],
  }),
  "stepTemplates.retrieve": operation({
    id: "stepTemplates.retrieve",
    method: "GET",
    path: "/v2/step-templates/{templateId}",
    summary: "Retrieve a step template",
    category: "configuration",
    params: path,
    success: { status: 200, schema: StepTemplate },
    errors: ["STEP_TEMPLATE_NOT_FOUND"],
  }),
  "stepTemplates.update": operation({
    id: "stepTemplates.update",
    method: "PATCH",
    path: "/v2/step-templates/{templateId}",
    summary: "Rename a step template",
    category: "configuration",
    audit: "everyone",
    params: path,
    body: named("StepTemplatePatch", { name: templateName }),
    success: { status: 200, schema: StepTemplate },
    errors: ["STEP_TEMPLATE_NOT_FOUND", "STEP_TEMPLATE_NAME_TAKEN"],
  }),
  "stepTemplates.delete": operation({
    id: "stepTemplates.delete",
    method: "DELETE",
    path: "/v2/step-templates/{templateId}",
    summary: "Delete a step template",
    description: "Steps that were inserted from it stay.",
    category: "configuration",
    audit: "everyone",
    params: path,
    success: { status: 204 },
    errors: ["STEP_TEMPLATE_NOT_FOUND"],
  }),
};
