// Email: integration, address, content; then the message is handed to the deliver stage, and the chain waits for it.
import { htmlToText, sanitizeHtml } from "../render/html.ts";
import { RenderFault, render } from "../render/liquid.ts";
import { templateScope } from "../render/scope.ts";
import { detail } from "../rules/details.ts";
import { candidatesFor } from "../rules/integration-choice.ts";
import { newDraft, type StepInput, type StepResult } from "../run.ts";
import { contentFault } from "./in-app.ts";
import { filteredByPreferences } from "./preference-filter.ts";

type EmailControls = { subject?: string; body?: string; disableOutputSanitization?: boolean };

export function runEmail(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const filtered = filteredByPreferences(input, "email");
  if (filtered) return filtered;

  const started = detail("start_sending", now);
  const draft = { ...newDraft(facts.newId(), job.id, "email"), email: run.subscriber?.email ?? null };
  const missing = (errorId: string, errorText: string, name: "no_integration" | "no_email"): StepResult => ({
    kind: "failed",
    message: { ...draft, status: "warning", errorId, errorText },
    details: [started, detail(name, now)],
  });

  const integration = candidatesFor(facts.integrations, run.environmentId, "email")[0];
  if (!integration) {
    return missing("email_missing_integration", "No active email integration in this environment", "no_integration");
  }
  draft.integrationId = integration.id;
  draft.providerId = integration.provider_id;
  if (!draft.email) return missing("subscriber_missing_email", "The subscriber has no email address", "no_email");

  try {
    const controls = job.step.controlValues as EmailControls;
    const scope = templateScope(run, facts);
    const body = render(controls.body ?? "", scope, "html");
    const clean = sanitizeHtml(body, "mail");
    draft.content = controls.disableOutputSanitization ? body : clean;
    draft.subject = render(controls.subject ?? "", scope, "text")
      .replace(/\s+/g, " ")
      .trim();
    draft.outgoing = { text: htmlToText(clean) };
  } catch (error) {
    if (!(error instanceof RenderFault)) throw error;
    const raw = { reason: error.message, position: error.position };
    return {
      kind: "failed",
      message: { ...draft, status: "error", errorId: "render_failed", errorText: contentFault(error) },
      details: [started, detail("render_failed", now, { raw })],
    };
  }
  const selected = { providerId: integration.provider_id, raw: { integration: integration.identifier } };
  return {
    kind: "sending",
    message: draft,
    providerId: integration.provider_id,
    details: [
      started,
      detail("integration_selected", now, selected),
      detail("message_created", now),
      detail("step_queued", now),
    ],
  };
}
