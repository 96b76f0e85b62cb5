// Previews: the content of a step that is not saved, rendered as an event would render it.
import { StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, nullableString, openObject, type Static, Type } from "../../schema.ts";

export const StepPreviewIn = named("StepPreviewIn", {
  step: named("PreviewedStep", {
    type: StepTypeWord,
    stepId: Type.Optional(Type.String({ maxLength: 100 })),
    controlValues: Type.Optional(openObject({ description: "As in a workflow" })),
  }),
  workflowId: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Internal id, identifier or slug: the workflow whose name and translations the content uses",
    }),
  ),
  subscriberId: Type.Optional(
    Type.String({ minLength: 1, description: "A subscriber of the environment. Default: a sample" }),
  ),
  payload: Type.Optional(openObject()),
  layoutId: Type.Optional(
    nullableString({ description: "In place of the step's own `layoutId`; null: without a layout" }),
  ),
  locale: Type.Optional(
    Type.String({ minLength: 1, maxLength: 35, description: "In place of the subscriber's language" }),
  ),
  steps: Type.Optional(
    openObject({ description: "Results of earlier steps by step id, which templates read as `steps.<stepId>`" }),
  ),
});
export type StepPreviewIn = Static<typeof StepPreviewIn>;

export const PreviewFault = named("PreviewFault", {
  field: Type.String({ description: "The control value with the fault, such as `body` or `primaryAction.label`" }),
  message: Type.String(),
  line: Type.Optional(
    Type.Integer({ description: "From 1; absent where the fault has no place, as in block documents" }),
  ),
  column: Type.Optional(Type.Integer({ description: "From 1" })),
});
export type PreviewFault = Static<typeof PreviewFault>;

const PreviewResult = named("PreviewResult", {
  subject: Type.Optional(Type.String()),
  html: Type.Optional(Type.String({ description: "Of an email: with its layout, sanitised, styles inlined" })),
  text: Type.Optional(Type.String({ description: "Of an email: the part without html" })),
  body: Type.Optional(Type.String({ description: "Of every other channel; html for in_app, text otherwise" })),
  avatar: Type.Optional(Type.String()),
  redirect: Type.Optional(openObject()),
  primaryAction: Type.Optional(openObject()),
  secondaryAction: Type.Optional(openObject()),
  data: Type.Optional(openObject()),
});
export type PreviewResult = Static<typeof PreviewResult>;

export const StepPreview = named("StepPreview", {
  data: Type.Object({
    result: PreviewResult,
    faults: Type.Array(PreviewFault, { description: "A field with a fault is missing in `result`" }),
  }),
});

export const previewOperations = {
  "workflows.preview": operation({
    id: "workflows.preview",
    method: "POST",
    path: "/v1/workflows/preview",
    summary: "Render the content of a step that is not saved",
    description:
      "Renders the control values as an event would, for a real subscriber and payload, and stores nothing. Faults of " +
      "templates are part of the answer, with line and column. A template may take as much work as in a real step. Steps " +
      "that send nothing (digest, delay, throttle, custom) have an empty `result`; their templates are checked.",
    category: "configuration",
    isReadOnly: true,
    body: StepPreviewIn,
    success: { status: 200, schema: StepPreview },
    errors: ["WORKFLOW_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "LAYOUT_NOT_FOUND"],
  }),
};
