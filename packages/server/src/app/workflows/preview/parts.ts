// The fields of a previewed step, each rendered on its own by the functions that the steps use.
import type { PreviewResult, StepType } from "@tidings/contract";
import type { JsonObject } from "../../../lib/json.ts";
import { RenderError, render } from "../../../pipeline/render/liquid.ts";
import { type MailControls, renderLine, renderMail } from "../../../pipeline/render/mail-body.ts";
import { mailFields } from "../../../pipeline/rules/override-fields.ts";
import { type InAppControls, renderInApp } from "../../../pipeline/steps/in-app.ts";
import { renderMailFields } from "../../../pipeline/steps/mail-fields.ts";
import type { LayoutRow } from "../../../store/workflows/layouts.ts";
import type { WorkflowRow } from "../../../store/workflows/workflows.ts";

export type PreviewedContent = {
  values: JsonObject;
  scope: object;
  layout: { row: LayoutRow; scope: object } | null;
  workflow: WorkflowRow | null;
  linkSchemes: string[];
};

export type Part = { field: string; render(): PreviewResult };

export function attempt<T>(work: () => T): T | RenderError {
  try {
    return work();
  } catch (error) {
    if (error instanceof RenderError) return error;
    throw error;
  }
}

export function mailParts({ values, scope, layout, linkSchemes }: PreviewedContent): Part[] {
  const { subject, body, text, preheader, ...rest } = values as MailControls;
  const frame = layout && { values: layout.row.control_values, scope: layout.scope };
  return [
    { field: "subject", render: () => ({ subject: renderLine(subject ?? "", scope) }) },
    ...lineParts(values, scope),
    {
      field: "body",
      render: () => {
        // A line that fails is reported on its own, and must not hide the body.
        const isShown = !(attempt(() => renderLine(preheader ?? "", scope)) instanceof RenderError);
        const controls = { ...rest, body, preheader: isShown ? preheader : "" };
        const { html, text: generated } = renderMail({ controls, layout: frame, scope, linkSchemes });
        return { html, text: generated };
      },
    },
    ...(text ? [{ field: "text", render: () => ownText(text, scope) }] : []),
  ];
}

/** The lines that an email has where the step names them. */
function lineParts(values: JsonObject, scope: object): Part[] {
  const { preheader } = values;
  const fields = mailFields.filter((field) => values[field]);
  return [
    ...(preheader ? [{ field: "preheader", render: () => ({ preheader: renderLine(String(preheader), scope) }) }] : []),
    ...fields.map((field) => ({
      field,
      render: () => ({ [field]: renderMailFields({ [field]: values[field] }, scope)?.[field] }),
    })),
  ];
}

/** Empty once it is rendered: the text is the one from the HTML. */
function ownText(template: string, scope: object): PreviewResult {
  const text = render(template, scope, "text").trim();
  return text === "" ? {} : { text };
}

export function plainParts(type: StepType, content: PreviewedContent): Part[] {
  if (type === "in_app") return inAppParts(content);
  const { values, scope } = content;
  const fields = { sms: ["body"], chat: ["body"], push: ["subject", "body"] }[type as string] ?? [];
  return fields
    .filter((field) => values[field] !== undefined)
    .map((field) => ({ field, render: () => ({ [field]: render(String(values[field]), scope, "text") }) }));
}

const inAppFields = ["subject", "body", "avatar", "redirect", "primaryAction", "secondaryAction", "data"] as const;

function inAppParts({ values: controls, scope, linkSchemes }: PreviewedContent): Part[] {
  const values = controls as InAppControls;
  const { disableOutputSanitization } = values;
  return inAppFields
    .filter((field) => values[field] !== undefined)
    .map((field) => ({
      field,
      render: () => {
        const { subject, content, cta, data, actor } = renderInApp(
          { [field]: values[field], disableOutputSanitization },
          scope,
          linkSchemes,
        );
        const all = { ...cta, subject, body: content, data, avatar: actor?.data } as JsonObject;
        return all[field] ? { [field]: all[field] } : {};
      },
    }));
}
