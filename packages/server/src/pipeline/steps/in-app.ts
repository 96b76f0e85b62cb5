// In-app: the message is stored in the subscriber's feed, in the same transaction as the run itself: exactly once.
import { inAppProviderId } from "@tidings/contract";
import { isSafeUrl, sanitizeHtml } from "../render/html.ts";
import { RenderFault, render, renderDeep } from "../render/liquid.ts";
import { templateScope } from "../render/scope.ts";
import { detail } from "../rules/details.ts";
import { candidatesFor } from "../rules/integration-choice.ts";
import { type MessageDraft, newDraft, type Run, type StepInput, type StepResult } from "../run.ts";
import { filteredByPreferences } from "./preference-filter.ts";

type JsonObject = Record<string, unknown>;
type Redirect = { url?: string; target?: string };
type Action = { label?: string; redirect?: Redirect };
type InAppControls = {
  subject?: string;
  body?: string;
  avatar?: string;
  primaryAction?: Action;
  secondaryAction?: Action;
  redirect?: Redirect;
  disableOutputSanitization?: boolean;
  data?: JsonObject;
};

export function runInApp(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const filtered = filteredByPreferences(input, "in_app");
  if (filtered) return filtered;

  const controls = job.step.controlValues as InAppControls;
  const draft: MessageDraft = {
    ...newDraft(facts.newId(), job.id, "in_app"),
    providerId: inAppProviderId,
    status: "sent",
  };
  if (candidatesFor(facts.integrations, run.environmentId, "in_app").length === 0) {
    const errorText = "The in-app integration of this environment is not active";
    return {
      kind: "failed",
      message: { ...draft, status: "warning", errorId: "in_app_missing_integration", errorText },
      details: [detail("no_integration", now)],
    };
  }
  try {
    const scope = templateScope(run, facts);
    const body = render(controls.body ?? "", scope, "html");
    draft.content = controls.disableOutputSanitization ? body : sanitizeHtml(body, "feed");
    draft.subject = controls.subject === undefined ? null : render(controls.subject, scope, "text");
    draft.cta = ctaOf(controls, scope);
    draft.data = controls.data ? renderDeep(controls.data, scope) : null;
    draft.actor = actorOf(controls, scope, run);
  } catch (error) {
    if (!(error instanceof RenderFault)) throw error;
    const raw = { reason: error.message, position: error.position };
    return {
      kind: "failed",
      message: { ...draft, status: "error", errorId: "render_failed", errorText: contentFault(error) },
      details: [detail("render_failed", now, { raw })],
    };
  }
  return { kind: "done", message: draft, details: [detail("message_created", now), detail("message_sent", now)] };
}

export const contentFault = (error: RenderFault): string =>
  `Message content could not be rendered: ${[error.message, error.position].filter(Boolean).join(", ")}`;

/** Where a click leads. A rendered address that is neither a web address nor a path is left out. */
function redirectOf(redirect: Redirect | undefined, scope: object): Redirect | undefined {
  if (!redirect?.url) return undefined;
  const url = render(redirect.url, scope, "text").trim();
  return isSafeUrl(url) ? { url, target: redirect.target ?? "_self" } : undefined;
}

function actionOf(action: Action | undefined, scope: object): Action | undefined {
  if (!action?.label) return undefined;
  return { label: render(action.label, scope, "text"), redirect: redirectOf(action.redirect, scope) };
}

function ctaOf(controls: InAppControls, scope: object): JsonObject | null {
  const redirect = redirectOf(controls.redirect, scope);
  const primaryAction = actionOf(controls.primaryAction, scope);
  const secondaryAction = actionOf(controls.secondaryAction, scope);
  return redirect || primaryAction || secondaryAction ? { redirect, primaryAction, secondaryAction } : null;
}

function actorOf(controls: InAppControls, scope: object, run: Run): JsonObject | null {
  if (controls.avatar) return { type: "system_custom", data: render(controls.avatar, scope, "text") };
  return run.actor ? { type: "user", data: run.actor.avatar } : null;
}
