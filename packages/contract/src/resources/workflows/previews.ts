// Previews: the content of a step that is not saved, rendered as an event would render it.
import { StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, nullableOpenObject, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { ContextMap } from "../topics/contexts.ts";

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
  layoutId: Type.Optional(nullableString({ description: "Overrides the step's `layoutId`; null: without a layout" })),
  withTemplate: Type.Optional(
    Type.Boolean({ description: "For an email of blocks: the response contains `template`" }),
  ),
  locale: Type.Optional(
    Type.String({ minLength: 1, maxLength: 35, description: "Overrides the subscriber's language" }),
  ),
  steps: Type.Optional(
    openObject({ description: "Results of earlier steps by step id, which templates read as `steps.<stepId>`" }),
  ),
  context: Type.Optional(ContextMap),
  draft: Type.Optional(
    named(
      "PreviewedDraft",
      {
        steps: Type.Array(
          named("PreviewedEarlierStep", {
            stepId: Type.String({ maxLength: 100 }),
            type: StepTypeWord,
            controlValues: Type.Optional(openObject()),
          }),
          { maxItems: 100, description: "The steps before this one" },
        ),
        payloadSchema: Type.Optional(nullableOpenObject()),
        isTranslationEnabled: Type.Optional(Type.Boolean()),
      },
      { description: "The workflow around the step, saved or not; the response then contains `variables`" },
    ),
  ),
});
export type StepPreviewIn = Static<typeof StepPreviewIn>;

export const PreviewFault = named("PreviewFault", {
  field: Type.String({ description: "The control value with the error, such as `body` or `primaryAction.label`" }),
  message: Type.String(),
  line: Type.Optional(
    Type.Integer({ description: "From 1; absent if the error has no position, as in block documents" }),
  ),
  column: Type.Optional(Type.Integer({ description: "From 1" })),
});
export type PreviewFault = Static<typeof PreviewFault>;

const PreviewResult = named("PreviewResult", {
  subject: Type.Optional(Type.String()),
  preheader: Type.Optional(
    Type.String({ description: "For an email: the text that mailboxes show after the subject" }),
  ),
  senderName: Type.Optional(Type.String({ description: "For an email" })),
  replyTo: Type.Optional(Type.String({ description: "For an email" })),
  cc: Type.Optional(Type.Array(Type.String(), { description: "For an email" })),
  bcc: Type.Optional(Type.Array(Type.String(), { description: "For an email" })),
  html: Type.Optional(Type.String({ description: "For an email: with its layout, sanitized, styles inlined" })),
  text: Type.Optional(Type.String({ description: "For an email: the plain-text part" })),
  body: Type.Optional(Type.String({ description: "For every other channel; HTML for in_app, text otherwise" })),
  avatar: Type.Optional(Type.String()),
  redirect: Type.Optional(openObject()),
  primaryAction: Type.Optional(openObject()),
  secondaryAction: Type.Optional(openObject()),
  data: Type.Optional(openObject()),
});
export type PreviewResult = Static<typeof PreviewResult>;

export const mailCheckCodes = [
  "missing_alt",
  "missing_unsubscribe",
  "empty_link",
  "relative_link",
  "insecure_link",
  "relative_image",
  "too_large",
  "large_image",
  "low_contrast",
  "empty_variable",
  "unknown_variable",
  "missing_translation",
  "capitals",
  "no_text",
  "no_subject",
] as const;

export const MailCheck = named("MailCheck", {
  code: oneOf(mailCheckCodes),
  severity: oneOf(["warning", "error"], { description: "error: part of the mail does not work" }),
  message: Type.String({ description: "What is wrong and how to fix it" }),
});
export type MailCheck = Static<typeof MailCheck>;

export const StepPreview = named("StepPreview", {
  data: Type.Object({
    result: PreviewResult,
    faults: Type.Array(PreviewFault, { description: "A field with an error is missing from `result`" }),
    checks: Type.Optional(
      Type.Array(MailCheck, {
        description:
          "For an email: what its author should look at, such as links without an address; at most 5 of a kind",
      }),
    ),
    template: Type.Optional(
      Type.String({ description: "The HTML and Liquid that the blocks of an email become; only with `withTemplate`" }),
    ),
    variables: Type.Optional(
      openObject({ description: "JSON Schema of what a template of this step may use; only with `draft`" }),
    ),
  }),
});

export const previewOperations = {
  "workflows.preview": operation({
    id: "workflows.preview",
    method: "POST",
    path: "/v1/workflows/preview",
    summary: "Render the content of an unsaved step",
    description:
      "Renders the control values as an event would, for a real subscriber and payload, and stores nothing. The " +
      "response includes template errors, with line and column. Templates have the same limits as in a real step. With " +
      "`context`, the brand of the first context that has one is shown; unknown contexts are not created. " +
      "Steps that send nothing (digest, delay, throttle, custom) have an empty `result`; their templates are checked.",
    category: "configuration",
    isReadOnly: true,
    body: StepPreviewIn,
    success: { status: 200, schema: StepPreview },
    errors: ["WORKFLOW_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "LAYOUT_NOT_FOUND"],
  }),
};
