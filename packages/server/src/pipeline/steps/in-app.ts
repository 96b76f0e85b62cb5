// In-app: the message is stored in the subscriber's feed, in the same transaction as the run itself: exactly once.
import { inAppProviderId } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { sanitizeHtml } from "../render/html.ts";
import { decodeEntities } from "../render/html-text.ts";
import { RenderError, render, renderDeep } from "../render/liquid.ts";
import { isSafeUrl, withLinkSchemes } from "../render/safe-urls.ts";
import { detail, detailOf, entry } from "../rules/details.ts";
import { readExpiry } from "../rules/expiry.ts";
import { contentScope } from "../rules/scope.ts";
import { channelResult } from "../rules/step-results.ts";
import { type MessageDraft, newDraft, type StepInput, type StepResult } from "../run/run.ts";
import { allDetails, type StepHandler } from "./handler.ts";
import { renderFault } from "./sending.ts";

type Redirect = { url?: string; target?: string };
type Action = { label?: string; redirect?: Redirect };
export type InAppControls = {
  subject?: string;
  body?: string;
  avatar?: string;
  primaryAction?: Action;
  secondaryAction?: Action;
  redirect?: Redirect;
  disableOutputSanitization?: boolean;
  data?: JsonObject;
  expiresAt?: string;
  expiresIn?: JsonObject;
};

const details = {
  already_expired: entry("Step skipped, its message has expired already", "Success", { source: "Payload", by: "step" }),
  expiry_invalid: entry("Expiry of the message is not valid", "Failed", { source: "Payload", by: "step" }),
};
const inAppDetail = detailOf(details);

export default {
  run: runInApp,
  details,
  bridgeResult: (_run, job, facts) => {
    const result = channelResult({ ...job, details: allDetails(job) }, facts.marks.get(job.id));
    const { seen = false, read = false, lastSeenDate = null, lastReadDate = null } = result ?? {};
    return { seen, read, lastSeenDate, lastReadDate };
  },
  controlsFromBridge: inAppFromBridge,
} satisfies StepHandler;

function runInApp(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const controls = job.step.controlValues as InAppControls;
  const draft: MessageDraft = {
    ...newDraft(facts.newId(), job.id, "in_app"),
    providerId: inAppProviderId,
    status: "sent",
  };
  const isActive = facts.integrations.some(
    ({ environment_id, channel }) => environment_id === run.environmentId && channel === "in_app",
  );
  if (!isActive) {
    const errorText = "The in-app integration of this environment is not active";
    return {
      kind: "failed",
      message: { ...draft, status: "warning", errorId: "in_app_missing_integration", errorText },
      details: [detail("no_integration", now)],
    };
  }
  try {
    const scope = contentScope(input);
    const expiry = readExpiry(controls, (template) => render(template, scope, "text"), now);
    if (expiry && "fault" in expiry) {
      const { fault, reason } = expiry;
      if (fault === "past") {
        return { kind: "skipped", details: [inAppDetail("already_expired", now, { raw: { reason } })] };
      }
      return {
        kind: "failed",
        message: { ...draft, status: "error", errorId: "in_app_unexpected_error", errorText: reason },
        details: [inAppDetail("expiry_invalid", now, { raw: { reason } })],
      };
    }
    draft.expiresAt = expiry?.until ?? null;
    Object.assign(draft, renderInApp(controls, scope, facts.linkSchemes.get(run.environmentId)));
    draft.actor ??= run.actor ? { type: "user", data: run.actor.avatar } : null;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const { message: errorText, errorId, raw } = renderFault(error);
    return {
      kind: "failed",
      message: { ...draft, status: "error", errorId, errorText },
      details: [detail("render_failed", now, { raw })],
    };
  }
  return { kind: "done", message: draft, details: [detail("message_created", now), detail("message_sent", now)] };
}

/**
 * Throws RenderError when a part cannot be rendered. `linkSchemes`: of the apps that the environment allows in links.
 */
export function renderInApp(
  controls: InAppControls,
  scope: object,
  linkSchemes: readonly string[] = [],
): Pick<MessageDraft, "content" | "subject" | "cta" | "data" | "actor"> {
  const body = render(controls.body ?? "", scope, "html");
  return {
    content: controls.disableOutputSanitization ? body : withLinkSchemes(linkSchemes, () => sanitizeHtml(body, "feed")),
    // Subject and labels are text: clients show every character of them, and read no tags.
    subject: controls.subject === undefined ? null : render(controls.subject, scope, "text"),
    cta: renderCta(controls, scope),
    data: controls.data ? renderDeep(controls.data, scope) : null,
    actor: renderActor(controls, scope),
  };
}

/** The target of a click. A rendered address that is neither a web address nor a path is dropped. */
function renderRedirect(redirect: Redirect | undefined, scope: object): Redirect | undefined {
  if (!redirect?.url) return undefined;
  const url = render(redirect.url, scope, "text").trim();
  return isSafeUrl(url) ? { url, target: redirect.target ?? "_self" } : undefined;
}

function renderAction(action: Action | undefined, scope: object): Action | undefined {
  if (!action?.label) return undefined;
  return { label: render(action.label, scope, "text"), redirect: renderRedirect(action.redirect, scope) };
}

function renderCta(controls: InAppControls, scope: object): JsonObject | null {
  const redirect = renderRedirect(controls.redirect, scope);
  const primaryAction = renderAction(controls.primaryAction, scope);
  const secondaryAction = renderAction(controls.secondaryAction, scope);
  return redirect || primaryAction || secondaryAction ? { redirect, primaryAction, secondaryAction } : null;
}

/** An avatar that is not a safe URL is ignored. */
function renderActor(controls: InAppControls, scope: object): JsonObject | null {
  const avatar = controls.avatar ? render(controls.avatar, scope, "text").trim() : "";
  return isSafeUrl(avatar) ? { type: "system_custom", data: avatar } : null;
}

/**
 * The framework escapes all texts of an in-app message for HTML; a subject and a label are plain text. Members of
 * another type than a control has are dropped: a bridge may be any program.
 */
function inAppFromBridge(outputs: JsonObject): JsonObject {
  const { subject, body, avatar, redirect, primaryAction, secondaryAction, data, expiresAt, expiresIn } = outputs;
  return {
    subject: plainText(subject),
    body: typeof body === "string" ? body : "",
    avatar: typeof avatar === "string" ? avatar : undefined,
    redirect: redirectOf(redirect),
    primaryAction: actionOf(primaryAction),
    secondaryAction: actionOf(secondaryAction),
    data: isObject(data) ? data : undefined,
    expiresAt: typeof expiresAt === "string" ? expiresAt : undefined,
    expiresIn: isObject(expiresIn) ? expiresIn : undefined,
  };
}

const plainText = (value: unknown) => (typeof value === "string" ? decodeEntities(value) : undefined);

const redirectOf = (value: unknown) =>
  isObject(value) && typeof value.url === "string"
    ? { url: value.url, target: typeof value.target === "string" ? value.target : undefined }
    : undefined;

const actionOf = (value: unknown) =>
  isObject(value) ? { label: plainText(value.label), redirect: redirectOf(value.redirect) } : undefined;
