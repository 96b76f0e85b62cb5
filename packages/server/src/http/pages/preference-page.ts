// The page behind the unsubscribe link of a mail, and the one-click request of mail clients (RFC 8058). A GET changes
// nothing, because mail scanners follow links. The token in the address is the only authorisation, without cookie or
// key, so forms of other origins need no protection, and the address is kept out of caches, referrers and search
// engines.
import { isChannel } from "@tidings/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import * as unsubscribe from "../../app/subscribers/unsubscribe.ts";
import type { Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { base62ToId } from "../../lib/ids.ts";
import { readUnsubscribeToken, type UnsubscribeTarget } from "../../lib/tokens/unsubscribe-token.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import type { RateLimiter } from "../auth/rate-limit.ts";
import { FormError, parseForm, readBoundary } from "../request/multipart.ts";
import { brandPage } from "./branded-page.ts";
import { limitPageRate, type Notice, type Page, page, renderErrorsAsPages, renderNotice, sendPage } from "./page.ts";
import { fields, renderPreferences } from "./preference-page.markup.ts";

const preferencePagePath = "/u/:token";

/** Twice the size of the largest form that a page has. */
const bodyLimit = 64 * 1024;

const unknownLinkPage = page(
  renderNotice(
    "This link does not work",
    "It is incomplete. Please open it from the email again, or copy the whole link.",
  ),
  404,
);

const unknownSubscriberPage = page(
  renderNotice("Nothing to change", "You are no longer on our list, so you do not receive these notifications."),
);

const faults: Record<number, Notice> = {
  400: ["This could not be read", "The form was not received correctly. Please go back and try again."],
  413: ["This could not be read", "The form is too large."],
  415: ["This could not be read", "The form has an unsupported content type."],
};

export function addPreferencePage(server: FastifyInstance, ctx: Ctx, limiter: RateLimiter): void {
  server.register(async (scope) => {
    acceptFormBodies(scope);
    renderErrorsAsPages(scope, faults);
    const targetOf = (request: FastifyRequest) =>
      readUnsubscribeToken(ctx.secrets, (request.params as { token: string }).token);

    scope.route({
      method: ["GET", "POST"],
      url: preferencePagePath,
      bodyLimit,
      onRequest: limitPageRate(limiter, (request) => targetOf(request)?.environmentId),
      handler: async (request, reply) => {
        const target = targetOf(request);
        if (!target) return sendPage(reply, unknownLinkPage);
        const send = async (shown: Page) =>
          sendPage(reply, brandPage(shown, await unsubscribe.findPageBrand(ctx, target)));
        if (request.method !== "POST") return send(await showPreferences(ctx, target));
        const form = (request.body as URLSearchParams | undefined) ?? new URLSearchParams();
        return send(await inRepeatableTransaction(ctx.db, (tx) => changePreferences({ ...ctx, db: tx }, target, form)));
      },
    });
  });
}

async function showPreferences(ctx: Ctx, target: UnsubscribeTarget): Promise<Page> {
  const subscriber = await unsubscribe.findOwner(ctx, target);
  if (!subscriber) return unknownSubscriberPage;
  return page(renderPreferences(await unsubscribe.viewPage(ctx, subscriber, target.workflowId)));
}

async function changePreferences(ctx: Ctx, target: UnsubscribeTarget, form: URLSearchParams): Promise<Page> {
  const { workflowId } = target;
  const subscriber = await unsubscribe.findOwner(ctx, target);
  if (!subscriber) return unknownSubscriberPage;
  if (form.get(fields.oneClick)?.toLowerCase() === "one-click") {
    const { kind, workflowName } = await unsubscribe.unsubscribe(ctx, subscriber, workflowId);
    if (kind === "critical") {
      const text = `“${workflowName}” is too important to be turned off: you will still get it by email.`;
      return page(renderNotice("This cannot be turned off", text, "View all preferences"), 400);
    }
    const what = workflowName ? `“${workflowName}”` : "these notifications";
    const text = `You will no longer receive ${what} by email.`;
    return page(renderNotice("You are unsubscribed", text, "View all preferences"));
  }
  const edits = readEdits(form);
  if (edits.length === 0) return page(renderNotice(...faults[400]!), 400);
  const isChanged = await unsubscribe.save(ctx, subscriber, edits);
  const notice = isChanged ? "Your preferences have been saved." : "Nothing was changed.";
  return page(renderPreferences(await unsubscribe.viewPage(ctx, subscriber, workflowId), notice));
}

function readEdits(form: URLSearchParams): unsubscribe.Edit[] {
  return form.getAll(fields.shown).flatMap((value): unsubscribe.Edit[] => {
    const [key = "", shown = ""] = value.split(":");
    const workflowId = key === fields.everything ? null : base62ToId(key);
    if (workflowId === null && key !== fields.everything) return [];
    return [{ workflowId, shown: shown.split(",").filter(isChannel), wanted: form.getAll(key).filter(isChannel) }];
  });
}

/** RFC 8058 lets mail clients choose between the two encodings of forms. */
function acceptFormBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, new URLSearchParams(body as string)),
  );
  scope.addContentTypeParser("multipart/form-data", { parseAs: "buffer" }, (request, body, done) => {
    try {
      const parts = parseForm(body as Buffer, readBoundary(request.headers["content-type"] ?? ""));
      done(null, new URLSearchParams(parts.map(({ name, bytes }): [string, string] => [name, bytes.toString("utf8")])));
    } catch (error) {
      done(error instanceof FormError ? failure("MALFORMED_FORM", { reason: error.message }) : (error as Error));
    }
  });
}
