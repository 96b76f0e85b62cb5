// Email: integration, addresses, layout and content; then the message goes to the deliver stage, and later steps wait
// for it.
import type { JsonObject } from "../../lib/json.ts";
import { languageOf } from "../../lib/words/languages.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { escapeHtml } from "../render/block-parts.ts";
import { decodeEntities } from "../render/html-text.ts";
import { chooseLayout } from "../render/layout.ts";
import { literalScope } from "../render/liquid.ts";
import { type MailControls, renderMail } from "../render/mail-body.ts";
import { attachmentsFor } from "../rules/attachments.ts";
import { type EmailOverride, readEmailOverride } from "../rules/override-fields.ts";
import { categoryOf, contentScope, layoutScope, templateScope } from "../rules/scope.ts";
import { brandKeyOf } from "../run/brands.ts";
import type { EmailFields, StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import { renderMailFields, withControls } from "./mail-fields.ts";
import { CannotSendError, chooseRoute, type Note, routedOverrides, sendStep, unaddressed } from "./sending.ts";

export default { run: runEmail, bridgeResult: () => ({}), controlsFromBridge: mailFromBridge } satisfies StepHandler;

function runEmail(input: StepInput): StepResult {
  return sendStep(input, "email", (draft, note) => {
    const { run, job, facts } = input;
    const route = chooseRoute(input, "email", draft, note);
    const overrides = routedOverrides(input, "email", route, note, readEmailOverride);
    const recipients = ({ to, toRecipient, replacesTo }: EmailOverride): string[] => {
      const own = toRecipient ?? run.subscriber?.email;
      return replacesTo && to.length > 0 ? to : [...new Set([...(own ? [own] : []), ...to])];
    };
    const addresses = recipients(overrides.first);
    if (addresses.length === 0) {
      throw unaddressed("The subscriber has no email address", "no_email", "subscriber_missing_email");
    }
    draft.address = addresses[0]!;

    const layout = selectLayout(input, note);
    const scope = contentScope(input);
    const mail = renderMail({
      controls: job.step.controlValues as MailControls,
      layout: layout && {
        values: layout.control_values,
        scope: layoutScope(layout, run, facts, scope === literalScope ? templateScope(input) : scope),
      },
      scope,
      linkSchemes: facts.linkSchemes.get(run.environmentId),
    });
    noteMissingWords(input, layout, note);
    draft.subject = mail.subject;
    draft.content = mail.html;
    const own = renderMailFields(job.step.controlValues, scope);
    const outgoing = overrides.routed((override): EmailFields => {
      const { replacesTo: _, toRecipient: __, to, text = mail.text, ...fields } = override;
      const all = recipients(override);
      return withControls({ ...fields, to: all.length > 0 ? all : addresses, text }, own);
    });
    const contextKey = brandKeyOf(run, facts.brands);
    const pagesUrl = facts.pagesUrls.get(run.environmentId);
    draft.outgoing = {
      ...outgoing,
      ...(contextKey !== undefined && { contextKey }),
      ...(pagesUrl !== undefined && { pagesUrl }),
      ...(attachmentsFor(run.event.payload, "email").length > 0 && { attachments: true }),
      ...(categoryOf(run, facts)?.required && { isRequired: true }),
    };
    return [draft];
  });
}

const usesWords = /\b(unsubscribeText|preferencesText|countSummary|sentenceSummary|toSentence)\b/;

/** A locale without words of this service, in a mail that shows some. */
function noteMissingWords({ run, job }: StepInput, layout: LayoutRow | null, note: Note): void {
  const locale = run.subscriber?.locale;
  if (!locale || languageOf(locale) !== undefined) return;
  const templates = [layout?.control_values.email?.body, ...Object.values(job.step.controlValues)];
  const isShown = templates.some((one) => typeof one === "string" && usesWords.test(one));
  if (isShown) note("words_missing", { raw: { locale, language: "en" } });
}

function selectLayout({ run, job, facts }: StepInput, note: Note): LayoutRow | null {
  const choice = chooseLayout(facts.layouts.get(run.environmentId) ?? [], job.step, run.event.overrides);
  if ("unknown" in choice) {
    throw new CannotSendError(`The layout ${JSON.stringify(choice.unknown.slice(0, 100))} does not exist`, {
      detail: "layout_missing",
      errorId: "layout_not_found",
      status: "error",
      raw: { layoutId: choice.unknown.slice(0, 255) },
    });
  }
  if (choice.layout) note("layout_selected", { raw: { layoutId: choice.layout.layout_id } });
  return choice.layout;
}

/** An email of the code is complete: it has a layout only if its controls name one. */
function mailFromBridge({ subject, body, preheader }: JsonObject, { layoutId = null }: JsonObject): JsonObject {
  const hidden =
    typeof preheader === "string" && preheader !== ""
      ? `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(decodeEntities(preheader))}</div>`
      : "";
  return { subject: toText(subject), body: hidden + toText(body), editorType: "html", layoutId };
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "");
